import path from "node:path";
import { hookWords } from "../hook-options.ts";
import { type AgentPlugin, type Change, commandLine, type PluginPlace } from "../plugin.ts";

/** Claude Code loads one folder: hooks, and what else a plugin may have. */
export const claudeCodePlugin: AgentPlugin = {
  title: "Claude Code",
  takesFolder: true,
  where: pluginFolder,
  changes: (place) => folderFiles(place),
  next: (place) => [
    place.dir === undefined
      ? "Claude Code loads it with its next start."
      : `Start it with it: claude --plugin-dir ${commandLine([place.dir])}`,
  ],
};

/** Below the person's folder it is loaded with every start, without a line in any settings. */
function pluginFolder({ dir, home, env }: PluginPlace): string {
  const { CLAUDE_CONFIG_DIR: config = path.join(home, ".claude") } = env;
  return dir ?? path.join(config, "skills", "longhaul");
}

function folderFiles(place: PluginPlace): readonly Change[] {
  const folder = pluginFolder(place);
  const json = (name: string, value: unknown): Change => ({
    type: "file",
    path: path.join(folder, ...name.split("/")),
    content: `${JSON.stringify(value, undefined, 2)}\n`,
  });
  return [json(".claude-plugin/plugin.json", MANIFEST), json("hooks/hooks.json", hooks(place))];
}

const MANIFEST = {
  name: "longhaul",
  description:
    "Keeps a long session inside its window without losing what matters: truncates large outputs, keeps their originals, and says after a compaction what must not be lost.",
};

function hooks({ node, hook, limits }: PluginPlace): unknown {
  // An agent shows what a hook says when it fails, and the person can do nothing about it.
  const command = `${commandLine([node, hook, "claude-code", ...hookWords(limits)])} || true`;
  const run = (timeout: number): unknown => [{ type: "command", command, timeout }];
  return {
    hooks: {
      PostToolUse: [{ matcher: "*", hooks: run(20) }],
      PreCompact: [{ hooks: run(60) }],
      SessionStart: [{ matcher: "compact", hooks: run(60) }],
    },
  };
}
