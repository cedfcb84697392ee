import type { LangChainMessage } from "../../dialects/langchain/wire.ts";

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

/** What `wrapToolCall` gets. */
export interface ToolCallRequestLike {
  readonly toolCall: { readonly name: string; readonly args: unknown };
  readonly state?: StateLike;
  readonly runtime?: RunnableConfigLike;
}
