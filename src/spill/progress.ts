import type { Output } from "./output.ts";

/** How far a command is. */
export interface Progress {
  readonly bytes: number;
  /** Line ends; absent beyond 64 MB of a command's output, where they are not counted. */
  readonly lines?: number;
  readonly elapsedMs: number;
  /** The newest bytes since the last call, at most 64 KB. */
  readonly latest: Uint8Array;
  /** Bytes since the last call that are not in `latest`. */
  readonly skipped: number;
}

const MOST_LATEST_BYTES = 65_536;

export interface ReporterOptions {
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** What comes after so many bytes is no part of the output. */
  readonly maxBytes: number;
}

/** What reports an output to a callback; does nothing when nobody listens. */
export function reporter(output: Output, { onProgress, maxBytes }: ReporterOptions): () => void {
  const startedAt = performance.now();
  let reported = 0;
  return () => {
    if (onProgress === undefined) return;
    // Asked once: the command goes on writing while we look.
    const bytes = Math.min(output.size(), maxBytes);
    // The command emptied its own output.
    if (bytes < reported) reported = 0;
    const latest = output.between(Math.max(reported, bytes - MOST_LATEST_BYTES), bytes);
    const skipped = bytes - reported - latest.length;
    reported = bytes;
    const elapsedMs = performance.now() - startedAt;
    const lines = output.lines(bytes);
    try {
      const counted = lines === undefined ? {} : { lines };
      const shown: unknown = onProgress({ bytes, ...counted, elapsedMs, latest, skipped });
      if (shown instanceof Promise) shown.catch(() => undefined);
    } catch {
      // Whoever watches a command must not be able to stop it.
    }
  };
}
