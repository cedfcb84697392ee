/** The real code of others, on the same messages. */
import { ClearToolUsesEdit } from "langchain";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from "@langchain/core/messages";
import { compactModelMessages } from "@context-chef/ai-sdk-middleware";
import { type ModelMessage, pruneMessages } from "ai";
import {
  inputText,
  type Message,
  messageText,
  resultText,
  type ToolCallPart,
} from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { aiSdk } from "../../src/dialects/index.ts";
import type { PiEntry } from "../speed/formats.ts";
import { loadPi } from "../speed/pi.ts";
import { fakeModel } from "../speed/rows.ts";
import { type Contestant, STUB, userMessage } from "./contestants.ts";
import type { Result } from "./judge.ts";
import { tokensOf } from "./segments.ts";

/** The largest setting whose result fits, found by halving; `undefined` where even the least does not. */
async function largest(
  most: number,
  tokens: number,
  make: (setting: number) => Promise<readonly Message[] | undefined>,
): Promise<Result | undefined> {
  let best: readonly Message[] | undefined;
  let low = 1;
  let high = most;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const messages = await make(middle);
    if (messages !== undefined && tokensOf(messages) <= tokens) {
      best = messages;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best && { messages: best };
}

// AI SDK

function toAiSdk(messages: readonly Message[]): ModelMessage[] {
  return [...(aiSdk.encode(messages) as readonly ModelMessage[])];
}

function fromAiSdk(messages: readonly ModelMessage[]): readonly Message[] {
  return aiSdk.decode(messages as Parameters<typeof aiSdk.decode>[0]);
}

function prunedByAiSdk(past: readonly Message[], keep: number): readonly Message[] {
  const toolCalls = `before-last-${keep}-messages` as const;
  const messages = toAiSdk(past);
  return fromAiSdk(
    pruneMessages({ messages, reasoning: "all", toolCalls, emptyMessages: "remove" }),
  );
}

// ContextChef

async function compactedByChef(
  past: readonly Message[],
  keepRecentTurns: number,
): Promise<readonly Message[] | undefined> {
  const model = fakeModel() as Parameters<typeof compactModelMessages>[1];
  const messages = toAiSdk(past);
  const kept = await compactModelMessages(messages, model, { keepRecentTurns });
  return kept === messages ? undefined : fromAiSdk(kept);
}

// LangChain: messages carry their index as id, so that the kept ones are known again.

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
function oneResultEach(past: readonly Message[]): readonly Message[] {
  return past.flatMap((message) =>
    message.role === "tool"
      ? message.parts.map((part) => ({ ...message, parts: [part] }))
      : [message],
  );
}

async function trimmed(past: readonly Message[], tokens: number): Promise<Result | undefined> {
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
  const countTokens = (list: BaseMessage[]): number => tokensOf(fromLangChain(list, single));
  const model = {} as Parameters<typeof edit.apply>[0]["model"];
  await edit.apply({ messages, model, countTokens });
  return fromLangChain(messages, single);
}

// pi

/** pi knows its own tools only: others' names are told to it as what they do. */
const PI_TOOLS: readonly (readonly [RegExp, string])[] = [
  [/read|view|cat/i, "read"],
  [/edit|patch|replace/i, "edit"],
  [/write|create/i, "write"],
];

function piEntries(past: readonly Message[]): readonly PiEntry[] {
  return past.map((message, index) => ({
    type: "message",
    id: `entry-${index}`,
    parentId: index === 0 ? null : `entry-${index - 1}`,
    timestamp: "2026-03-01T00:00:00.000Z",
    message: piMessage(message),
  }));
}

function piMessage(message: Message): Readonly<Record<string, unknown>> {
  const [part] = message.parts;
  if (message.role === "tool" && part?.type === "tool-result") {
    const { toolCallId, toolName, isError = false } = part;
    const content = [{ type: "text", text: resultText(part) }];
    return { role: "toolResult", toolCallId, toolName, content, isError, timestamp: 0 };
  }
  const content = message.parts.map((one) => {
    if (one.type !== "tool-call")
      return { type: "text", text: one.type === "text" ? one.text : "" };
    const { toolCallId: id, toolName, input } = one;
    return { type: "toolCall", id, name: piTool(toolName), arguments: piArguments(input) };
  });
  return { role: message.role === "assistant" ? "assistant" : "user", content, timestamp: 0 };
}

function piTool(name: string): string {
  return PI_TOOLS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}

function piArguments(input: unknown): object {
  if (typeof input !== "object" || input === null) return { input: inputText(input) };
  const record = input as Readonly<Record<string, unknown>>;
  const path = record["path"] ?? record["file_path"] ?? record["filePath"];
  return path === undefined ? record : { ...record, path };
}

async function compactedByPi(
  past: readonly Message[],
  keepRecentTokens: number,
): Promise<readonly Message[] | undefined> {
  const single = oneResultEach(past);
  const pi = await loadPi();
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens };
  const prepared = pi.prepareCompaction(piEntries(single), settings);
  if (prepared === undefined) return undefined;
  const { readFiles, modifiedFiles } = pi.computeFileLists(prepared.fileOps);
  const lists = pi.formatFileOperations(readFiles, modifiedFiles);
  const from = single.findIndex((_, index) => `entry-${index}` === prepared.firstKeptEntryId);
  return [userMessage(`${STUB}${lists}`), ...single.slice(from)];
}

const PI_KEEP = 20_000;

export const PEERS: readonly Contestant[] = [
  {
    name: "AI SDK 6.0.326 pruneMessages",
    does: "reasoning all, tool calls before the last N messages, empty messages removed; by default N is 3, as in its documentation",
    byDefault: async ({ past }) => ({ messages: prunedByAiSdk(past, 3) }),
    within: ({ past }, tokens) =>
      largest(past.length, tokens, async (keep) => prunedByAiSdk(past, keep)),
  },
  {
    name: "LangChain 1.2.13 trimMessages",
    does: "the newest messages within usable, counted exactly",
    byDefault: ({ past, window }) => trimmed(past, contextBudget({ window }).usable),
    within: ({ past }, tokens) => trimmed(past, tokens),
  },
  {
    name: "LangChain 1.5.10 ClearToolUsesEdit",
    does: "clears the outputs of all but the last N tool uses; 3 by default",
    byDefault: async ({ past }) => ({ messages: await cleared(past, 3) }),
    within: ({ past }, tokens) => largest(past.length, tokens, (keep) => cleared(past, keep)),
  },
  {
    name: "pi 0.74.2 (stub)",
    does: "prepareCompaction and its file lists, with a stub in place of its model's summary; keeps 20,000 tokens by default, 45 % of usable where that is less",
    byDefault: async ({ past, window }) => {
      const keep = Math.min(PI_KEEP, Math.floor(contextBudget({ window }).usable * 0.45));
      const messages = await compactedByPi(past, keep);
      return messages && { messages };
    },
    within: ({ past }, tokens) => largest(tokens * 2, tokens, (keep) => compactedByPi(past, keep)),
  },
  {
    name: "ContextChef 3.1.1 (stub)",
    does: "compactModelMessages with a stub in place of its model's summary; keeps 4 turns by default",
    byDefault: async ({ past }) => {
      const messages = await compactedByChef(past, 4);
      return messages && { messages };
    },
    within: ({ past }, tokens) =>
      largest(past.length, tokens, (turns) => compactedByChef(past, turns)),
  },
];
