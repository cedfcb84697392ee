import { isWireBlock, type WireBlock, type WireObject } from "../wire-value.ts";
import type { ModelVersion } from "./model.ts";
import { fileData, modelFileData } from "./model-file.ts";
import { imageType, modelOutput } from "./model-output.ts";
import type { AiSdkMessage } from "./wire.ts";

/** A message of a model's prompt. */
export interface PromptMessage {
  readonly role: AiSdkMessage["role"];
  readonly content: string | readonly WireBlock[];
  readonly providerOptions?: AiSdkMessage["providerOptions"];
}

type ContentPart = WireBlock & WireObject;

/** Prompt messages that the SDK made already, by the message that each was made from. */
export type KnownPrompt = ReadonlyMap<AiSdkMessage, PromptMessage>;

/**
 * Messages as the SDK would hand them to the model: content in parts, results in a row together,
 * what is of no use to the model left out. The same messages give the same prompt, so that the
 * provider knows the prefix; files are not downloaded. `known` is used where it has a message.
 */
export function modelPrompt(
  messages: readonly AiSdkMessage[],
  version: ModelVersion,
  known: KnownPrompt = new Map(),
): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    const converted = known.get(message) ?? modelMessage(message, version);
    const last = prompt.at(-1);
    if (last?.role === "tool" && converted.role === "tool") {
      prompt[prompt.length - 1] = {
        ...converted,
        content: [...blocksOf(last), ...blocksOf(converted)],
      };
    } else if (converted.role !== "tool" || converted.content.length > 0) {
      prompt.push(converted);
    }
  }
  return prompt;
}

/**
 * Which message of a prompt was made from which of these, if the prompt begins with them;
 * `undefined` if it says something else. A row of tool messages became one, so it is not in the map.
 */
export function matchPrompt(
  messages: readonly AiSdkMessage[],
  prompt: readonly PromptMessage[],
  version: ModelVersion,
): { readonly known: KnownPrompt; readonly length: number } | undefined {
  const known = new Map<AiSdkMessage, PromptMessage>();
  let length = 0;
  for (let at = 0; at < messages.length;) {
    const row = rowAt(messages, at);
    at += row.length;
    const [made] = modelPrompt(row, version);
    if (made === undefined) continue;
    const found = prompt[length];
    if (found === undefined || wordsOf(found) !== wordsOf(made)) return undefined;
    length += 1;
    if (row.length === 1) known.set(row[0] as AiSdkMessage, found);
  }
  return { known, length };
}

function blocksOf({ content }: PromptMessage): readonly WireBlock[] {
  return typeof content === "string" ? [] : content;
}

/** A message, with the tool messages that follow if it is one. */
function rowAt(messages: readonly AiSdkMessage[], at: number): readonly AiSdkMessage[] {
  let end = at + 1;
  if (messages[at]?.role === "tool") while (messages[end]?.role === "tool") end += 1;
  return messages.slice(at, end);
}

/** What is the same before and after the SDK went over a message: files may be downloaded. */
function wordsOf({ role, content }: PromptMessage): string {
  if (typeof content === "string") return JSON.stringify([role, content]);
  const words = content.map((part) => {
    const { type, text, toolCallId } = part as WireObject;
    return type === "text" || type === "reasoning" ? text : toolCallId;
  });
  return JSON.stringify([role, ...words]);
}

function modelMessage(message: AiSdkMessage, version: ModelVersion): PromptMessage {
  const { role, content, providerOptions } = message;
  const options = providerOptions === undefined ? {} : { providerOptions };
  if (role === "system") return { role, content, ...options };
  if (typeof content === "string") {
    return { role, content: [{ type: "text", text: content }], ...options };
  }
  const parts = content.filter((part): part is ContentPart => isWireBlock(part) && isSent(part));
  return { role, content: parts.map((part) => modelPart(part, version)), ...options };
}

/** Approvals are between the SDK and its user, unless the provider runs the tool. */
function isSent(part: ContentPart): boolean {
  if (part.type === "text") return part["text"] !== "" || part["providerOptions"] !== undefined;
  if (part.type === "tool-approval-response") return part["providerExecuted"] === true;
  return part.type !== "tool-approval-request";
}

function modelPart(part: ContentPart, version: ModelVersion): WireBlock {
  switch (part.type) {
    case "tool-result":
      return { ...part, output: modelOutput(part["output"], version) };
    case "image":
      return filePart(part, part["image"], version);
    case "file":
    case "reasoning-file":
      return filePart(part, part["data"], version);
    default:
      return part;
  }
}

function filePart(part: ContentPart, value: unknown, version: ModelVersion): WireBlock {
  const content = fileData(value);
  if (content === undefined) return { type: "text", text: "[file, not shown here]" };
  const { type, image: _, ...rest } = part;
  const found = "mediaType" in content ? content.mediaType : undefined;
  return {
    ...rest,
    type: type === "image" ? "file" : type,
    data: modelFileData(content, version),
    mediaType: found ?? part["mediaType"] ?? imageType(version),
  };
}
