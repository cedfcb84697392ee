import { langchain } from "../../dialects/langchain/langchain.ts";
import { langchainUsage, withMessageFields } from "../../dialects/langchain/message-object.ts";
import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { isWireBlock, isWireObject, type WireObject } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import { createStandBack } from "../managed.ts";
import { nativeContextOn } from "../native-context.ts";
import { wireMarks, withoutStaleMarks } from "../stale-marks.ts";
import type { Context, PrepareOptions } from "../../context/index.ts";

type Natives = readonly LangChainMessage[];

interface SendOptions extends PrepareOptions {
  /** The setting by which the provider manages the conversation itself, if it does. */
  readonly managedBy?: string;
}

/** One conversation in LangChain messages. */
export interface Conversation {
  readonly context: Context;
  /** The messages to send: the very list if nothing had to be done. Rejects only by the signal. */
  prepare(messages: Natives, options?: SendOptions): Promise<Natives>;
  /** What to send instead of what was refused, once, or `undefined`: pass the error on. */
  recover(messages: Natives, error: unknown): Promise<Natives | undefined>;
  /** Notes the answer to what was prepared; what it reported says how full the window is. */
  answered(answer: unknown): void;
}

export function conversationOn(context: Context): Conversation {
  const native = nativeContextOn<Natives, LangChainMessage>(context, {
    dialect: langchain,
    messagesOf: (messages) => messages,
  });
  const arrive = createArrival(context);
  const standsBack = createStandBack(context);
  let answer: unknown;
  let isManaged = false;
  return {
    context,
    async prepare(messages, { managedBy, ...options } = {}) {
      const arrived = await arrive(messages);
      isManaged = standsBack(managedBy ?? (arrived.isCompacted ? "a compaction block" : undefined));
      if (isManaged) return messages;
      const newest = messages.findLast(({ type }) => type === "ai");
      const { conversation } = await native.prepare(arrived.messages, {
        ...options,
        // An answer to somebody else's request says nothing about what is sent from here.
        usage: isSameMessage(newest, answer) ? langchainUsage(newest) : undefined,
      });
      return marked(conversation, messages);
    },
    async recover(messages, error) {
      if (isManaged) return undefined;
      const arrived = await arrive(messages);
      const made = await native.recover(arrived.messages, error);
      return made && marked(made.conversation, messages);
    },
    answered(given) {
      answer = answerIn(given);
    },
  };
}

const MARKS = wireMarks<LangChainMessage>((message, content) =>
  withMessageFields(message, { content }),
);

function marked(sent: Natives, given: Natives): Natives {
  return sent === given ? sent : withoutStaleMarks(sent, given, MARKS);
}

/** With a structured response the agent's handler gives back both. */
function answerIn(given: unknown): unknown {
  const { messages } = isWireObject(given) ? given : {};
  return Array.isArray(messages) ? messages[0] : given;
}

/** A checkpoint gives back other objects, with the same ids. */
function isSameMessage(newest: LangChainMessage | undefined, answer: unknown): boolean {
  if (newest === undefined || !isWireObject(answer)) return false;
  return newest === (answer as object) || (newest.id !== undefined && newest.id === answer["id"]);
}

/** What is seen of a list when it arrives. */
interface Arrived {
  /** With long tool outputs truncated (T15); the very list if there are none. */
  readonly messages: Natives;
  /** Whether the provider compacted the conversation: what stands before that block counts no more. */
  readonly isCompacted: boolean;
}

/** Looks at each message of a growing list once. */
function createArrival(context: Context): (messages: Natives) => Promise<Arrived> {
  const cut = new WeakMap<LangChainMessage, LangChainMessage>();
  let hasCut = false;
  let isCompacted = false;
  let seen = 0;
  let last: LangChainMessage | undefined;
  return async (messages) => {
    const goesOn = seen > 0 && messages[seen - 1] === last;
    const from = goesOn ? seen : 0;
    isCompacted = (goesOn && isCompacted) || messages.slice(from).some(holdsCompaction);
    for (let at = from; at < messages.length; at++) {
      const message = messages[at] as LangChainMessage;
      if (message.type !== "tool" || cut.has(message)) continue;
      const kept = await truncatedMessage(message, callOf(messages, at), context);
      if (kept === message) continue;
      cut.set(message, kept);
      hasCut = true;
    }
    seen = messages.length;
    last = messages.at(-1);
    const kept = hasCut ? messages.map((message) => cut.get(message) ?? message) : messages;
    return { messages: kept, isCompacted };
  };
}

/** A tool message whose content is within the limits of T15; `call` is what it answers. */
export async function truncatedMessage(
  message: LangChainMessage,
  call: WireObject | undefined,
  context: Context,
): Promise<LangChainMessage> {
  const { content, name } = message;
  const { name: called, args: input } = call ?? {};
  const toolName = name ?? (typeof called === "string" ? called : "");
  const kept = await truncateValue(content, { toolName, input }, context.truncation);
  return withMessageFields(message, { content: kept });
}

function holdsCompaction({ type, content }: LangChainMessage): boolean {
  if (type !== "ai" || !Array.isArray(content)) return false;
  return content.some((block) => isWireBlock(block) && block.type === "compaction");
}

/** How many results of one answer are looked over to find it. */
const MOST_RESULTS = 128;

/** The call that a tool message answers: it stands in the answer before it. */
function callOf(messages: Natives, at: number): WireObject | undefined {
  const { tool_call_id: id } = messages[at] as { readonly tool_call_id?: unknown };
  const before = messages.slice(Math.max(0, at - MOST_RESULTS), at);
  const answer = before.findLast(({ type }) => type === "ai") as
    | { readonly tool_calls?: unknown }
    | undefined;
  const calls = Array.isArray(answer?.tool_calls) ? (answer.tool_calls as unknown[]) : [];
  return calls.filter(isWireObject).find((call) => call["id"] === id);
}
