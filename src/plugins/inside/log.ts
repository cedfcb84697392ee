import { logPluginFailure } from "../failure-log.ts";

/** Writes lines to `plugins.log` of the state folder; where that cannot be, nobody can be told. */
export function createLog(
  env: Readonly<Record<string, string | undefined>>,
  agent: string,
): (what: unknown) => void {
  return (what) => {
    try {
      logPluginFailure(env, agent, what);
    } catch {
      // A full disk, or a folder of somebody else: the agent must not stop for it.
    }
  };
}
