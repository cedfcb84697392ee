import type { Command } from "commander";
import { openArchive } from "../archive/open.ts";
import type { Io } from "./io.ts";
import type { McpTool } from "../mcp/tools.ts";
import type { McpOptions } from "./mcp-tools.ts";

interface McpFlags extends Omit<McpOptions, "store"> {
  readonly archive?: string;
}

/** `longhaul mcp`: recall, search and window as tools, over stdio. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "An MCP server over stdio, with the tools recall, search and window. It belongs to the session that started it (Claude Code says which in its environment, Codex with every call); a coding agent starts it, not a person.",
    )
    .option("--all", "everything that was archived on this computer, of all sessions")
    .option("--session <id>", "this session, where no agent says which it is")
    .option(
      "--session-of-call",
      "each call names its session: a hook of the plugin writes it there",
    )
    .option("--archive <place>", "where originals are: a folder, postgres://… or s3://…")
    .addHelpText("after", EXAMPLES)
    .action(async ({ archive, ...options }: McpFlags) => {
      const version = command.parent?.version() ?? "";
      const { mcpTools } = await import("./mcp-tools.ts");
      const store = archive === undefined ? undefined : await openArchive(archive, io.cwd);
      await serveMcp(version, mcpTools(io, { ...options, store }));
      await store?.close();
    });
}

const EXAMPLES = `
Examples:
  claude mcp add longhaul -- longhaul mcp   in Claude Code, without its plugin
  longhaul plugin codex                     in Codex, with its hooks`;

/** Serves the tools on stdio until whoever started it closes its end. Never writes anything else there. */
async function serveMcp(version: string, tools: readonly McpTool[]): Promise<void> {
  const { createMcpServer } = await import("../mcp/server.ts");
  const { StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const server = createMcpServer(version, tools);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await closed;
}
