import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Direction,
  type Limits,
  truncateEnds,
  type Truncation,
  withNotice,
} from "../core/truncate/index.ts";
import type { Received } from "./received.ts";
import type { Kept } from "./spool.ts";

export interface CutOptions {
  readonly limits: Limits;
  readonly direction: Direction;
}

/** What has been received of an output, and can be kept. */
export interface Source {
  size(): number;
  read(direction: Direction): Received;
  keep(): Promise<Kept>;
  discard(): Promise<void>;
}

/** No tool leaves so much of what it truncates itself, so nothing of this size is let through. */
const CERTAIN_BYTES = 200_000;

/** The preview, and the original if there is more to it than the preview or `keep` is set. */
export async function cutAndKeep(
  source: Source,
  { keep, ...options }: CutOptions & { readonly keep: boolean },
): Promise<{ readonly truncation: Truncation; readonly kept: Kept }> {
  const isCertain = source.size() > Math.max(CERTAIN_BYTES, 2 * options.limits.maxBytes);
  const keeping = isCertain ? source.keep() : undefined;
  // What is cut for certain is on its way to the disk while it is cut.
  if (isCertain) await nextTurn();
  const truncation = cutReceived(source.read(options.direction), options);
  if (keeping !== undefined) return { truncation, kept: await keeping };
  if (keep || truncation.isTruncated) return { truncation, kept: await source.keep() };
  await source.discard();
  return { truncation, kept: {} };
}

function cutReceived(received: Received, options: CutOptions): Truncation {
  const { bytes, lines, whole, head, tail } = received;
  const none = new Uint8Array(0);
  return truncateEnds({
    head: whole ?? head ?? none,
    tail: tail ?? none,
    totalBytes: bytes,
    totalLines: lines,
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
