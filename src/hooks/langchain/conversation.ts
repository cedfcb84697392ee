import type { Context, PrepareOptions } from "../../context/index.ts";
import { langchain } from "../../dialects/langchain/langchain.ts";
import { langchainUsage, withMessageFields } from "../../dialects/langchain/message-object.ts";
import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { nativeContextOn } from "../native-context.ts";
import { wireMarks, withoutStaleMarks } from "../stale-marks.ts";
import { createStandBack } from "../stand-back.ts";
import { createArrival } from "./arrival.ts";

type Natives = readonly LangChainMessage[];

export interface SendOptions extends PrepareOptions {
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
