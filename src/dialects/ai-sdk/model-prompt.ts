import { isWireBlock, type WireBlock, type WireObject } from "../wire-value.ts";
import type { ModelVersion } from "./model.ts";
import { fileData, modelFileData } from "./model-file.ts";
import { imageType, modelOutput } from "./model-output.ts";
import type { AiSdkMessage } from "./wire.ts";

/** A message of a model's prompt. */
export interface PromptMessage {
  readonly role: AiSdkMessage["role"];
  readonly content: string | readonly unknown[];
  readonly providerOptions?: unknown;
}

type ContentPart = WireBlock & WireObject;

/**
 * Messages as the SDK would hand them to the model: content in parts, results in a row together,
 * what is of no use to the model left out. The same messages give the same prompt, so that the
 * provider knows the prefix; files are not downloaded.
 */
export function modelPrompt(
  messages: readonly AiSdkMessage[],
  version: ModelVersion,
): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    const converted = modelMessage(message, version);
    const last = prompt.at(-1);
    if (last?.role === "tool" && converted.role === "tool") {
      prompt[prompt.length - 1] = {
        ...converted,
        content: [...last.content, ...converted.content],
      };
    } else if (converted.role !== "tool" || converted.content.length > 0) {
      prompt.push(converted);
    }
  }
  return prompt;
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
