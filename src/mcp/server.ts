import { McpServer } from "@modelcontextprotocol/server";
import { errorMessage } from "../core/error.ts";
import { fieldsOf } from "../core/text/json.ts";
import type { McpTool } from "./tools.ts";

/** Read by the model about the server as a whole. */
const INSTRUCTIONS =
  "Longhaul keeps the originals of what left this conversation: outputs that were truncated or pruned, and all messages before each compaction. Where a text names a handle (out_…, run_…, head_…), use recall with it instead of running the tool again. Use search for anything that was said or printed before and is no longer in front of you, before you ask the person or do the work again. window says how full the context window is, and what fills it.";

/** A server of these tools, to be connected to a transport. */
export function createMcpServer(version: string, tools: readonly McpTool[]): McpServer {
  const server = new McpServer(
    { name: "longhaul", title: "Longhaul", version },
    { instructions: INSTRUCTIONS, capabilities: { tools: {} } },
  );
  for (const tool of tools) register(server, tool);
  return server;
}

function register(server: McpServer, tool: McpTool): void {
  const { name, title, description, inputSchema } = tool;
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: standardSchema({ ...inputSchema }),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      // Without this Claude Code shows the tool only to a model that looks for it.
      _meta: { "anthropic/alwaysLoad": true },
    },
    async (input, { mcpReq }) => {
      try {
        return {
          content: [...(await tool.run({ input: fieldsOf(input), meta: fieldsOf(mcpReq._meta) }))],
        };
      } catch (error) {
        return { content: [{ type: "text", text: errorMessage(error) }], isError: true };
      }
    },
  );
}

/** Our tools answer a wrong input with a sentence, and a hook may have added the session: all of it passes. */
function standardSchema(json: Record<string, unknown>) {
  const jsonSchema = { input: () => json, output: () => json };
  const validate = (value: unknown) => ({ value });
  return { "~standard": { version: 1 as const, vendor: "longhaul", validate, jsonSchema } };
}
