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
import {
  type NativeContext,
  nativeContextOn,
  type NativePrepareOptions,
} from "../native-context.ts";
import { recovering, recoveringCall } from "../recovering-stream.ts";
import { wireMarks } from "../stale-marks.ts";
import type { Thread } from "../threads.ts";
import { emptyEnd, saysNothing, type Thinking, withChunk } from "./model.ts";

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
  let prepared: ReadonlySet<LangChainMessage> | undefined;
  const prepare = async (messages: Natives, options?: NativePrepareOptions): Promise<Natives> => {
    const newest = messages.findLast(({ type }) => type === "ai");
    // An answer to somebody else's request says nothing about what is sent from here.
    const usage = isSameMessage(newest, answered) ? langchainUsage(newest) : undefined;
    return (await native.prepare(messages, { ...options, usage })).conversation;
  };
  const open = async <Answer>(
    request: SentRequest,
    call: Call<Answer>,
  ): Promise<OpenRequest<Answer>> => {
    const { messages, thinking, options } = request;
    const { boundReasoning } = thinking;
    const prepared = await prepare(messages, { boundReasoning, ...options });
    return openRequest(native, request, prepared, call);
  };
  return {
    context,
    /** The messages to send: the very list if nothing had to be done. Rejects only by the signal. */
    async prepareOnly(messages: Natives, options?: NativePrepareOptions): Promise<Natives> {
      const newest = messages.findLast(({ type }) => type === "ai");
      // The answer that came since is one to the list that was given out, whoever called the model.
      const isAnswer = prepared !== undefined && newest !== undefined && !prepared.has(newest);
      answered = isAnswer ? newest : answered;
      prepared = new Set(messages);
      return prepare(messages, options);
    },
    /**
     * Prepares, calls, and calls once more with fewer messages where the model refuses these as too
     * long, or has no room for an answer. Rejects with what the call rejects with.
     */
    async send<Answer>(request: SentRequest, call: Call<Answer>): Promise<Answer> {
      const { ask, again } = await open(request, call);
      const end = (answer: Answer): unknown => emptyEnd(answerIn(answer));
      const answer = await recoveringCall(ask, { end, again });
      answered = answerIn(answer);
      return answer;
    },
    /** The same for an answer that comes in chunks; once it has begun, every error passes. */
    stream: <Chunk>(request: SentRequest, call: Call<AsyncIterable<Chunk>>) =>
      chunksOf(
        () => open(request, call),
        (whole) => (answered = whole),
      ),
  };
}

/** A request that is ready: its call, and the one in place of what was refused, if there is one. */
interface OpenRequest<Answer> {
  readonly ask: () => Promise<Answer>;
  readonly again: (refused: unknown) => Promise<Answer | undefined>;
}

function openRequest<Answer>(
  native: NativeContext<Natives>,
  { messages, thinking }: SentRequest,
  prepared: Natives,
  call: Call<Answer>,
): OpenRequest<Answer> {
  const ask = async (sent: Natives): Promise<Answer> => {
    const isEdited = native.context.journal().length > 0;
    return call(sent, isEdited ? await thinking.afterEdits() : thinking.model);
  };
  return {
    ask: () => ask(prepared),
    async again(refused) {
      const recovered = await native.recover(messages, refused);
      return recovered && ask(recovered.conversation);
    },
  };
}

/** The chunks of an answer, from the call that was not refused; `learn` is given the whole one. */
async function* chunksOf<Chunk>(
  open: () => Promise<OpenRequest<AsyncIterable<Chunk>>>,
  learn: (whole: unknown) => void,
): AsyncGenerator<Chunk> {
  const { ask, again } = await open();
  let whole: unknown;
  const watch = async function* (
    answer: () => Promise<AsyncIterable<Chunk>>,
  ): AsyncGenerator<Chunk> {
    whole = undefined;
    for await (const chunk of await answer()) {
      whole = withChunk(whole, chunk);
      yield chunk;
    }
    learn(whole);
  };
  yield* recovering(watch(ask), {
    sign: (chunk) => (saysNothing(chunk) ? "lead" : "answer"),
    end: () => emptyEnd(whole),
    async again(refused) {
      const other = await again(refused);
      return other && watch(async () => other);
    },
  });
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
