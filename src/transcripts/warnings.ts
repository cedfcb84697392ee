import type { TranscriptWarning } from "./transcript.ts";

/** Collects warnings up to a number, so that a broken gigabyte does not make a gigabyte of them. */
export interface Warnings {
  add(message: string, line?: number): void;
  list(): readonly TranscriptWarning[];
}

/** How many warnings one format's reader keeps. */
const FORMAT_WARNINGS = 100;

/** An empty collection that keeps the first `max` warnings and counts the others. */
export function createWarnings(max: number = FORMAT_WARNINGS): Warnings {
  const kept: TranscriptWarning[] = [];
  let more = 0;
  return {
    add(message, line) {
      if (kept.length >= max) more += 1;
      else kept.push(line === undefined ? { message } : { line, message });
    },
    list() {
      return more === 0 ? [...kept] : [...kept, { message: `There were ${more} more warnings.` }];
    },
  };
}
