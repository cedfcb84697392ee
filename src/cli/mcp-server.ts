import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createMcpServer } from "../mcp/server.ts";
import type { Io } from "./io.ts";
import { type McpOptions, mcpTools } from "./mcp-tools.ts";

/** Options of a server, and the version that it tells. */
interface McpSettings extends McpOptions {
  readonly version: string;
}

/** Serves the tools on stdio until whoever started it closes its end. Never writes anything else there. */
export async function serveMcp(io: Io, options: McpSettings): Promise<void> {
  const server = createMcpServer(options.version, mcpTools(io, options));
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await closed;
}
