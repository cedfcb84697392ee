import path from "node:path";
import { hookWords } from "../hook-options.ts";
import {
  type AgentPlugin,
  type Change,
  commandLine,
  hookLine,
  type PluginPlace,
} from "../plugin.ts";

/** Claude Code loads one folder: hooks, tools, commands. Only the status line is a setting. */
export const claudeCodePlugin: AgentPlugin = {
  title: "Claude Code",
  takesFolder: true,
  where: pluginFolder,
  changes: (place) => [...folderFiles(place), statusLineChange(place)],
  next({ dir }) {
    if (dir === undefined) return ["Claude Code loads it with its next start."];
    const settings = path.join(dir, STATUS_FILE);
    return [
      `Start it with it: claude --plugin-dir ${commandLine([dir])}`,
      `With a status line: claude --plugin-dir ${commandLine([dir])} --settings ${commandLine([settings])}`,
    ];
  },
};

function configFolder({ home, env }: PluginPlace): string {
  const { CLAUDE_CONFIG_DIR: config = "" } = env;
  return config === "" ? path.join(home, ".claude") : config;
}

/** Below the person's folder it is loaded with every start, without a line in any settings. */
function pluginFolder(place: PluginPlace): string {
  return place.dir ?? path.join(configFolder(place), "skills", "longhaul");
}

/** The plugin's name and that of its server, as Claude Code puts them before the name of a tool. */
const TOOLS = "mcp__plugin_longhaul_longhaul__";

function folderFiles(place: PluginPlace): readonly Change[] {
  const folder = pluginFolder(place);
  const file = (name: string, content: string): Change => ({
    type: "file",
    path: path.join(folder, ...name.split("/")),
    content,
  });
  const json = (name: string, value: unknown): Change =>
    file(name, `${JSON.stringify(value, undefined, 2)}\n`);
  return [
    json(".claude-plugin/plugin.json", MANIFEST),
    json("hooks/hooks.json", hooks(place)),
    json(".mcp.json", servers(place)),
    file("commands/window.md", WINDOW),
    file("commands/recall.md", RECALL),
  ];
}

const MANIFEST = {
  name: "longhaul",
  description:
    "Keeps a long session inside its window without losing what matters: truncates large outputs, keeps their originals, and says after a compaction what must not be lost.",
};

function hooks({ node, hook, limits }: PluginPlace): unknown {
  const command = hookLine([node, hook, "claude-code", ...hookWords(limits)]);
  const run = (timeout: number): unknown => [{ type: "command", command, timeout }];
  return {
    hooks: {
      PreToolUse: [{ matcher: `${TOOLS}.*`, hooks: run(20) }],
      PostToolUse: [{ matcher: "*", hooks: run(20) }],
      PreCompact: [{ hooks: run(60) }],
      SessionStart: [{ matcher: "compact", hooks: run(60) }],
    },
  };
}

/** The hook before a call says whose session it is: one process may go through several. */
function servers({ node, cli }: PluginPlace): unknown {
  return { mcpServers: { longhaul: { command: node, args: [cli, "mcp", "--session-of-call"] } } };
}

const WINDOW = `---
description: How full the context window is, and what fills it
allowed-tools: ${TOOLS}window
---

Call the tool ${TOOLS}window and show me its answer as it is, in a code block, without comment.
`;

const RECALL = `---
description: Get back an original that left the conversation, or find it by a text
argument-hint: HANDLE | TEXT
allowed-tools: ${TOOLS}recall, ${TOOLS}search
---

If "$ARGUMENTS" is a handle (out_, run_, head_, parts_, in_ or msg_ and 16 digits), call the tool ${TOOLS}recall with it. Otherwise search for it with ${TOOLS}search. Show me what comes back, in short.
`;

const STATUS_FILE = "status-line.json";

/** In the person's settings, if they have none of their own; else in a file for one start. */
function statusLineChange(place: PluginPlace): Change {
  const command = hookLine([place.node, place.hook, "claude-code-status"]);
  const statusLine = { type: "command", command };
  if (place.dir !== undefined) {
    const content = `${JSON.stringify({ statusLine }, undefined, 2)}\n`;
    return { type: "file", path: path.join(place.dir, STATUS_FILE), content };
  }
  const entries = [{ at: ["statusLine"], value: statusLine, how: "absent" as const }];
  return { type: "json", path: path.join(configFolder(place), "settings.json"), entries };
}
