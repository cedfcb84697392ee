import { join, resolve } from "node:path";
import envPaths from "env-paths";

/**
 * The one directory that holds all state: `$LONGHAUL_HOME` if it is set (made absolute), else
 * `longhaul` in the platform's data directory. Nothing is created.
 */
export function longhaulHome(env: Readonly<Record<string, string | undefined>>): string {
  const { LONGHAUL_HOME: home = "" } = env;
  return home === "" ? envPaths("longhaul", { suffix: "" }).data : resolve(home);
}

/**
 * The place of what can be made again: `cache` in `$LONGHAUL_HOME`, else `longhaul` in the
 * platform's cache folder. Nothing is created.
 */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { LONGHAUL_HOME: home = "" } = env;
  if (home !== "") return join(resolve(home), "cache");
  return envPaths("longhaul", { suffix: "" }).cache;
}

/** The folder of the originals in that directory. */
export function archiveFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(longhaulHome(env), "archive");
}

/** The folder for results of commands, unless a person names one; it is made with the first. */
export function resultsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(longhaulHome(env), "results");
}

/**
 * The conversation of outputs that belong to none, because a person or a shell asked for them: one for
 * each day (UTC), so that retention takes a day at a time.
 */
export function outputsOfToday(): string {
  return `outputs-${new Date().toISOString().slice(0, 10)}`;
}
