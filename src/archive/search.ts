import { isContextError } from "../core/error.ts";
import type { Handle } from "../core/handle/index.ts";
import { utf8Length } from "../core/truncate/utf8.ts";
import type { Archive, ArchiveEntry, OriginalReader } from "./archive.ts";
import { BLOCK_BYTES, endOfLine, lineEndsBetween } from "./lines.ts";
import { literalMatcher, type Matcher, regexMatcher } from "./matcher.ts";
import { fill, openOriginal } from "./open-original.ts";
import { readHit, type SearchHit } from "./search-hit.ts";

export interface SearchOptions {
  /** Whether the pattern is a regular expression (RE2's) and not a text. @default false */
  readonly regex?: boolean;
  /** Lines to show before and after a hit. @default 0 */
  readonly context?: number;
  /** The most hits. @default 50 */
  readonly limit?: number;
  /** The most bytes of all lines that are shown. @default 40000 */
  readonly maxBytes?: number;
  /** When to stop searching, in ms. @default 30000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Why a search ended before everything was searched. */
export type SearchStop = "limit" | "size" | "time" | "aborted";

export interface SearchResult {
  readonly pattern: string;
  /** Newest original first, in each from the start on. */
  readonly hits: readonly SearchHit[];
  readonly searched: { readonly originals: number; readonly bytes: number };
  readonly total: { readonly originals: number; readonly bytes: number };
  /** Absent when everything was searched. */
  readonly stopped?: SearchStop;
}

const DEFAULTS = { context: 0, limit: 50, maxBytes: 40_000, timeoutMs: 30_000 } as const;
const MOST_CONTEXT = 50;

/**
 * Looks for a pattern in every line of everything that an archive holds; memory stays flat and the
 * result bounded, whatever the archive's size. Rejects with `invalid-options` for an empty pattern
 * or one that is no regular expression, and with `archive-failed`.
 */
export async function searchArchive(
  archive: Archive,
  pattern: string,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const matcher = options.regex === true ? await regexMatcher(pattern) : literalMatcher(pattern);
  const entries = (await archive.list()).toReversed();
  const search = startSearch(matcher, { ...DEFAULTS, ...options });
  for (const entry of entries) {
    if (search.stopped() !== undefined) break;
    await searchOriginal(archive, entry, search);
  }
  const stopped = search.stopped();
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return {
    pattern,
    hits: search.hits,
    searched: search.searched,
    total: { originals: entries.length, bytes },
    ...(stopped !== undefined && { stopped }),
  };
}

type Settings = SearchOptions & Required<Omit<SearchOptions, "regex" | "signal">>;

/** What one search has found and may still find. */
interface Search {
  readonly matcher: Matcher;
  readonly context: number;
  readonly hits: SearchHit[];
  readonly searched: { originals: number; bytes: number };
  readonly blocks: readonly [Uint8Array, Uint8Array];
  add(hit: SearchHit): void;
  stopped(): SearchStop | undefined;
}

function startSearch(matcher: Matcher, settings: Settings): Search {
  const hits: SearchHit[] = [];
  const deadline = performance.now() + settings.timeoutMs;
  let shown = 0;
  return {
    matcher,
    context: Math.min(MOST_CONTEXT, settings.context),
    hits,
    searched: { originals: 0, bytes: 0 },
    blocks: [new Uint8Array(BLOCK_BYTES), new Uint8Array(BLOCK_BYTES)],
    add(hit) {
      hits.push(hit);
      shown += sizeOf(hit);
    },
    stopped() {
      if (settings.signal?.aborted === true) return "aborted";
      if (hits.length >= settings.limit) return "limit";
      if (shown >= settings.maxBytes) return "size";
      return performance.now() >= deadline ? "time" : undefined;
    },
  };
}

function sizeOf({ text, before, after }: SearchHit): number {
  return [text, ...before, ...after].reduce((sum, line) => sum + utf8Length(line), HIT_COST);
}

/** The handle and the line number of a hit. */
const HIT_COST = 40;

async function searchOriginal(
  archive: Archive,
  entry: ArchiveEntry,
  search: Search,
): Promise<void> {
  const reader = await open(archive, entry.handle);
  if (reader === undefined) return;
  try {
    search.searched.bytes += await searchLines(reader, entry, search);
    search.searched.originals++;
  } finally {
    await reader.close();
  }
}

/** It may have been removed since it was listed. */
async function open(archive: Archive, handle: Handle): Promise<OriginalReader | undefined> {
  try {
    return await openOriginal(archive, handle, { look: true });
  } catch (error) {
    if (isContextError(error) && error.code === "unknown-handle") return undefined;
    throw error;
  }
}

/** Adds the hits of one original; how many of its bytes were searched. */
async function searchLines(
  reader: OriginalReader,
  entry: ArchiveEntry,
  search: Search,
): Promise<number> {
  let counted = { at: 0, line: 1 };
  let from = 0;
  while (from < reader.bytes && search.stopped() === undefined) {
    const { at, reached } = await findFrom(reader, from, search);
    if (at === undefined) return reached;
    const hit = await readHit(reader, { entry, at, context: search.context });
    const line = counted.line + (await lineEndsBetween(reader, counted.at, hit.start));
    counted = { at: hit.start, line };
    search.add({ ...hit.found, line });
    from = await endOfLine(reader, at);
  }
  return from;
}

/** Where the next match begins, if there is one, and how far was looked. */
interface Found {
  readonly at?: number;
  readonly reached: number;
}

/** Looks for the next match. The next block is read while one is looked at. */
async function findFrom(reader: OriginalReader, from: number, search: Search): Promise<Found> {
  const { matcher, blocks } = search;
  let current = 0;
  let start = from;
  let reading = fill(reader, start, blocks[0]);
  for (;;) {
    const block = (blocks[current] as Uint8Array).subarray(0, await reading);
    const isLast = block.length < BLOCK_BYTES;
    if (block.length === 0) return { reached: start };
    const next = start + (isLast ? block.length : matcher.done(block));
    current = 1 - current;
    reading = isLast ? Promise.resolve(0) : fill(reader, next, blocks[current] as Uint8Array);
    const found = matcher.find(block, { isLast, isOver: () => search.stopped() !== undefined });
    const isOver = isLast || search.stopped() !== undefined;
    if (found >= 0 || isOver) await reading;
    if (found >= 0) return { at: start + found, reached: start + found };
    if (isOver) return { reached: next };
    start = next;
  }
}
