import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentPlugin, PluginPlace } from "../plugin.ts";

/** opencode loads what stands in the list `plugin` of its configuration. */
export const opencodePlugin: AgentPlugin = {
  title: "opencode",
  takesFolder: false,
  takesProject: true,
  where: configFile,
  changes: (place) => [
    {
      type: "json",
      path: configFile(place),
      entries: [{ at: ["plugin"], value: entry(place), how: "append" }],
    },
  ],
  next: () => ["opencode loads it with its next start; /window shows what fills the window."],
};

/** The one that is there, else the usual one. */
function configFile({ home, env, project }: PluginPlace): string {
  const { XDG_CONFIG_HOME: config = path.join(home, ".config") } = env;
  const folder = project ?? path.join(config, "opencode");
  const files = ["opencode.jsonc", "opencode.json"].map((name) => path.join(folder, name));
  return files.find((file) => existsSync(file)) ?? path.join(folder, "opencode.json");
}

function entry({ built, limits }: PluginPlace): unknown {
  const door = pathToFileURL(path.join(built, "plugins", "opencode", "index.js")).href;
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return given.length === 0 ? door : [door, Object.fromEntries(given)];
}
