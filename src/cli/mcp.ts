import type { Command } from "commander";
import type { Io } from "./io.ts";
import type { McpOptions } from "./mcp-tools.ts";

/** `longhaul mcp`: recall, search and window as tools, over stdio. */
export function defineMcp(command: Command, io: Io): void {
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
    .addHelpText("after", EXAMPLES)
    .action(async (options: McpOptions) => {
      const version = command.parent?.version() ?? "";
      await (await import("./mcp-server.ts")).serveMcp(io, { ...options, version });
    });
}

const EXAMPLES = `
Examples:
  claude mcp add longhaul -- longhaul mcp   in Claude Code, without its plugin
  longhaul plugin codex                     in Codex, with its hooks`;
