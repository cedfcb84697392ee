import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentPlugin, PluginPlace } from "../plugin.ts";

/** pi loads every file in its folder of extensions, so that no setting of the person is touched. */
export const piPlugin: AgentPlugin = {
  title: "pi",
  takesFolder: false,
  takesProject: true,
  where: extensionFile,
  changes: (place) => [{ type: "file", path: extensionFile(place), content: content(place) }],
  next: () => ["pi loads it with its next start; /window shows what fills the window."],
};

function extensionFile({ home, env, project }: PluginPlace): string {
  const { PI_CODING_AGENT_DIR: agent = path.join(home, ".pi", "agent") } = env;
  const folder = project === undefined ? agent : path.join(project, ".pi");
  return path.join(folder, "extensions", "longhaul.ts");
}

function content({ built, limits }: PluginPlace): string {
  const door = pathToFileURL(path.join(built, "plugins", "pi", "index.js")).href;
  return `// Written by longhaul plugin; longhaul plugin pi --remove takes it out.
import { longhaulPi } from ${JSON.stringify(door)};

const load = (pi) => longhaulPi(pi, ${JSON.stringify(limits)});
export { load as default };
`;
}
