import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { longhaulHome } from "../archive/home.ts";
import { errorMessage } from "../core/error.ts";

/** One older log is kept beside it. */
const MOST_BYTES = 1_000_000;

/** Writes down why a plugin had nothing to say, in `plugins.log` of the state folder. */
export function logPluginFailure(
  env: Readonly<Record<string, string | undefined>>,
  agent: string,
  error: unknown,
): void {
  const folder = longhaulHome(env);
  const file = path.join(folder, "plugins.log");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > MOST_BYTES) renameSync(file, `${file}.old`);
  const line = `${new Date().toISOString()} ${agent}: ${errorMessage(error).replace(/\s*\n\s*/g, " ")}\n`;
  appendFileSync(file, line, { mode: 0o600 });
}
