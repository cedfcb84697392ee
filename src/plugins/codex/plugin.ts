import path from "node:path";
import { hookWords } from "../hook-options.ts";
import { type AgentPlugin, type Change, hookLine, type PluginPlace } from "../plugin.ts";

/** Codex has its hooks in one file and its servers of tools in another. */
export const codexPlugin: AgentPlugin = {
  title: "Codex",
  takesFolder: false,
  where: codexFolder,
  changes: (place) => [hooksChange(place), serverChange(place)],
  next: () => [
    "Codex runs new hooks only when you have trusted them: start codex, type /hooks, and trust the two of longhaul.",
    "Until then codex exec passes over them without a word; the tools recall, search and window work at once. After another run of this command with other options, or after an update, trust them again.",
  ],
};

function codexFolder({ home, env }: PluginPlace): string {
  const { CODEX_HOME: folder = "" } = env;
  return folder === "" ? path.join(home, ".codex") : folder;
}

function hooksChange(place: PluginPlace): Change {
  const { node, hook, limits, state } = place;
  const words = [node, hook, "codex", ...hookWords(limits), `--state=${state}`];
  const command = hookLine(words);
  const run = (timeout: number): unknown => ({ hooks: [{ type: "command", command, timeout }] });
  return {
    type: "json",
    path: path.join(codexFolder(place), "hooks.json"),
    entries: [
      { at: ["hooks", "PostToolUse"], value: run(20), how: "append" },
      { at: ["hooks", "SessionStart"], value: run(60), how: "append" },
    ],
  };
}

function serverChange(place: PluginPlace): Change {
  // A basic string of TOML and a string of JSON with these characters are written alike.
  const text = JSON.stringify;
  const args = [place.cli, "mcp"].map((word) => text(word)).join(", ");
  return {
    type: "block",
    path: path.join(codexFolder(place), "config.toml"),
    unless: /^\s*(?:\[\s*mcp_servers\s*\.\s*"?longhaul"?\s*[\].]|mcp_servers\s*=)/m,
    text: [
      "[mcp_servers.longhaul]",
      `command = ${text(place.node)}`,
      `args = [${args}]`,
      // Codex hands its servers few variables; they must look where the hooks have put it.
      `env = { LONGHAUL_HOME = ${text(place.state)} }`,
    ].join("\n"),
  };
}
