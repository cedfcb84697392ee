import type { Message, MessageSource, Part } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isText, isWireObject, textIn, type WireObject } from "../wire.ts";
import { words } from "../../core/text/words.ts";

/**
 * An item of OpenAI's Responses API, as far as this dialect looks into it: what stands in `input`
 * and what comes in `output`. Unknown items and fields travel untouched.
 */
export interface ResponsesItem {
  /** Absent on a message in its short form and on a reference to a stored item. */
  readonly type?: string | null;
  readonly id?: string | null;
  /** On messages. */
  readonly role?: string;
}

export interface ResponsesInputText {
  readonly type: "input_text";
  readonly text: string;
}

export interface ResponsesInputImage {
  readonly type: "input_image";
  readonly detail: "auto";
  readonly image_url: string;
}

export interface ResponsesInputFile {
  readonly type: "input_file";
  readonly filename?: string;
  /** A `data:` URL. */
  readonly file_data?: string;
  readonly file_url?: string;
}

/** The blocks that a message or an output is built from. */
export type ResponsesInputPart = ResponsesInputText | ResponsesInputImage | ResponsesInputFile;

/** A message in its short form: without id and status. */
export interface ResponsesMessage {
  readonly type: "message";
  readonly role: "user" | "assistant" | "system";
  readonly content: string | ResponsesInputPart[];
}

export interface ResponsesFunctionCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** A call of a tool whose input is free text. */
export interface ResponsesCustomToolCall {
  readonly type: "custom_tool_call";
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

export interface ResponsesCallOutput {
  readonly type: "function_call_output" | "custom_tool_call_output";
  readonly call_id: string;
  readonly output: string | ResponsesInputPart[];
}

export const OPENAI_RESPONSES = "openai-responses";

/** The type of an item; a short message has a role instead, and a reference nothing but an id. */
export function itemType(item: WireObject): string | undefined {
  if (typeof item["type"] === "string") return item["type"];
  if (typeof item["role"] === "string") return "message";
  return typeof item["id"] === "string" ? "item_reference" : undefined;
}

/** Blocks inside the content of a message, an output or a reasoning item; all else are items. */
const BLOCKS: ReadonlySet<string> = new Set(
  words(`input_text input_image input_file input_audio output_text output_audio refusal summary_text
  reasoning_text computer_screenshot`),
);

/** An item of its own, and no block inside one. */
export function isItem(value: unknown): value is WireObject {
  if (!isWireObject(value)) return false;
  const type = itemType(value);
  return type !== undefined && !BLOCKS.has(type);
}

/** The type of output for each kind of call that the client carries out. */
const OUTPUTS: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  local_shell_call: "local_shell_call_output",
  shell_call: "shell_call_output",
  apply_patch_call: "apply_patch_call_output",
  computer_call: "computer_call_output",
  tool_search_call: "tool_search_output",
};

/** The type of the item that answers a call; of a function's for a call that nobody knows. */
export function outputType(callType: string | undefined): string {
  return OUTPUTS[callType ?? "function_call"] ?? "function_call_output";
}

/** The types of calls that an item answers; none for an item that is no output. */
export function answeredTypes(type: string): readonly string[] {
  // Codex answers a call of the local shell like one of a function.
  if (type === "function_call_output") return ["function_call", "local_shell_call"];
  return Object.keys(OUTPUTS).filter((callType) => OUTPUTS[callType] === type);
}

/** The id that joins a call and its output. Of the local shell, some clients send it as `id`. */
export function callIdOf(item: WireObject): string | undefined {
  const isLocal = /^local_shell_call(?:_output)?$/.test(String(item["type"]));
  return textIn(item, "call_id") ?? (isLocal ? textIn(item, "id") : undefined);
}

/** Carried out by the provider: a search for tools on its side, and a shell in its container. */
export function isHosted(item: WireObject): boolean {
  if (item["type"] === "tool_search_call" || item["type"] === "tool_search_output") {
    return item["execution"] === "server" || callIdOf(item) === undefined;
  }
  return fieldsOf(item["environment"])["type"] === "container_reference";
}

/**
 * Joins an opaque item with others in other messages: a call and its output, a question and its
 * answer.
 */
export function linkOf(item: WireObject): string | undefined {
  return textIn(item, LINKS[itemType(item) ?? ""] ?? "call_id");
}

const LINKS: Readonly<Record<string, string>> = {
  mcp_approval_request: "id",
  mcp_approval_response: "approval_request_id",
  mcp_call: "approval_request_id",
};

/** The beginnings of the ids of items that no output answers. */
const ANSWERLESS = /^(?:rs|msg|ws|fs|ci|ig|mcp|cmp)/;

/** A reference to a stored item may stand for a call that an output answers. */
export function mayBeCall(reference: WireObject): boolean {
  return !ANSWERLESS.test(String(reference["id"]));
}

/** Both streams of one command of a shell call as one text. */
export function shellText(piece: WireObject): string {
  return [piece["stdout"], piece["stderr"]].filter(isText).join("\n");
}

export interface ReplySource extends MessageSource {
  readonly value: readonly ResponsesItem[];
  /**
   * The items of an earlier reply, only outputs ago, whose reasoning may be this one's: some
   * clients put each output directly behind its call, in the middle of what the model said.
   */
  readonly thought?: readonly ResponsesItem[];
}

export function fromReply(
  { items, parts }: { readonly items: readonly ResponsesItem[]; readonly parts: readonly Part[] },
  thought: readonly ResponsesItem[] | undefined,
): Message {
  // The reply may still grow; a message never does.
  const own = [...parts];
  const isThoughtless = items[0]?.type !== "reasoning";
  const source: ReplySource = {
    dialect: OPENAI_RESPONSES,
    value: [...items],
    parts: own,
    thought: isThoughtless ? thought : undefined,
  };
  return { role: "assistant", parts: own, source };
}
