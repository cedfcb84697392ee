import type { WireBlock } from "../wire.ts";

/**
 * The messages of OpenAI's Chat Completions API and the servers that imitate it, as far as this
 * dialect looks into them. Unknown roles are refused, unknown fields and parts travel untouched.
 */
export interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly content?: string | readonly WireBlock[] | null;
  readonly name?: string;
  /** On assistant messages. */
  readonly tool_calls?: readonly WireBlock[];
  /** On assistant messages; the predecessor of `tool_calls`. */
  readonly function_call?: ChatFunction | null;
  readonly refusal?: string | null;
  /** On tool messages: the call that it answers. */
  readonly tool_call_id?: string;
}

export interface ChatFunction {
  readonly name: string;
  /** JSON as the model wrote it, valid or not. */
  readonly arguments: string;
}

export interface ChatTextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ChatImagePart {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
}

export interface ChatAudioPart {
  readonly type: "input_audio";
  readonly input_audio: { readonly data: string; readonly format: "wav" | "mp3" };
}

export interface ChatFilePart {
  readonly type: "file";
  readonly file: {
    readonly file_data?: string;
    readonly file_id?: string;
    readonly filename?: string;
  };
}

export type ChatPart = ChatTextPart | ChatImagePart | ChatAudioPart | ChatFilePart;

export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: ChatFunction;
}

/** A call of a tool whose input is free text. */
export interface ChatCustomToolCall {
  readonly id: string;
  readonly type: "custom";
  readonly custom: { readonly name: string; readonly input: string };
}

export const OPENAI_CHAT = "openai-chat";

/**
 * Servers' fields for the model's thinking: DeepSeek, GLM and Qwen in `reasoning_content`, vLLM and
 * OpenRouter in `reasoning` (with the provider's own blocks in `reasoning_details`).
 */
export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;
export const REASONING_DETAILS = "reasoning_details";
/** Fields beside `content` that say something. */
export const SAID_FIELDS = ["refusal", "audio"] as const;
