import { isWireObject, type WireBlock, type WireObject } from "../wire.ts";

/**
 * A conversation of Anthropic's Messages API, as far as this dialect looks into it:
 * `system` and `messages` of a request. Unknown fields and blocks travel untouched.
 */
export interface AnthropicConversation {
  readonly system?: string | readonly WireBlock[];
  readonly messages: readonly AnthropicMessage[];
}

export interface AnthropicMessage {
  /** `system` stands in the middle of the list only, and only newer models take it. */
  readonly role: "user" | "assistant" | "system";
  /** Only a system entry that does no more than set `output_config` has none. */
  readonly content?: string | readonly WireBlock[];
}

export interface AnthropicTextBlock {
  readonly type: "text";
  readonly text: string;
}

export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface AnthropicImageBlock {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: AnthropicImageType; readonly data: string }
    | { readonly type: "url"; readonly url: string };
}

export interface AnthropicDocumentBlock {
  readonly type: "document";
  readonly title?: string;
  readonly source:
    | { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string }
    | { readonly type: "url"; readonly url: string };
}

export interface AnthropicToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface AnthropicToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | AnthropicContentBlock[];
  readonly is_error?: boolean;
}

/** The blocks that a user message or a tool result is built from. */
export type AnthropicContentBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock;

export const ANTHROPIC = "anthropic";

/** Blocks of server tools end in this; a message that ends with one is a paused turn. */
export const SERVER_TOOL_BLOCK = /^(?:server_tool_use|mcp_tool_use|.+_tool_result)$/;

/** Content as blocks; a string is one text block, an empty one is none. */
export function contentBlocks(content: unknown): WireObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter((block: unknown) => isWireObject(block)) : [];
}

/** The cache breakpoints in messages, a message, or its content, in their order. */
export function marksOf(value: unknown): readonly WireObject[] {
  if (Array.isArray(value)) return value.flatMap(marksOf);
  if (!isWireObject(value)) return [];
  const { cache_control: own, content } = value;
  return isWireObject(own) ? [...marksOf(content), own] : marksOf(content);
}
