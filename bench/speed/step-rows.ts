/** A step in which there is nothing to do: one new pair of messages, and room for all of it. */
import type { Message } from "../../src/index.ts";
import { built } from "./built.ts";
import { aiSdkMessage, langChainMessage, piEntry } from "./formats.ts";
import { type Entry, neutralMessage, toMessages } from "./history.ts";
import { loadPi } from "./pi.ts";
import { langChainTokens } from "./rows.ts";

/** The step number `n`: adds its messages, untimed, and returns what is timed. */
export type Step = (n: number) => () => unknown;

export interface StepRow {
  readonly name: string;
  readonly does: string;
  readonly isOurs: boolean;
  /** Makes everything ready for steps after this history; `added` are the steps' messages. */
  readonly load: (history: readonly Entry[], added: readonly Entry[]) => Promise<Step>;
}

/** So many tokens that there is always room. */
const ENDLESS = 1_000_000_000;
/** Entries that one step adds: a call and its result. */
export const STEP_ENTRIES = 2;

const stepOf = <T>(added: readonly T[], n: number): readonly T[] =>
  added.slice(n * STEP_ENTRIES, (n + 1) * STEP_ENTRIES);

/** The library of this repository; `isCompacted`: an edit of most of the history came before. */
function ours(
  isCompacted: boolean,
  habit: "whole history" | "list returned last",
): StepRow["load"] {
  return async (history, added) => {
    const { createContext } = await built("index.js");
    const context = createContext({ window: ENDLESS });
    const more = toMessages(added, neutralMessage);
    let list: readonly Message[] = toMessages(history, neutralMessage);
    const first = await context.prepare(list, { force: isCompacted });
    if (isCompacted !== (first.report.action === "compact")) throw new Error("Not as intended.");
    if (habit === "list returned last") list = first.messages;
    // The caller's own array; only what the library does is timed.
    const grown = [...list];
    return (n) => {
      grown.push(...stepOf(more, n));
      return () => context.prepare(grown);
    };
  };
}

/** Steps of a function that only needs the grown list. */
function peer<T>(
  format: (entry: Entry, index: number) => T,
  load: () => Promise<(messages: T[]) => unknown>,
): StepRow["load"] {
  return async (history, added) => {
    const run = await load();
    const all = toMessages([...history, ...added], format);
    const grown = all.slice(0, history.length);
    const more = all.slice(history.length);
    return (n) => {
      grown.push(...stepOf(more, n));
      return () => run(grown);
    };
  };
}

export const STEP_ROWS: readonly StepRow[] = [
  {
    name: "longhaul",
    does: "prepare() with the whole history, nothing edited so far",
    isOurs: true,
    load: ours(false, "whole history"),
  },
  {
    name: "longhaul, compacted, whole history",
    does: "the same after a compaction: the journal projects the whole history onto a small view",
    isOurs: true,
    load: ours(true, "whole history"),
  },
  {
    name: "longhaul, compacted, list returned last",
    does: "the same, and the caller passes the list that prepare() returned last and what came since",
    isOurs: true,
    load: ours(true, "list returned last"),
  },
  {
    name: "pi 0.74.2",
    does: "shouldCompact(estimateContextTokens(messages)); without reported usage, as in all rows",
    isOurs: false,
    load: peer(
      (entry, index) => piEntry(entry, index).message,
      async () => {
        const pi = await loadPi();
        const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };
        return (messages) =>
          pi.shouldCompact(pi.estimateContextTokens(messages).tokens, ENDLESS, settings);
      },
    ),
  },
  {
    name: "ContextChef 3.1.1 middleware",
    does: "transformParams with a tokenizer (characters / 4) and compression that is not needed",
    isOurs: false,
    load: peer(aiSdkMessage, async () => {
      const { createMiddleware } = await import("@context-chef/ai-sdk-middleware");
      const { fakeModel } = await import("./rows.ts");
      type Options = Parameters<typeof createMiddleware>[0];
      const tokenizer: NonNullable<Options["tokenizer"]> = (messages) =>
        langChainTokens(messages as Parameters<typeof langChainTokens>[0]);
      const model = fakeModel() as NonNullable<Options["compress"]>["model"];
      const { transformParams } = createMiddleware({
        contextWindow: ENDLESS,
        tokenizer,
        compress: { model },
      });
      return (prompt) =>
        transformParams?.({ type: "generate", params: { prompt } } as unknown as Parameters<
          NonNullable<typeof transformParams>
        >[0]);
    }),
  },
  {
    name: "AI SDK 6.0.326 pruneMessages",
    does: "before-last-20-messages; it has no threshold, so it removes the same again in every step",
    isOurs: false,
    load: peer(aiSdkMessage, async () => {
      const { pruneMessages } = await import("ai");
      return (messages) => pruneMessages({ messages, toolCalls: "before-last-20-messages" });
    }),
  },
  {
    name: "LangChain 1.2.13 trimMessages",
    does: "a limit that is not reached, the caller's counter (characters / 4)",
    isOurs: false,
    load: peer(langChainMessage, async () => {
      const { trimMessages } = await import("@langchain/core/messages");
      return (messages) =>
        trimMessages(messages, {
          maxTokens: ENDLESS,
          tokenCounter: langChainTokens,
          strategy: "last",
        });
    }),
  },
];
