import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import type { Thread } from "../threads.ts";

/** Where a call happens, as far as it tells conversations apart. */
export interface RunnableConfigLike {
  readonly configurable?: { readonly thread_id?: unknown } | undefined;
  readonly signal?: AbortSignal;
}

/** The state of a graph, as far as it is looked into. */
export interface StateLike {
  readonly messages?: readonly LangChainMessage[];
}

/** What `wrapModelCall` gets. */
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
