import { readFileSync } from "node:fs";
import pino from "pino";
import { expect, test } from "vitest";
import { type Context, createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { createInstruments } from "../../src/telemetry/telemetry.ts";
import { telemetry } from "../../src/telemetry/index.ts";

const page = readFileSync("docs/telemetry.md", "utf8");
const examples = [...page.matchAll(/```ts\n([^]*?)```/g)].map((match) => match[1]!);

const history: Message[] = Array.from({ length: 40 }, (_, n) => [
  { role: "user" as const, parts: [{ type: "text" as const, text: `Question ${n}.` }] },
  {
    role: "assistant" as const,
    parts: [{ type: "text" as const, text: `Answer ${n}. ${"It is all right. ".repeat(1_800)}` }],
  },
]).flat();

/** Runs an example as the page shows it, and gives back its context. */
function run(code: string, scope: object): Context {
  const body = code.replace(/^import .*$/gm, "");
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const made = new Function(...Object.keys(scope), `${body}; return context;`) as (
    ...values: unknown[]
  ) => Context;
  return made(...Object.values(scope));
}

test("the plugin with pino logs every event", async () => {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line) };
  const context = run(examples[0]!, { createContext, pino: () => pino({}, sink) });
  await context.prepare(history);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "edited",
    "prepared",
  ]);
});

test("the plugin with OpenTelemetry runs without a provider", async () => {
  const context = run(examples[1]!, { createContext, telemetry });
  expect((await context.prepare(history)).report.action).toBe("compact");
});

test("the page names every metric", () => {
  const names: string[] = [];
  const make = (name: string): object => ({ name: names.push(name) });
  createInstruments({ createCounter: make, createHistogram: make } as never);
  for (const name of names) expect(page).toContain(`\`${name}\``);
});
