/** LangChain and deepagents. */
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { createSummarizationMiddleware } from "deepagents";
import { ClearToolUsesEdit, summarizationMiddleware } from "langchain";
import {
  type Message,
  messageText,
  resultText,
  type ToolCallPart,
} from "../../../src/core/message/index.ts";
import { contextBudget } from "../../../src/core/overflow/index.ts";
import type { Kept } from "../../../src/simulate/index.ts";
import { answerAt, type Contestant, type Past, STUB, userMessage } from "../contestants.ts";
import { tokensOf } from "../segments.ts";
import { largest } from "./largest.ts";

// Messages carry their index as id, so that the kept ones are known again.

function toLangChain(messages: readonly Message[]): BaseMessage[] {
  return messages.map((message, index) => {
    const id = String(index);
    const content = messageText(message);
    if (message.role === "system") return new SystemMessage({ id, content });
    if (message.role === "user") return new HumanMessage({ id, content });
    if (message.role === "assistant") {
      const calls = message.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
      const tool_calls = calls.map(({ toolCallId, toolName, input }) => {
        const args = typeof input === "object" && input !== null ? { ...input } : { input };
        return { id: toolCallId, name: toolName, args };
      });
      return new AIMessage({ id, content, tool_calls });
    }
    return toolMessage(message, id);
  });
}

function toolMessage(message: Message, id: string): ToolMessage {
  const result = message.parts.find((part) => part.type === "tool-result");
  if (result?.type !== "tool-result") throw new Error("A tool message holds no result.");
  const { toolCallId, toolName } = result;
  return new ToolMessage({
    id,
    content: resultText(result),
    tool_call_id: toolCallId,
    name: toolName,
  });
}

function fromLangChain(kept: readonly BaseMessage[], past: readonly Message[]): readonly Message[] {
  const results = past.filter(({ role }) => role === "tool");
  const ofCall = new Map(results.map((message) => [callOf(message), message]));
  return kept.map((native) => {
    // A cleared result is a new message without the id of the old one.
    const message =
      native instanceof ToolMessage ? ofCall.get(native.tool_call_id) : past[Number(native.id)];
    if (message === undefined) return userMessage(native.text);
    const [part] = message.parts;
    const text = native.text;
    if (part?.type !== "tool-result" || resultText(part) === text) return message;
    return { ...message, parts: [{ ...part, output: [{ type: "text", text }] }] };
  });
}

function callOf(message: Message): string {
  const [part] = message.parts;
  return part?.type === "tool-result" ? part.toolCallId : "";
}

/** Tool messages with several results are made one each: LangChain has no other. */
export function oneResultEach(past: readonly Message[]): readonly Message[] {
  return past.flatMap((message) =>
    message.role === "tool"
      ? message.parts.map((part) => ({ ...message, parts: [part] }))
      : [message],
  );
}

async function trimmed(past: readonly Message[], tokens: number): Promise<Kept | undefined> {
  const single = oneResultEach(past);
  const kept = await trimMessages(toLangChain(single), {
    maxTokens: tokens,
    tokenCounter: (list) => tokensOf(fromLangChain(list, single)),
    strategy: "last",
  });
  return kept.length === 0 ? undefined : { messages: fromLangChain(kept, single) };
}

async function cleared(past: readonly Message[], keep: number): Promise<readonly Message[]> {
  const single = oneResultEach(past);
  const messages = toLangChain(single);
  const edit = new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: keep } });
  // What is kept is told in messages, so any count above the trigger will do.
  const countTokens = (): number => 2;
  const model = {} as Parameters<typeof edit.apply>[0]["model"];
  await edit.apply({ messages, model, countTokens });
  return fromLangChain(messages, single);
}

/** Before a model: the list is replaced by a summary and the newest messages. */
async function summarized(
  { past, summary }: Pick<Past, "past" | "summary">,
  keep: number,
): Promise<readonly Message[] | undefined> {
  const single = oneResultEach(past);
  const model = new FakeListChatModel({ responses: [answerAt({ summary })] });
  const middleware = summarizationMiddleware({
    model,
    trigger: { tokens: 1 },
    keep: { messages: keep },
  } as never);
  const { beforeModel } = middleware as unknown as {
    readonly beforeModel: (state: object, runtime: object) => Promise<{ messages?: BaseMessage[] }>;
  };
  const update = await beforeModel({ messages: toLangChain(single) }, { context: {} });
  // The first message of an update removes all others.
  return update?.messages && fromLangChain(update.messages.slice(1), single);
}

const HISTORY = /\/conversation_history\/([\w-]+)\.md/g;

/** The files of one session; a past that names none begins another one. */
const files = new Map<string, string>();

const BACKEND = {
  write: async (path: string, content: string): Promise<object> => {
    files.set(path, content);
    return { path };
  },
  downloadFiles: async (paths: readonly string[]): Promise<object> =>
    paths.map((path) => ({ path, content: bytesOf(files.get(path)) })),
  uploadFiles: async (uploads: readonly (readonly [string, Uint8Array])[]): Promise<object> =>
    uploads.map(([path, bytes]) => {
      files.set(path, new TextDecoder().decode(bytes));
      return { path, error: null };
    }),
};

function bytesOf(content: string | undefined): Uint8Array | null {
  return content === undefined ? null : new TextEncoder().encode(content);
}

/** Around a model: what it is sent, and the history that was written to a file. */
async function offloaded(
  { past, window, summary }: Omit<Past, "segment">,
  keep: { readonly type: "fraction" | "tokens"; readonly value: number },
): Promise<Kept | undefined> {
  const single = oneResultEach(past);
  const [earlier] = past
    .slice(0, 2)
    .flatMap((message) => [...messageText(message).matchAll(HISTORY)]);
  if (earlier === undefined) files.clear();
  const model = new FakeListChatModel({ responses: [answerAt({ summary })] });
  Object.defineProperty(model, "profile", { value: { maxInputTokens: window } });
  const options = { model, backend: BACKEND, trigger: { type: "tokens", value: 1 }, keep };
  const middleware = createSummarizationMiddleware(options as never) as unknown as {
    readonly wrapModelCall: (request: object, handler: Handler) => Promise<unknown>;
  };
  let sent: readonly BaseMessage[] = [];
  const state = { _summarizationSessionId: earlier?.[1] ?? "bench" };
  const messages = toLangChain(single);
  await middleware.wrapModelCall({ messages, state, tools: [] }, async (request) => {
    sent = request.messages;
    return new AIMessage(STUB);
  });
  if (sent.length === messages.length) return undefined;
  const known = new Map(files);
  return {
    messages: fromLangChain(sent, single),
    handlesIn: (text) => (text.match(HISTORY) ?? []).map((path) => `head_${path}`),
    read: (handle) => known.get(handle.slice("head_".length)),
  };
}

type Handler = (request: { readonly messages: readonly BaseMessage[] }) => Promise<AIMessage>;

export const LANGCHAIN: readonly Contestant[] = [
  {
    name: "LangChain 1.2.13 trimMessages",
    does: "the newest messages within usable, counted exactly",
    byDefault: ({ past, window }) => trimmed(past, contextBudget({ window }).usable),
    within: ({ past }, tokens) => trimmed(past, tokens),
  },
  {
    name: "LangChain 1.5.10 ClearToolUsesEdit",
    does: "the edit of contextEditingMiddleware, and a port of what Anthropic calls clear_tool_uses: clears the outputs of all but the last N tool uses; 3 by default",
    byDefault: async ({ past }) => ({ messages: await cleared(past, 3) }),
    within: ({ past }, tokens) => largest(past.length, tokens, (keep) => cleared(past, keep)),
  },
  {
    name: "LangChain 1.5.10 summarizationMiddleware (stub)",
    asksModel: true,
    does: "the newest messages behind a stub in place of its model's summary; keeps 20 messages by default",
    byDefault: async (past) => {
      const messages = await summarized(past, 20);
      return messages && { messages };
    },
    within: ({ past }, tokens) =>
      largest(past.length, tokens, (keep) => summarized({ past }, keep)),
  },
  {
    name: "deepagents 1.14.1 (stub)",
    asksModel: true,
    does: "createSummarizationMiddleware: the newest messages, a tenth of the window by default, behind a stub in place of its model's summary and the path of a file with the history",
    byDefault: (past) => offloaded(past, { type: "fraction", value: 0.1 }),
    within: async ({ past, window }, tokens) => {
      // It counts four characters a token, so its own number is searched.
      let best: Kept | undefined;
      await largest(tokens * 2, tokens, async (value) => {
        const kept = await offloaded({ past, window }, { type: "tokens", value });
        if (kept !== undefined && tokensOf(kept.messages) <= tokens) best = kept;
        return kept?.messages;
      });
      return best;
    },
  },
];
