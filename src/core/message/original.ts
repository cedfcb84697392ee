import { toJson, isWellFormed } from "../text/index.ts";
import { plainOutput } from "./edit.ts";
import { type Digest, type Handle, handleFor, isHandle, type OriginalKind } from "./handle.ts";
import type { FilePart, Message, Part, TextPart, ToolCallPart, ToolResultPart } from "./message.ts";
import { inputText } from "./text.ts";

/** Something that is about to leave the window: what it is and its whole content. */
export interface Original {
  readonly handle: Handle;
  readonly kind: OriginalKind;
  readonly content: string;
}

/** A part that can be edited, and therefore has an original. */
export type EditablePart = ToolResultPart | ToolCallPart | TextPart | FilePart;

/**
 * The original of a part, as the archive keeps it: the very text where the part is text, JSON
 * where it is more. A text with lone surrogates has no UTF-8 form, so it is kept as JSON as well.
 */
export function originalOf(part: EditablePart, digest: Digest): Original {
  if (part.type === "tool-result") return outputOriginal(part, digest);
  if (part.type === "tool-call") return original("in", wellFormed(inputText(part.input)), digest);
  if (part.type === "text") {
    return isWellFormed(part.text)
      ? original("msg", part.text, digest)
      : original("parts", toJson([{ type: "text", text: part.text }]), digest);
  }
  return original("parts", toJson([{ ...part, source: undefined }]), digest);
}

/**
 * The handle under which a part's whole original is, or will be. A part that was shortened before
 * keeps naming its first original: a recall must give the whole, never a piece that names it.
 */
export function originalHandle(part: EditablePart, digest: Digest): Handle {
  return earlierOriginal(part) ?? originalOf(part, digest).handle;
}

/** The handle of a part that was shortened before; its original is in the archive already. */
export function earlierOriginal(part: EditablePart): Handle | undefined {
  if (part.type === "file" || part.original === undefined) return undefined;
  return isHandle(part.original) ? part.original : undefined;
}

function outputOriginal(part: ToolResultPart, digest: Digest): Original {
  const only = part.output[0];
  if (part.output.length === 1 && only?.type === "text" && isWellFormed(only.text)) {
    return original("out", only.text, digest);
  }
  return original("parts", toJson(plainOutput(part.output)), digest);
}

/**
 * The original of whole messages, from their lines: one JSON message a line, without native sources.
 * Every line is well-formed, whatever the texts hold.
 */
export function originalOfLines(lines: string, digest: Digest): Original {
  return original("head", lines, digest);
}

/** A message as plain JSON: everything but the native source; opaque parts keep their value. */
export function plainMessage(message: Message): PlainMessage {
  const isTraced = message.source !== undefined || message.parts.some(isTracedPart);
  if (!isTraced) return message;
  return { ...message, source: undefined, parts: message.parts.map(plainPart) };
}

type PlainMessage = Omit<Message, "parts" | "source"> & {
  readonly parts: readonly unknown[];
  readonly source?: unknown;
};

/** Whether a part names its origin; where nothing does, nothing has to be copied. */
function isTracedPart(part: Part): boolean {
  if (part.source !== undefined) return true;
  return part.type === "tool-result" && part.output.some(({ source }) => source !== undefined);
}

function plainPart(part: Part): unknown {
  if (part.type === "opaque" || !isTracedPart(part)) return part;
  if (part.type !== "tool-result") return { ...part, source: undefined };
  return { ...part, source: undefined, output: plainOutput(part.output) };
}

function original(kind: OriginalKind, content: string, digest: Digest): Original {
  return { handle: handleFor(kind, content, digest), kind, content };
}

function wellFormed(text: string): string {
  return isWellFormed(text) ? text : toJson(text);
}
