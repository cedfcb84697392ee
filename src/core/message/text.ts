import type { Message, OutputPart, ToolResultPart } from "./message.ts";
import { toJson } from "../text/index.ts";

/** The text of a tool's output; files and opaque pieces are left out. */
export function outputText(output: readonly OutputPart[]): string {
  const only = output[0];
  if (output.length === 1 && only?.type === "text") return only.text;
  return output.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The text of one tool result. */
export function resultText(result: ToolResultPart): string {
  return outputText(result.output);
}

/** The plain text of a message: its text parts, one below the other. */
export function messageText(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** A tool call's input as text: a string as it is, anything else as JSON. */
export function inputText(input: unknown): string {
  return typeof input === "string" ? input : toJson(input);
}
