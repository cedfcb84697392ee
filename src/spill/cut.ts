import {
  type Direction,
  type Limits,
  truncateEnds,
  type Truncation,
  withNotice,
} from "../core/truncate/index.ts";
import type { Received } from "./output.ts";
import type { Kept } from "./receive.ts";

export interface CutOptions {
  readonly limits: Limits;
  readonly direction: Direction;
}

/** What is kept of an output. */
export function cutReceived(received: Received, options: CutOptions): Truncation {
  const { bytes, lines, whole, head, tail } = received;
  const none = new Uint8Array(0);
  return truncateEnds({
    head: whole ?? head ?? none,
    tail: tail ?? none,
    totalBytes: bytes,
    ...(lines !== undefined && { totalLines: lines }),
    ...options,
  });
}

/** The kept part, the notice if something was cut, and what else a model must know, in brackets. */
export function previewText(
  truncation: Truncation,
  { entry, notKept }: Kept,
  warnings: readonly string[],
): string {
  const text = withNotice(truncation, { handle: entry?.handle, path: entry?.path, notKept });
  if (warnings.length === 0) return text;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}${warnings.map((warning) => `[${warning}]`).join("\n")}`;
}
