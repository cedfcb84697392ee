import { fieldsOf } from "../core/text/json.ts";
import type { Settings } from "../settings/settings.ts";
import { logPluginFailure } from "./failure-log.ts";
import { type AgentHookEvent, hookLimits, hookOption } from "./hook-options.ts";

/** An event of an agent, as its hook gets it. */
export interface HookEvent {
  /** The event that stood on stdin. */
  readonly event: unknown;
  /** Words behind the agent's name on the hook's command line. */
  readonly options: readonly string[];
  readonly env: AgentHookEvent["env"];
}

/** Answers an event; `undefined`: there is nothing to say. May reject: then nothing is said either. */
export type AnswerHook = (event: AgentHookEvent) => Promise<string | undefined>;

/** The answers to the hooks of each agent. */
const HOOKS: Readonly<Record<string, () => Promise<AnswerHook>>> = {
  "claude-code": async () => (await import("./claude-code/hooks.ts")).answerClaudeCode,
  codex: async () => (await import("./codex/hooks.ts")).answerCodex,
  "claude-code-status": async () => (await import("./claude-code/status-line.ts")).statusLine,
};

/** The text that a hook's process prints, if any. Rejects where the event or its handling is broken. */
export async function hookAnswer(
  agent: string,
  { event, options, env }: HookEvent,
): Promise<string | undefined> {
  const load = Object.hasOwn(HOOKS, agent) ? HOOKS[agent] : undefined;
  if (load === undefined) throw new TypeError(`There are no hooks for ${agent || "nobody"}.`);
  const { LONGHAUL_HOME: home } = env;
  const world = { ...env, LONGHAUL_HOME: hookOption(options, "state") ?? home };
  const fields = fieldsOf(event);
  const { cwd = process.cwd() } = fields;
  const settings = async (): Promise<Settings> => {
    const { pluginSettings } = await import("./plugin-settings.ts");
    return pluginSettings({ env: world, cwd: String(cwd) }, (why) =>
      logPluginFailure(world, agent, why),
    );
  };
  return (await load())({ event: fields, limits: hookLimits(options), env: world, settings });
}
