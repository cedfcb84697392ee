import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { SUMMARIZER_FORMS } from "../../src/models/by-name.ts";
import * as door from "../../src/models/index.ts";
import { startUpstream, type Upstream } from "../provider/index.ts";
import { runnable } from "./page-code.ts";

const page = readFileSync("docs/models.md", "utf8");
const examples = [...page.matchAll(/```ts\n([^]*?)```/g)].map((match) => match[1]!);

const running: Upstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((upstream) => upstream.close()));
});

/** A conversation that overflows any window of 200,000. */
const history: Message[] = Array.from({ length: 40 }, (_, n) => [
  { role: "user" as const, parts: [{ type: "text" as const, text: `Question ${n}.` }] },
  {
    role: "assistant" as const,
    parts: [
      { type: "text" as const, text: `Answer ${n}. ${"It is all right so far. ".repeat(1_200)}` },
    ],
  },
]).flat();

/** Runs an example as the page shows it, and gives back what it names. */
async function run(code: string, scope: object, result: string): Promise<unknown> {
  const body = runnable(code);
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const made = new Function(
    ...Object.keys(scope),
    `return (async () => { ${body}; return ${result}; })()`,
  ) as (...values: unknown[]) => Promise<unknown>;
  return made(...Object.values(scope));
}

const SUMMARY = SUMMARIZER_FORMS.join(" ");

test("the first example runs", async () => {
  const server = await startUpstream({ script: () => `## Goal\n${SUMMARY}` });
  running.push(server);
  const [code = ""] = examples;
  expect(code.match(/^import .*$/gm)).toEqual([
    'import { createContext } from "longhaul";',
    'import { anthropicSummarizer } from "longhaul/models";',
  ]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "k" };
  const scope = {
    createContext,
    history,
    anthropicSummarizer: (options: door.HttpSummarizerOptions) =>
      door.anthropicSummarizer({ ...options, env }),
  };
  expect(await run(code, scope, "report.summary")).toMatchObject({
    source: "model",
    usage: { input: server.totals.input },
  });
  expect(server.requests[0]!.view).toMatchObject({ model: "claude-haiku-4-5" });
});

test("the function runs", async () => {
  const code = examples.at(-1)!;
  const myModel = () => Promise.resolve({ text: `## Goal\n${SUMMARY}`, stopped: true });
  const summarizer = await run(code, { myModel }, "summarizer");
  const context = createContext({ window: 200_000, summarizer: summarizer as never });
  const { report } = await context.prepare(history);
  expect(report.summary).toMatchObject({ source: "model" });
  expect(report.summary!.calls[0]!.summarizer).toBe("summarizer");
});

test("the page names everything that the door has", () => {
  const values = Object.keys(door).filter((name) => name.endsWith("Summarizer"));
  expect(values).toHaveLength(3);
  for (const name of values) expect(page).toContain(name);
  for (const form of SUMMARIZER_FORMS.slice(1)) expect(page).toContain(`\`${form}\``);
});
