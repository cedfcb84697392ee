import type { ChatMessage } from "../../dialects/openai-chat/wire.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";

/** The parameters of a chat completion, as far as they are looked into. */
export interface ChatParams {
  readonly messages: readonly ChatMessage[];
  readonly tools?: unknown;
}

/** The parameters of a response, as far as they are looked into. */
export interface ResponsesParams {
  readonly input?: string | readonly ResponsesItem[];
  readonly instructions?: string | null;
  readonly tools?: unknown;
  readonly previous_response_id?: string | null;
  readonly conversation?: unknown;
  readonly truncation?: unknown;
  readonly context_management?: unknown;
}

/** `usage` of a chat completion. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** `usage` of a response. */
export interface ResponsesUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number | null } | null;
}
