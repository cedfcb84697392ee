import { expect, it } from "vitest";
import { agentPlugin } from "../../src/plugins/agents.ts";
import type { PluginPlace } from "../../src/plugins/plugin.ts";

const NODE = "C:\\Program Files\\nodejs\\node.exe";
const BUILT = "C:\\Program Files\\nodejs\\node_modules\\longhaul\\dist";
const HOOK = `${BUILT}\\cli\\hook.js`;

/** As `longhaul plugin` hands it over there. */
const place: PluginPlace = {
  home: "C:\\Users\\Ann",
  env: {},
  built: BUILT,
  node: NODE,
  cli: `${BUILT}\\cli\\main.js`,
  hook: HOOK,
  state: "C:\\Users\\Ann\\long haul",
  limits: { maxBytes: 9_000 },
};

/** All command lines of a value. */
function commandsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    if (key === "content") return commandsIn(parsed(String(each)));
    return key === "command" && typeof each === "string" ? [each] : commandsIn(each);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

it.each(["claude-code", "codex"] as const)(
  "the hooks of %s on Windows hold quotes that its shells take, and no words of others",
  async (agent) => {
    const { changes } = await agentPlugin(agent);
    const commands = commandsIn(changes(place)).filter((line) => line.includes("hook.js"));
    expect(commands.length).toBeGreaterThan(1);
    for (const line of commands) {
      expect(line).toContain(`"${NODE}" "${HOOK}" ${agent}`);
      expect(line).not.toMatch(/'|\|\|/);
    }
    if (agent === "codex") expect(commands[0]).toContain(`"--state=${place.state}"`);
  },
);
