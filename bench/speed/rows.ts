/** What is measured: one row for each library and way of using it. */
import type { ModelMessage } from "ai";
import { built } from "./built.ts";
import type { Entry } from "./history.ts";

/** One way to compact. */
export interface Row {
  readonly name: string;
  /** What one run does, precisely. */
  readonly does: string;
  /** `compacts`: what leaves is summarized. `prunes`: it is dropped. */
  readonly kind: "ours" | "compacts" | "prunes";
  /** Loads the library and returns a function that makes one run's input ready, untimed. */
  readonly load: (entries: readonly Entry[]) => Promise<() => Promise<Run>>;
}

/** One run, timed. Returns how many messages (or characters to summarize) came out, for a check. */
export type Run = () => unknown;

/** The tokens that every library may keep. */
export const KEPT_TOKENS = 32_000;

const SUMMARY = "Goal: make the account batch handle a missing cursor.";

/** A model of the AI SDK that answers at once. */
export function fakeModel(): object {
  return {
    specificationVersion: "v3",
    provider: "fake",
    modelId: "fake",
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: "text", text: SUMMARY }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  };
}

/** LangChain leaves counting to the caller: four characters a token, over what is sent. */
export function langChainTokens(
  messages: readonly { readonly content: unknown; readonly tool_calls?: unknown }[],
): number {
  let units = 0;
  for (const { content, tool_calls: calls } of messages) {
    units += typeof content === "string" ? content.length : JSON.stringify(content).length;
    if (Array.isArray(calls) && calls.length > 0) units += JSON.stringify(calls).length;
  }
  return Math.ceil(units / 4);
}

/** An edit of a list that the context has followed up to its last messages. */
async function runningAgent(
  entries: readonly Entry[],
  place: "memory" | "disk",
  pruneOnly = false,
): ReturnType<Row["load"]> {
  const { createContext, memoryArchive } = await built("index.js");
  const { neutralMessage, toMessages } = await import("./history.ts");
  return async () => {
    const archive = place === "memory" ? memoryArchive() : undefined;
    // The history fills it by about 80 %, so that the context follows it and has no need to edit.
    const context = createContext({ window: entries.length * 500 + 20_000, archive });
    const messages = toMessages(entries, neutralMessage);
    const { report } = await context.prepare(messages.slice(0, -3));
    if (report.action !== "none") throw new Error("Not as intended.");
    return async () => {
      const edited = await context.prepare(messages, { force: true, pruneOnly });
      if (edited.report.action !== (pruneOnly ? "prune" : "compact"))
        throw new Error("Not as intended.");
      return edited;
    };
  };
}

export const ROWS: readonly Row[] = [
  {
    name: "longhaul, running agent, archive in memory",
    does: "prepare() with force: true in a window that is more than half full, after an earlier prepare() of all but the last three messages has counted them, read their facts and written their lines; summarizes from the ledger, the whole head goes to memoryArchive()",
    kind: "ours",
    load: (entries) => runningAgent(entries, "memory"),
  },
  {
    name: "longhaul, running agent, archive on disk",
    does: "the same, the head to the folder of the process, synced",
    kind: "ours",
    load: (entries) => runningAgent(entries, "disk"),
  },
  {
    name: "longhaul prunes only, archive in memory",
    does: "the same agent with pruneOnly: true: old outputs become placeholders until the context is at its target; each output goes to memoryArchive()",
    kind: "ours",
    load: (entries) => runningAgent(entries, "memory", true),
  },
  {
    name: "longhaul prunes only, archive on disk",
    does: "the same, each output to a file of its own, synced",
    kind: "ours",
    load: (entries) => runningAgent(entries, "disk", true),
  },
  {
    name: "longhaul, new messages, archive on disk",
    does: "createContext() with 32,000 usable tokens and its first prepare(), with force: true: counts everything, too",
    kind: "ours",
    load: async (entries) => {
      const { createContext } = await built("index.js");
      const { neutralMessage, toMessages } = await import("./history.ts");
      return async () => {
        const context = createContext({ window: KEPT_TOKENS + 20_000, reserved: 20_000 });
        const messages = toMessages(entries, neutralMessage);
        return () => context.prepare(messages, { force: true });
      };
    },
  },
  {
    name: "pi 0.74.2",
    does: "prepareCompaction (keep 32,000 tokens, counted as characters / 4) and the text for the summarizing model (tool results cut to 2,000 characters); no model, no archive",
    kind: "compacts",
    load: async (entries) => {
      const { loadPi } = await import("./pi.ts");
      const { piEntry } = await import("./formats.ts");
      const { toMessages } = await import("./history.ts");
      const pi = await loadPi();
      const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: KEPT_TOKENS };
      return async () => {
        const session = toMessages(entries, piEntry);
        return () => {
          const prepared = pi.prepareCompaction(session, settings);
          if (prepared === undefined) throw new Error("pi found nothing to compact.");
          const head = [...prepared.messagesToSummarize, ...prepared.turnPrefixMessages];
          return Buffer.byteLength(pi.serializeConversation(pi.convertToLlm(head)));
        };
      };
    },
  },
  {
    name: "ContextChef 3.1.1 compactModelMessages",
    does: "keeps 20 turns, flattens the rest for a fake AI SDK model that answers at once, puts its summary in front; no archive",
    kind: "compacts",
    load: async (entries) => {
      const { compactModelMessages } = await import("@context-chef/ai-sdk-middleware");
      const { aiSdkMessage } = await import("./formats.ts");
      const { toMessages } = await import("./history.ts");
      const model = fakeModel() as Parameters<typeof compactModelMessages>[1];
      return async () => {
        const messages: ModelMessage[] = toMessages(entries, aiSdkMessage);
        return async () => {
          const kept = await compactModelMessages(messages, model, { keepRecentTurns: 20 });
          if (kept === messages) throw new Error("ContextChef found nothing to compact.");
          return kept.length;
        };
      };
    },
  },
  {
    name: "AI SDK 6.0.326 pruneMessages",
    does: "removes the tool calls and results before the last 20 messages; counts no tokens, keeps all texts, no summary",
    kind: "prunes",
    load: async (entries) => {
      const { pruneMessages } = await import("ai");
      const { aiSdkMessage } = await import("./formats.ts");
      const { toMessages } = await import("./history.ts");
      return async () => {
        const messages: ModelMessage[] = toMessages(entries, aiSdkMessage);
        return () =>
          pruneMessages({
            messages,
            reasoning: "all",
            toolCalls: "before-last-20-messages",
            emptyMessages: "remove",
          }).length;
      };
    },
  },
  {
    name: "LangChain 1.2.13 trimMessages",
    does: "drops the oldest messages until 32,000 tokens are left (counter: characters / 4), starting at a human message; no summary",
    kind: "prunes",
    load: async (entries) => {
      const { trimMessages } = await import("@langchain/core/messages");
      const { langChainMessage } = await import("./formats.ts");
      const { toMessages } = await import("./history.ts");
      return async () => {
        const messages = toMessages(entries, langChainMessage);
        return async () => {
          const kept = await trimMessages(messages, {
            maxTokens: KEPT_TOKENS,
            tokenCounter: langChainTokens,
            strategy: "last",
            startOn: "human",
          });
          return kept.length;
        };
      };
    },
  },
];
