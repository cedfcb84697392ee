import type { Handle } from "./handle.ts";
import { type Message, type Part, type ToolResultPart, withParts } from "./message.ts";

/** Why a piece left the window. */
export type EditReason =
  /** An old tool output or the large input of an old call. */
  | "pruned"
  /** A read whose file was read again later. */
  | "superseded"
  /** An output that stands again, word for word, further on. */
  | "duplicate"
  /** Too large for what is kept; both ends stay. */
  | "clipped"
  /** A file or image, described by text instead. */
  | "media";

interface EditBase {
  /** Index of the message in the list that the plan was made for. */
  readonly message: number;
  /** Index of the part in that message. */
  readonly part: number;
  readonly reason: EditReason;
  /** The original's name in the archive. */
  readonly handle: Handle;
}

/** One change to one part, as data. */
export type Edit =
  /** The output of a tool result becomes this text. */
  | (EditBase & { readonly type: "replace-output"; readonly text: string; readonly at: number })
  /** The input of a tool call becomes this value. */
  | (EditBase & { readonly type: "replace-input"; readonly input: unknown })
  /** A text, a file or an opaque part becomes this text. */
  | (EditBase & { readonly type: "replace-text"; readonly text: string });

/**
 * Applies edits; pure. The list and the messages that no edit names are returned as they are.
 * An edit that does not fit its part (the list is not the one it was made for) is left out.
 */
export function applyEdits(
  messages: readonly Message[],
  edits: readonly Edit[],
): readonly Message[] {
  if (edits.length === 0) return messages;
  const edited = [...messages];
  for (const edit of edits) {
    const message = edited[edit.message];
    const part = message?.parts[edit.part];
    const next = part && editPart(part, edit);
    if (message === undefined || next === undefined || next === part) continue;
    // The first edit of a message copies it; the others go into that copy.
    const isCopy = message !== messages[edit.message];
    const parts = isCopy ? (message.parts as Part[]) : [...message.parts];
    parts[edit.part] = next;
    if (!isCopy) edited[edit.message] = withParts(message, parts);
  }
  return edited;
}

/** A part with one edit; the part itself where the edit is for another kind of part. */
export function editPart(part: Part, edit: Edit): Part {
  if (edit.type === "replace-output" && part.type === "tool-result") {
    const output = [{ type: "text" as const, text: edit.text }];
    // Spreading the time as well would take longer than all the rest.
    return prunes(edit)
      ? { ...part, output, original: edit.handle, time: { compacted: edit.at } }
      : { ...part, output, original: edit.handle };
  }
  if (edit.type === "replace-input" && part.type === "tool-call") {
    return { ...part, input: edit.input, original: edit.handle };
  }
  if (edit.type === "replace-text" && part.type === "text") {
    return { ...part, text: edit.text, original: edit.handle };
  }
  if (edit.type === "replace-text" && (part.type === "file" || part.type === "opaque")) {
    return { type: "text", text: edit.text, original: edit.handle };
  }
  return part;
}

/** The output goes with the edit; else its text stays, or both ends of it. */
export function prunes({ reason }: Pick<Edit, "reason">): boolean {
  return reason !== "clipped" && reason !== "media";
}

/** True of a tool result that was pruned, by us or by the agent that recorded it. */
export function isPruned(part: ToolResultPart): boolean {
  return part.time?.compacted !== undefined;
}
