import type { AgentPlugin } from "./plugin.ts";

/** The agents that there is a plugin for, by the names of their sessions' formats. */
const PLUGINS = {
  "claude-code": async () => (await import("./claude-code/plugin.ts")).claudeCodePlugin,
  codex: async () => (await import("./codex/plugin.ts")).codexPlugin,
  opencode: async () => (await import("./opencode/plugin.ts")).opencodePlugin,
  pi: async () => (await import("./pi/plugin.ts")).piPlugin,
} as const satisfies Readonly<Record<string, () => Promise<AgentPlugin>>>;

export type PluginAgent = keyof typeof PLUGINS;

/** All of them. */
export const PLUGIN_AGENTS = Object.keys(PLUGINS) as readonly PluginAgent[];

/** Loads what makes the plugin of an agent. */
export function agentPlugin(agent: PluginAgent): Promise<AgentPlugin> {
  return PLUGINS[agent]();
}
