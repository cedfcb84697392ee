/**
 * A message of LangChain: an instance of `HumanMessage`, `AIMessage`, `ToolMessage`,
 * `SystemMessage` or their chunks, or a plain object in their shape. Structural, so that no version
 * of `@langchain/core` is needed; whatever is not named here travels untouched.
 */
export interface LangChainMessage {
  /** A text or content blocks. */
  readonly content: unknown;
  /** `human`, `ai`, `tool` or `system`; before version 1 only `_getType()` says it. */
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly additional_kwargs?: object;
  readonly response_metadata?: object;
}

/** Types that have a place in a request. */
export type LangChainType = "human" | "ai" | "tool" | "system";

/** An entry of `tool_calls`. */
export interface LangChainToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly id?: string;
  readonly type?: "tool_call";
}

/** The content blocks that this dialect writes; every version of every integration reads them. */
export type LangChainBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export const LANGCHAIN = "langchain";
/** How LangChain's own middleware marks a summary, in `additional_kwargs`. */
export const SUMMARY_SOURCE = { lc_source: "summarization" } as const;
