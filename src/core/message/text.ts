import type { Message, OutputPart, ToolResultPart } from "./message.ts";
import { toJson } from "./json.ts";

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

/** Newer engines have this in native code, which the language level here does not declare. */
type Text = string & { readonly isWellFormed?: () => boolean };

const LONE_SURROGATE = /\p{Cs}/u;

/** Whether a text has a UTF-8 form: it holds no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return (text as Text).isWellFormed?.() ?? !LONE_SURROGATE.test(text);
}
