import { isWireObject, numberOf, usageOf, type WireBlock, type WireObject } from "../wire.ts";
import type { Usage } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";

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

/** A step of the SDK (`ai` 5, 6, 7), or a model's result (v2, v3, v4). */
export interface AiSdkReported {
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
}

/** The usage of one request, the cache apart; `undefined` where the input is not known. */
export function aiSdkUsage({ usage, providerMetadata }: AiSdkReported): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  if (isWireObject(inputTokens)) {
    const { total, noCache, cacheRead, cacheWrite } = inputTokens;
    const { total: output } = fieldsOf(outputTokens);
    return usageOf({ total, noCache, cacheRead, cacheWrite, output });
  }
  if (isWireObject(inputTokenDetails)) {
    const { noCacheTokens: noCache, ...details } = inputTokenDetails;
    const { cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = details;
    return usageOf({ total: inputTokens, noCache, cacheRead, cacheWrite, output: outputTokens });
  }
  return olderUsage(usage, providerMetadata);
}

/** Version 5 counts the cache as input, but for Anthropic, where it stands beside. */
function olderUsage(usage: WireObject, providerMetadata: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  if (typeof inputTokens !== "number") return undefined;
  const { anthropic } = fieldsOf(providerMetadata);
  const cacheRead = numberOf(cachedInputTokens);
  if (!isWireObject(anthropic) && cacheRead <= inputTokens) {
    return usageOf({ total: inputTokens, cacheRead, output: outputTokens });
  }
  const { cacheCreationInputTokens: cacheWrite } = fieldsOf(anthropic);
  return usageOf({ noCache: inputTokens, cacheRead, cacheWrite, output: outputTokens });
}
