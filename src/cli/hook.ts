import * as modules from "node:module";

/*
 * The program that the hooks of a plugin start: `hook.js AGENT [OPTION…]`, the event as JSON on stdin. An agent
 * waits for it after every tool call, so nothing is loaded before an event needs it. The agent must
 * never be worse off for it: whatever fails here is a line in a log file, and the answer is none.
 */

/** Reads the event, and answers it. */
async function answerEvent([agent = "", ...options]: readonly string[]): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  const { hookAnswer } = await import("../plugins/hooks.ts");
  const event: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  const answer = await hookAnswer(agent, { event, options, env: process.env });
  if (answer !== undefined) process.stdout.write(answer);
}

async function logFailure(error: unknown): Promise<void> {
  try {
    const { logPluginFailure } = await import("../plugins/failure-log.ts");
    logPluginFailure(process.env, process.argv[2] ?? "", error);
  } catch {
    // Nobody is left to tell.
  }
}

async function giveUp(error: unknown): Promise<void> {
  await logFailure(error);
  process.exit(0);
}

process.stdout.on("error", () => process.exit(0));
process.on("uncaughtException", (error) => void giveUp(error));
(modules as { enableCompileCache?: () => unknown }).enableCompileCache?.();
await answerEvent(process.argv.slice(2)).catch(logFailure);
