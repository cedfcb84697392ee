import type { WireBlock } from "../wire.ts";

/**
 * `ModelMessage` of the AI SDK, major versions 6 and 7, as far as this dialect looks into it.
 * Unknown fields and parts travel untouched.
 */
export interface AiSdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly WireBlock[];
  readonly providerOptions?: AiSdkOptions;
}

/** Options by provider; ours stand under `longhaul` and no provider reads them. */
export type AiSdkOptions = Readonly<Record<string, unknown>>;

export interface AiSdkTextPart {
  readonly type: "text";
  readonly text: string;
}

export interface AiSdkFilePart {
  readonly type: "file";
  readonly mediaType: string;
  /** Base64 or a URL as text: the form that both major versions take. */
  readonly data: string;
  readonly filename?: string;
}

export interface AiSdkReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
}

export interface AiSdkToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

export interface AiSdkToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: AiSdkOutput;
}

/** The outputs that this dialect writes. */
export type AiSdkOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "content"; readonly value: AiSdkOutputPart[] };

/** Pieces of a `content` output, in the forms that both major versions take. */
export type AiSdkOutputPart =
  | AiSdkTextPart
  | { readonly type: "image-data"; readonly data: string; readonly mediaType: string }
  | {
      readonly type: "file-data";
      readonly data: string;
      readonly mediaType: string;
      readonly filename?: string;
    }
  | { readonly type: "image-url" | "file-url"; readonly url: string };

export const AI_SDK = "ai-sdk";
