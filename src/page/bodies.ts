import {
  inputText,
  type Message,
  type Part,
  resultText,
  type ToolResultPart,
} from "../core/message/message.ts";
import { isPruned } from "../core/message/edit.ts";
import { plural } from "../core/text/figures.ts";
import { isRecord } from "../core/text/json.ts";
import { originalOf } from "./originals.ts";
import type { PageBody, PagePart } from "./data.ts";

/** The texts of a message as the model got them. */
export function bodyOf(message: Message): PageBody {
  return message.parts.map(partOf);
}

function partOf(part: Part): PagePart {
  if (part.type === "text") return { type: "text", text: part.text, original: part.original };
  if (part.type === "reasoning") return { type: "reasoning", text: part.text };
  if (part.type === "tool-call") {
    const text = isRecord(part.input) ? JSON.stringify(part.input, null, 2) : inputText(part.input);
    return { type: "call", tool: part.toolName, text, original: part.original };
  }
  if (part.type === "tool-result") return resultPart(part);
  if (part.type === "file") {
    const text = [part.filename, part.mediaType, part.url].filter(Boolean).join(", ");
    return { type: "file", text: text.slice(0, 300) };
  }
  return { type: "other", text: JSON.stringify(part.source.value, null, 2) ?? "", tool: part.kind };
}

function resultPart(part: ToolResultPart): PagePart {
  const files = part.output.filter(({ type }) => type === "file").length;
  const text = resultText(part);
  return {
    type: "result",
    tool: part.toolName,
    text: files === 0 ? text : `${text}\n[${plural(files, "file")}]`.trim(),
    failed: part.isError === true || undefined,
    exitCode: part.exitCode,
    pruned: isPruned(part) || undefined,
    original: originalOf(part),
  };
}
