import { utf8Length } from "../../core/text/index.ts";
import { NOTICE_ELEMENT, RESULT_ELEMENT } from "../../core/truncate/marker.ts";
import type { OriginalReader } from "../archive.ts";
import { readPiece } from "../reading.ts";
import { hitLines, nameOf } from "../search-result.ts";
import type { SearchHit } from "../search-hit.ts";

/** The hits of one search, as many as there is room for. */
export interface FoundHits {
  readonly hits: readonly SearchHit[];
  readonly add: (hit: SearchHit) => void;
  /** For a hit that comes after all others, if there is room for it then. */
  readonly hold: (hit: SearchHit) => void;
  addHeld(): void;
  /** Why nothing more can be added. */
  isFull(): "limit" | "size" | undefined;
}

export interface Room {
  readonly limit: number;
  /** Of everything that is shown, in UTF-8. */
  readonly maxBytes: number;
}

/** The empty line and the `--` between hits. */
const GAP_BYTES = 4;

export function foundHits({ limit, maxBytes }: Room): FoundHits {
  const hits: SearchHit[] = [];
  const held: SearchHit[] = [];
  let shown = 0;
  const isFull = (): "limit" | "size" | undefined => {
    if (hits.length >= limit) return "limit";
    return shown >= maxBytes ? "size" : undefined;
  };
  const add = (hit: SearchHit): void => {
    const isNew = hits.at(-1)?.handle !== hit.handle;
    const room = maxBytes - shown - GAP_BYTES - (isNew ? utf8Length(nameOf(hit)) : 0);
    const fit = fitting(hit, room);
    // The very first is always shown: its line is short.
    if (fit !== undefined || hits.length === 0) hits.push(fit ?? withContext(hit, 0));
    shown = fit === undefined ? maxBytes : maxBytes - room + sizeOf(fit);
  };
  return {
    hits,
    add,
    hold(hit) {
      if (held.length < limit) held.push(hit);
    },
    addHeld() {
      for (const hit of held) if (isFull() === undefined) add(hit);
    },
    isFull,
  };
}

/** A hit with as many lines around it as there is room for; `undefined` if there is none at all. */
function fitting(hit: SearchHit, room: number): SearchHit | undefined {
  for (let lines = Math.max(hit.before.length, hit.after.length); lines >= 0; lines--) {
    const fit = withContext(hit, lines);
    if (sizeOf(fit) <= room) return fit;
  }
  return undefined;
}

function withContext(hit: SearchHit, lines: number): SearchHit {
  const { before, after } = hit;
  if (before.length <= lines && after.length <= lines) return hit;
  return {
    ...hit,
    before: before.slice(before.length - Math.min(lines, before.length)),
    after: after.slice(0, lines),
  };
}

function sizeOf(hit: SearchHit): number {
  return hitLines(hit).reduce((sum, line) => sum + utf8Length(line) + 1, 0);
}

const END_BYTES = 64;

/**
 * Whether an original is only what was made of others: the answer of a recall or a search, or what a
 * truncation left. Found again first, each search would find the ones before it.
 */
export async function isExcerpt(reader: OriginalReader): Promise<boolean> {
  const bytes = await readPiece(reader, Math.max(0, reader.bytes - END_BYTES), END_BYTES);
  const end = new TextDecoder().decode(bytes).trimEnd();
  return [NOTICE_ELEMENT, RESULT_ELEMENT].some((element) => end.endsWith(`</${element}>`));
}
