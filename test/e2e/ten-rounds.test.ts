import { describe, expect, it } from "vitest";
import { fairSummary } from "../../bench/quality/scripted-model.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { type Context, type ContextReport, createContext } from "../../src/context/index.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { estimateTokens } from "../../src/core/tokens/estimate-tokens.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { anthropicSummarizer } from "../../src/models/index.ts";
import { assistant, call, calling, result, results, step, user, words } from "../build-messages.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Reply, RequestView } from "../provider/index.ts";
import { sample } from "../property/runs.ts";
import { rulesOf } from "../rules-of.ts";

/**
 * One conversation that a model summarizes ten times: the summary keeps its size, and what was said
 * and done in the first round is still there, or behind a handle that the context names.
 */

const ROUNDS = 10;
const WINDOW = 24_000;
const CAP = contextBudget({ window: WINDOW }).summary;
/** What the frame around a summary costs at the most. */
const FRAME = 120;
const DIALECTS = [anthropic, openaiChat] as readonly Dialect[];

/** What is said and done in a round, with a trace of each that nothing else has. */
interface Traces {
  readonly rule: string;
  readonly file: string;
  readonly command: string;
  readonly error: string;
  readonly output: string;
  readonly todo: string;
}

function tracesOf(round: number): Traces {
  return {
    rule: `In part ${round}, keep the column quince-${round} as it is.`,
    file: `src/quince-${round}/table.ts`,
    command: `npm run quince-${round}`,
    error: `quince-${round}: no such column`,
    output: `the secret of round ${round} is medlar-${round * 7919}`,
    todo: `document quince-${round}`,
  };
}

function messagesOf(round: number): Message[] {
  const { rule, file, command, error, output, todo } = tracesOf(round);
  const failing = calling(call(`f${round}`, "bash", { command: `psql quince-${round}` }));
  const todos = { todos: [{ content: todo, status: "pending" }] };
  const thoughts = Array.from({ length: 30 }, (_, n) => [
    assistant(words(400, `thought ${round}.${n}`)),
    ...step(`r${round}x${n}`, "bash", { command: `echo ${round} ${n}` }, "done"),
  ]);
  return [
    user(rule),
    ...step(`w${round}`, "write", { path: file, content: `// ${round}` }, "written"),
    ...step(`c${round}`, "bash", { command }, output),
    failing,
    results(result(`f${round}`, "bash", error, true)),
    ...step(`t${round}`, "todowrite", todos, "ok"),
    ...thoughts.flat(),
  ];
}

/** Everything that the context says, and all that its handles and theirs give back. */
async function reachable(context: Context, messages: readonly Message[]): Promise<string> {
  const texts = [JSON.stringify(messages.map(({ source: _, ...message }) => message))];
  const seen = new Set<string>();
  for (let at = 0; at < texts.length; at++) {
    for (const [handle] of texts[at]!.matchAll(/\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g)) {
      if (seen.has(handle)) continue;
      seen.add(handle);
      texts.push(await context.recall(handle));
    }
  }
  return texts.join("\n");
}

const MODELS: readonly (readonly [string, (view: RequestView, turn: number) => Reply])[] = [
  ["that is fair", ({ lastUserText }) => fairSummary(lastUserText)],
  ["that forgets everything", () => fairSummary("")],
  [
    "that fails every other time",
    ({ lastUserText }, turn) =>
      turn % 3 === 2 ? fairSummary(lastUserText) : { misbehave: "answers-chat" },
  ],
];

describe.each(MODELS)("ten rounds by a model %s", (_, reply) => {
  it.each(sample(DIALECTS, 1).map((dialect) => [dialect.name, dialect] as const))(
    "%s",
    async (__, dialect) => {
      const script = (view: RequestView, { turn }: { readonly turn: number }): Reply =>
        reply(view, turn);
      const upstream = await upstreamForTest({ script, window: WINDOW });
      const context = createContext({
        window: WINDOW,
        traits: dialect.traits,
        archive: memoryArchive(),
        summarizeAhead: false,
        summarizer: anthropicSummarizer({
          model: "scripted",
          baseURL: upstream.url,
          apiKey: "key",
          env: {},
          window: WINDOW,
        }),
      });
      const history: Message[] = [];
      const reports: ContextReport[] = [];
      let messages: readonly Message[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        history.push(...messagesOf(round));
        const prepared = await context.prepare(history);
        ({ messages } = prepared);
        reports.push(prepared.report);
        const summaries = messages.filter(({ kind }) => kind === "summary");
        expect(summaries).toHaveLength(1);
        expect(estimateTokens(messageText(summaries[0]!))).toBeLessThanOrEqual(CAP + FRAME);
        expect(checkMessages(messages)).toEqual([]);
        expect(dialect.check(dialect.encode(messages))).toEqual([]);
      }
      expect(reports.map(({ action }) => action)).toEqual(Array(ROUNDS).fill("compact"));
      expect(upstream.refusals).toEqual([]);
      const all = await reachable(context, messages);
      for (let round = 1; round <= ROUNDS; round++) {
        for (const trace of Object.values(tracesOf(round))) expect(all).toContain(trace);
      }
      const rules = await rulesOf(context);
      for (let round = 1; round <= ROUNDS; round++) expect(rules).toContain(tracesOf(round).rule);
    },
  );
});
