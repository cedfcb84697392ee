import { aiSdk as dialect } from "../../dialects/ai-sdk/ai-sdk.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isRecord } from "../content.ts";
import type { DocumentFormat, RecordsFormat } from "../transcript.ts";
import { hasBlock } from "./blocks.ts";
import { plainFormats, type PlainFormats } from "./plain-format.ts";
import { fromUiMessage } from "./ui-message.ts";

/** Part types that no other format has in `content`. */
const PARTS = new Set(["tool-call", "tool-result", "reasoning", "file"]);

/**
 * Messages of the AI SDK: a list of `ModelMessage` or of `UIMessage`, an object around one, or
 * either by lines. UI messages are read as the model messages that they stand for.
 */
const formats: PlainFormats = plainFormats({
  name: "ai-sdk",
  title: "AI SDK messages",
  detect: ({ messages }) =>
    messages.some((message) => isUiMessage(message) || isModelMessage(message)) ||
    'no message has "parts", tool-call, tool-result, reasoning or file parts, or our own options',
  createDecoder: () => {
    const decode = dialect.createDecoder();
    return (native) => {
      if (isUiMessage(native)) return fromUiMessage(native).flatMap(decode);
      // The decoder checks what it is given, whatever its type says.
      return decode(native as AiSdkMessage);
    };
  },
});

export const aiSdk: DocumentFormat = formats.document;
export const aiSdkLines: RecordsFormat = formats.records;

/** Gemini's turns have `parts`, too, but these have no type. */
function isUiMessage(message: unknown): message is Readonly<Record<string, unknown>> {
  if (!isRecord(message) || !Array.isArray(message["parts"])) return false;
  return message["parts"].some((part) => isRecord(part) && typeof part["type"] === "string");
}

function isModelMessage(message: unknown): boolean {
  if (isRecord(message) && isRecord(message["providerOptions"])) return true;
  return hasBlock(
    message,
    ({ type, image, data }) =>
      (PARTS.has(String(type)) && (type !== "file" || data !== undefined)) ||
      (type === "image" && image !== undefined),
  );
}
