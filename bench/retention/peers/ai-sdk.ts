/** AI SDK and ContextChef: both take lists of the AI SDK. */
import { compactModelMessages, withContextChef } from "@context-chef/ai-sdk-middleware";
import { InMemoryBackend } from "@context-chef/core";
import { type ModelMessage, pruneMessages } from "ai";
import { type Message } from "../../../src/core/message/index.ts";
import { aiSdk } from "../../../src/dialects/index.ts";
import type { Kept } from "../../../src/simulate/index.ts";
import { answerAt, type Contestant, type Past, STUB } from "../contestants.ts";
import { largest } from "./largest.ts";

export function toAiSdk(messages: readonly Message[]): ModelMessage[] {
  return [...(aiSdk.encode(messages) as readonly ModelMessage[])];
}

export function fromAiSdk(messages: readonly ModelMessage[]): readonly Message[] {
  return aiSdk.decode(messages as Parameters<typeof aiSdk.decode>[0]);
}

function prunedByAiSdk(past: readonly Message[], keep: number): readonly Message[] {
  const toolCalls = `before-last-${keep}-messages` as const;
  const messages = toAiSdk(past);
  return fromAiSdk(
    pruneMessages({ messages, reasoning: "all", toolCalls, emptyMessages: "remove" }),
  );
}

/** A model of the AI SDK that answers with a text, and shows what it was sent. */
function stubModel(
  text: string = STUB,
  seen: (prompt: readonly unknown[]) => void = () => undefined,
): object {
  return {
    specificationVersion: "v3",
    provider: "stub",
    modelId: "stub",
    supportedUrls: {},
    doGenerate: async ({ prompt }: { readonly prompt: readonly unknown[] }) => {
      seen(prompt);
      return {
        content: [{ type: "text", text }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  };
}

async function compactedByChef(
  { past, summary }: Pick<Past, "past" | "summary">,
  keepRecentTurns: number,
): Promise<readonly Message[] | undefined> {
  const model = stubModel(answerAt({ summary })) as Parameters<typeof compactModelMessages>[1];
  const messages = toAiSdk(past);
  const kept = await compactModelMessages(messages, model, { keepRecentTurns });
  return kept === messages ? undefined : fromAiSdk(kept);
}

const SCHEME = "context://vfs/";
const URI = /context:\/\/vfs\/[\w.-]+/g;

let backend = new InMemoryBackend();

/** The middleware before a model that shows what it is sent; its README's truncation, with a store. */
async function truncatedByChef(past: readonly Message[], contextWindow: number): Promise<Kept> {
  // A past with addresses is one that was edited before: what they name is still there.
  if (JSON.stringify(past).match(URI) === null) backend = new InMemoryBackend();
  let prompt: readonly unknown[] = [];
  type Wrapped = Parameters<typeof withContextChef>[0];
  const model = stubModel(STUB, (sent) => (prompt = sent)) as Wrapped;
  const wrapped = withContextChef(model, {
    contextWindow,
    truncate: { threshold: 5_000, headChars: 500, tailChars: 1_000, store: backend },
  });
  await wrapped.doGenerate({ prompt: promptOf(past) } as never);
  const messages = fromAiSdk(prompt as readonly ModelMessage[]);
  const known = new Map<string, string>();
  for (const uri of JSON.stringify(prompt).match(URI) ?? []) {
    const entry = backend.read("vfs", uri.slice(SCHEME.length));
    if (entry !== null) known.set(uri, entry.content);
  }
  return {
    messages,
    handlesIn: (text) => text.match(URI) ?? [],
    read: (uri) => known.get(uri),
  };
}

/** What a model gets: contents are lists. */
export function promptOf(messages: readonly Message[]): readonly ModelMessage[] {
  return toAiSdk(messages).map((message) =>
    message.role !== "system" && typeof message.content === "string"
      ? ({ ...message, content: [{ type: "text", text: message.content }] } as ModelMessage)
      : message,
  );
}

export const AI_SDK: readonly Contestant[] = [
  {
    name: "AI SDK 6.0.326 pruneMessages",
    does: "reasoning all, tool calls before the last N messages, empty messages removed; by default N is 3, as in its documentation",
    byDefault: async ({ past }) => ({ messages: prunedByAiSdk(past, 3) }),
    within: ({ past }, tokens) =>
      largest(past.length, tokens, async (keep) => prunedByAiSdk(past, keep)),
  },
  {
    name: "ContextChef 3.1.1 durable (stub)",
    asksModel: true,
    does: "compactModelMessages with a stub in place of its model's summary; keeps 4 turns by default",
    byDefault: async (past) => {
      const messages = await compactedByChef(past, 4);
      return messages && { messages };
    },
    within: ({ past }, tokens) =>
      largest(past.length, tokens, (turns) => compactedByChef({ past }, turns)),
  },
  {
    name: "ContextChef 3.1.1 middleware",
    does: "withContextChef as in its README: outputs of more than 5,000 characters keep 500 at the start and 1,000 at the end, with a store; it compresses only by what a provider reported, so never here",
    byDefault: ({ past, window }) => truncatedByChef(past, window),
  },
];
