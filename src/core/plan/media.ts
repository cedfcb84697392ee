import { describeMedia, runState } from "../continuation/continuation.ts";
import { originalHandle } from "../message/original.ts";
import { outputText, type FilePart, type Message } from "../message/message.ts";
import { startsTurn } from "../message/structure.ts";
import type { PlanOptions } from "./options.ts";
import { fitsInto } from "./size.ts";
import type { Edit } from "../message/index.ts";

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
  return { edits: mediaEdits(messages, message, options), message };
}

/**
 * Edits that describe the media of the given messages, from the oldest on, until what is kept is
 * under the request's limits on bytes and images; none where no limit is set.
 */
export function mediaOverLimits(
  messages: readonly Message[],
  indices: readonly number[],
  options: PlanOptions,
): Edit[] {
  const { requestLimits, meter } = options;
  if (requestLimits?.maxBytes === undefined && requestLimits?.maxImages === undefined) return [];
  const size = { ...meter.totalSize(indices.flatMap((index) => messages[index] ?? [])), tokens: 0 };
  const edits: Edit[] = [];
  for (const index of indices) {
    if (fitsInto(0, size, options)) break;
    const described = mediaEdits(messages, index, options);
    if (described.length === 0) continue;
    const before = meter.size(messages[index] as Message);
    edits.push(...described);
    size.images -= before.images;
    size.bytes -= before.bytes;
  }
  return edits;
}

/** Describes every file of a message, also those inside tool results. */
function mediaEdits(messages: readonly Message[], message: number, options: PlanOptions): Edit[] {
  const { digest, now, canRecall } = options;
  return (messages[message]?.parts ?? []).flatMap((part, index): Edit[] => {
    const base = { message, part: index, reason: "media" } as const;
    if (part.type === "file") {
      const handle = originalHandle(part, digest);
      const text = describeMedia(part, canRecall === false ? undefined : handle);
      return [{ ...base, type: "replace-text", handle, text }];
    }
    if (part.type !== "tool-result") return [];
    const files = part.output.filter((piece): piece is FilePart => piece.type === "file");
    if (files.length === 0) return [];
    const handle = originalHandle(part, digest);
    const named = canRecall === false ? undefined : handle;
    const text = [outputText(part.output), ...files.map((file) => describeMedia(file, named))];
    return [{ ...base, type: "replace-output", handle, text: text.join("\n").trim(), at: now }];
  });
}
