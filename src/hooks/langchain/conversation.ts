import type { Context } from "../../context/index.ts";
import { langchain } from "../../dialects/langchain/langchain.ts";
import {
  type LangChainMessage,
  langchainUsage,
  withMessageFields,
} from "../../dialects/langchain/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject, objectsIn, type WireObject } from "../../dialects/wire.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import { hasCompaction } from "../anthropic/wire.ts";
import { nativeContextOn, type NativePrepareOptions } from "../native-context.ts";
import { recoveringCall } from "../recovering-stream.ts";
import { wireMarks } from "../stale-marks.ts";
import type { Thread } from "../threads.ts";
import { emptyEnd, type Thinking } from "./model.ts";

type Natives = readonly LangChainMessage[];

export type Conversation = ReturnType<typeof conversationOn>;

/** A request on its way to a chat model. */
export interface SentRequest {
  readonly messages: Natives;
  readonly thinking: Thinking;
  readonly options: NativePrepareOptions;
}

type Call<Answer> = (messages: Natives, model: unknown) => Promise<Answer>;

export function conversationOn(context: Context) {
  const native = nativeContextOn<Natives, LangChainMessage>(context, {
    dialect: langchain,
    marks: wireMarks((message, content) => withMessageFields(message, { content })),
    managedBy(message) {
      return message.type === "ai" && hasCompaction(message) ? "a compaction block" : undefined;
    },
    truncate: truncateMessage,
  });
  let answered: unknown;
  return {
    context,
    /**
     * Prepares, calls, and calls once more with fewer messages where the model refuses these as too
     * long, or has no room for an answer. Rejects with what the call rejects with.
     */
    async send<Answer>(
      { messages, thinking, options }: SentRequest,
      call: Call<Answer>,
    ): Promise<Answer> {
      const newest = messages.findLast(({ type }) => type === "ai");
      // An answer to somebody else's request says nothing about what is sent from here.
      const usage = isSameMessage(newest, answered) ? langchainUsage(newest) : undefined;
      const { boundReasoning } = thinking;
      const about = { boundReasoning, ...options, usage };
      const { conversation } = await native.prepare(messages, about);
      const ask = async (sent: Natives): Promise<Answer> => {
        const isEdited = context.journal().length > 0;
        return call(sent, isEdited ? await thinking.afterEdits() : thinking.model);
      };
      const answer = await recoveringCall(() => ask(conversation), {
        end: (given) => emptyEnd(answerIn(given)),
        async again(refused) {
          const recovered = await native.recover(messages, refused);
          return recovered && ask(recovered.conversation);
        },
      });
      answered = answerIn(answer);
      return answer;
    },
  };
}

/** With a structured response the agent's handler gives back both. */
function answerIn(given: unknown): unknown {
  const { messages } = fieldsOf(given);
  return Array.isArray(messages) ? messages[0] : given;
}

/** A checkpoint gives back other objects, with the same ids. */
function isSameMessage(newest: LangChainMessage | undefined, answer: unknown): boolean {
  if (newest === undefined || !isWireObject(answer)) return false;
  return newest === (answer as object) || (newest.id !== undefined && newest.id === answer["id"]);
}

function truncateMessage(
  at: number,
  list: Natives,
  truncation: TruncationOptions,
): LangChainMessage | Promise<LangChainMessage> {
  const message = list[at] as LangChainMessage;
  if (message.type !== "tool") return message;
  return truncatedMessage(message, callOf(list, at), truncation);
}

/** A tool message whose content is within the limits of T15; `call` is what it answers. */
export async function truncatedMessage(
  message: LangChainMessage,
  call: WireObject | undefined,
  truncation: TruncationOptions,
): Promise<LangChainMessage> {
  const { content, name } = message;
  const { name: called, args: input } = call ?? {};
  const toolName = name ?? (typeof called === "string" ? called : "");
  const kept = await truncateValue(content, { toolName, input }, truncation);
  return withMessageFields(message, { content: kept });
}

/** Results of one answer that are looked over to find it. */
const MOST_RESULTS = 128;

/** The call that a tool message answers: it stands in the answer before it. */
function callOf(messages: Natives, at: number): WireObject | undefined {
  const { tool_call_id: id } = messages[at] as { readonly tool_call_id?: unknown };
  const before = messages.slice(Math.max(0, at - MOST_RESULTS), at);
  const { tool_calls: calls } = fieldsOf(before.findLast(({ type }) => type === "ai"));
  return objectsIn(calls).find((call) => call["id"] === id);
}

/** The config of a call, as far as it tells conversations apart. */
export interface RunnableConfigLike {
  readonly configurable?: { readonly thread_id?: unknown } | undefined;
  readonly signal?: AbortSignal;
}

/** The state of a graph, as far as it is looked into. */
export interface StateLike {
  readonly messages?: readonly LangChainMessage[];
}

/** The request of `wrapModelCall`. */
export interface ModelRequestLike {
  readonly model: unknown;
  readonly messages: readonly LangChainMessage[];
  /** The text of the system message. */
  readonly systemPrompt?: string;
  readonly tools?: readonly unknown[];
  readonly modelSettings?: object;
  readonly state?: StateLike;
  readonly runtime?: RunnableConfigLike;
}

/** A request, as far as it tells conversations apart. */
export interface LangChainRequest {
  /** Those of the state, in a graph. */
  readonly messages: readonly LangChainMessage[];
  readonly config?: RunnableConfigLike;
}

/**
 * The thread of a request. A thread may hold several conversations: those of sub-agents run in the
 * thread of their caller, and begin with another message.
 */
export function threadOf({ messages, config }: LangChainRequest): Thread {
  const id = config?.configurable?.thread_id;
  const isLasting = typeof id === "string" || typeof id === "number";
  return { id: `${isLasting ? id : ""}/${messages[0]?.id ?? ""}`, isLasting };
}
