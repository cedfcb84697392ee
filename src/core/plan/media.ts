import { describePart } from "../compact/clip.ts";
import { runState } from "../continuation/continuation.ts";
import { startsTurn } from "../message/structure.ts";
import type { PlanOptions } from "./options.ts";
import type { Edit, Message } from "../message/index.ts";

/** The files of an unanswered message, described by text. */
export interface DescribedMedia {
  readonly edits: readonly Edit[];
  /** The message whose media are described. */
  readonly message?: number;
}

/**
 * T11: in the state `media`, the files of the unanswered message are described, not sent again,
 * unless the caller wants to keep them.
 */
export function describedMedia(messages: readonly Message[], options: PlanOptions): DescribedMedia {
  if (options.unansweredMedia === "keep" || runState(messages) !== "media") return { edits: [] };
  const message = messages.findLastIndex(startsTurn);
  const edits = (messages[message]?.parts ?? []).flatMap((part, at) =>
    part.type === "file" ? [describePart(part, { message, part: at }, options)] : [],
  );
  return { edits, message };
}
