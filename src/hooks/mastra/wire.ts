import type { PromptMessage } from "../../dialects/ai-sdk/model-prompt.ts";

/** What the hooks of a processor share, as far as it is looked into. */
export interface ProcessorArgs {
  /** The same object for all hooks of one run. */
  readonly state: Record<string, unknown>;
  readonly requestContext?: { get(key: never): unknown } | undefined;
}

/** Before a step: its tools and options may still be changed. */
export interface InputStepArgs extends ProcessorArgs {
  readonly runId?: string;
  readonly tools?: Record<string, unknown>;
  readonly providerOptions?: unknown;
}

/** The prompt of a step, as the model will get it. */
export interface LLMRequestArgs<Prompt extends readonly PromptMessage[]> extends ProcessorArgs {
  readonly prompt: Prompt;
  readonly model: unknown;
  readonly steps: readonly StepLike[];
  readonly abortSignal?: AbortSignal;
}

export interface StepLike {
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
}

/** The provider refused a request. */
export interface APIErrorArgs extends ProcessorArgs {
  readonly error: unknown;
  /** How often processors have asked for another try. */
  readonly retryCount: number;
}

/** A tool has answered. */
export interface ToolResultArgs<List> extends ProcessorArgs {
  readonly messageList: List;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly providerExecuted?: boolean;
}

/** Where a tool's result is replaced before it is kept. */
export interface MessageListLike {
  updateToolInvocation(part: never): unknown;
}
