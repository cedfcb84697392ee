import type { Handle } from "../core/message/index.ts";
import { clip } from "../core/text/clip.ts";
import { utf8Length } from "../core/text/utf8.ts";
import { resultNotice } from "./result-notice.ts";

/** A line in which a pattern was found. */
export interface SearchHit {
  readonly handle: Handle;
  readonly path?: string;
  /** From 1. */
  readonly line: number;
  /** The start of the match in the original, in bytes. */
  readonly byte: number;
  /** The line, or of a long line what is around the match; control characters as symbols. */
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The reason for an end before everything was searched. */
export type SearchStop = "limit" | "size" | "time" | "aborted";

export interface SearchResult {
  readonly pattern: string;
  /**
   * Newest original first, in each from the start on. Originals that were themselves recalled,
   * searched or truncated, so that they repeat others, come last.
   */
  readonly hits: readonly SearchHit[];
  readonly searched: { readonly originals: number; readonly bytes: number };
  readonly total: { readonly originals: number; readonly bytes: number };
  /** Originals that could not be read; absent when there were none. */
  readonly unread?: number;
  /** Absent when everything was searched. */
  readonly stopped?: SearchStop;
}

const STOPPED: Readonly<Record<SearchStop, string>> = {
  limit: "There may be more: this is as many as were asked for. Search for something rarer.",
  size: "There may be more than fits here. Search for something rarer.",
  time: "The time was up before everything was searched. Search for a plain text, or for less.",
  aborted: "The search was stopped before everything was searched.",
};
const PATTERN_UNITS = 200;

/** A search as an agent gets it: hits by original as `grep -n` prints them, then what to do next. */
export function searchText(result: SearchResult): string {
  const { pattern, hits, searched, total, stopped, unread } = result;
  const notice = resultNotice(
    {
      search: clip(pattern, { length: PATTERN_UNITS }),
      hits: hits.length,
      searched: searched.originals,
      of: total.originals,
    },
    [
      ...(hits.length === 0 ? [nothingFound(result)] : []),
      ...(stopped === undefined ? [] : [STOPPED[stopped]]),
      ...(unread === undefined ? [] : [`Could not be read, and so not searched: ${unread}.`]),
      ...(hits.length === 0
        ? []
        : ["To see more around a hit, recall its handle with a range of lines."]),
    ],
  );
  return [...searchLines(result), notice].join("\n");
}

/** The hits alone, by original, as `grep -n` prints them. */
export function searchLines({ hits }: SearchResult): readonly string[] {
  return byOriginal(hits).flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [nameOf(first), ...linesOfHits(own), ""];
  });
}

function nothingFound({ stopped, unread }: SearchResult): string {
  return stopped === undefined && unread === undefined
    ? "Nothing that was archived has this in a line. Asking again will not find it."
    : "Nothing was found so far.";
}

function byOriginal(hits: readonly SearchHit[]): readonly (readonly SearchHit[])[] {
  const groups: SearchHit[][] = [];
  for (const hit of hits) {
    const last = groups.at(-1);
    if (last?.[0]?.handle === hit.handle) last.push(hit);
    else groups.push([hit]);
  }
  return groups;
}

function nameOf({ handle, path }: SearchHit): string {
  return path === undefined ? handle : `${handle} ${path}`;
}

/** Lines that are around two hits stand there once; where lines are missing between them is `--`. */
function linesOfHits(hits: readonly SearchHit[]): readonly string[] {
  const lines: string[] = [];
  let shown = 0;
  for (const [index, hit] of hits.entries()) {
    const isApart = hit.before.length > 0 || hit.after.length > 0;
    const { line, before } = hit;
    if (isApart && index > 0 && line - before.length > shown + 1) lines.push("--");
    const next = hits[index + 1]?.line ?? Infinity;
    const own = numberedLines(hit).filter(([number]) => number > shown && number < next);
    lines.push(...own.map(([, text]) => text));
    shown = own.at(-1)?.[0] ?? shown;
  }
  return lines;
}

function numberedLines({
  line,
  text,
  before,
  after,
}: SearchHit): readonly (readonly [number: number, text: string])[] {
  const first = line - before.length;
  return [
    ...before.map((each, index) => [first + index, `${first + index}-${each}`] as const),
    [line, `${line}:${text}`] as const,
    ...after.map((each, index) => [line + 1 + index, `${line + 1 + index}-${each}`] as const),
  ];
}

/** The hits of one search, as many as there is room for. */
export type FoundHits = ReturnType<typeof foundHits>;

/** The empty line and the `--` between hits. */
const GAP_BYTES = 4;

export function foundHits({ limit, maxBytes }: { limit: number; maxBytes: number }) {
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
    hits: hits as readonly SearchHit[],
    add,
    /** For a hit that comes after all others, if there is room for it then. */
    hold: (hit: SearchHit): void => {
      if (held.length < limit) held.push(hit);
    },
    addHeld(): void {
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
  return numberedLines(hit).reduce((sum, [, line]) => sum + utf8Length(line) + 1, 0);
}
