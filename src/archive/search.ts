import { ContextError, isContextError } from "../core/error.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import type { Archive, ArchiveEntry, OriginalReader } from "./archive.ts";
import { literalMatcher, type Matcher, regexMatcher } from "./matcher.ts";
import {
  BLOCK_BYTES,
  endOfLine,
  fill,
  LINE_END,
  lineEndsBetween,
  openOriginal,
  readPiece,
} from "./reading.ts";
import { foundHits } from "./search-result.ts";
import type { FoundHits, SearchHit, SearchResult, SearchStop } from "./search-result.ts";
import { showControls } from "../core/text/clean.ts";
import { clip } from "../core/text/clip.ts";
import { decodeUtf8, dropPartialEnd, skipPartialStart } from "../core/text/utf8.ts";
import { NOTICE_ELEMENT, RESULT_ELEMENT } from "../core/truncate/marker.ts";

export interface SearchOptions {
  /** Whether the pattern is a regular expression (RE2's) and not a text. @default false */
  readonly regex?: boolean;
  /** Lines to show before and after a hit. @default 0 */
  readonly context?: number;
  /** The most hits. @default 50 */
  readonly limit?: number;
  /** The most bytes of what is shown; of the last hit the lines around it may be missing. @default 40000 */
  readonly maxBytes?: number;
  /** When to stop searching, in ms. @default 30000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULTS = { context: 0, limit: 50, maxBytes: 40_000, timeoutMs: 30_000 } as const;
const MOST_CONTEXT = 50;

/**
 * Looks for a pattern in every line of everything that an archive holds; memory stays flat and the
 * result bounded, whatever the archive's size. Rejects with `invalid-options` for an empty pattern,
 * one that is no regular expression and a number that is none, and with `archive-failed` where
 * nothing can be read.
 */
export async function searchArchive(
  archive: Archive,
  pattern: string,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const settings = settingsOf(options);
  const matcher = options.regex === true ? await regexMatcher(pattern) : literalMatcher(pattern);
  const entries = (await archive.list()).toReversed();
  const search = startSearch(matcher, settings);
  const possible = await archive.mayHold?.(pattern, options.regex === true);
  for (const entry of entries) {
    if (search.stopped() !== undefined) break;
    if (possible?.has(entry.handle) === false) {
      search.searched.originals++;
      search.searched.bytes += entry.bytes;
    } else await searchOriginal(archive, entry, search);
  }
  if (search.searched.originals === 0 && search.failures.length > 0) throw search.failures[0];
  search.found.addHeld();
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return {
    pattern,
    hits: search.found.hits,
    searched: search.searched,
    total: { originals: entries.length, bytes },
    unread: search.failures.length > 0 ? search.failures.length : undefined,
    stopped: search.stopped(),
  };
}

type Numbers = Required<Omit<SearchOptions, "regex" | "signal">>;
type Settings = Numbers & Pick<SearchOptions, "signal">;

const SEARCH_OPTIONS: OptionNames<SearchOptions> = { ...DEFAULTS, regex: true, signal: true };

/** An option that is left out, or `undefined`, has its default. */
function settingsOf(options: SearchOptions): Settings {
  checkNames(options, SEARCH_OPTIONS);
  const named = Object.entries(DEFAULTS).map(([name, usual]) => {
    const value = options[name as keyof typeof DEFAULTS] ?? usual;
    const least = name === "context" ? 0 : 1;
    if (value >= least) return [name, value] as const;
    throw new ContextError(
      "invalid-options",
      `${name} is ${value} in a search; give a number from ${least} on.`,
      { details: { name, value } },
    );
  });
  return { ...(Object.fromEntries(named) as Numbers), signal: options.signal };
}

/** What one search has found and may still find. */
interface Search {
  readonly matcher: Matcher;
  readonly context: number;
  readonly found: FoundHits;
  readonly searched: { originals: number; bytes: number };
  /** Why originals could not be read. */
  readonly failures: ContextError[];
  readonly blocks: readonly [Uint8Array, Uint8Array];
  readonly stopped: () => SearchStop | undefined;
}

function startSearch(matcher: Matcher, settings: Settings): Search {
  const found = foundHits(settings);
  const deadline = performance.now() + settings.timeoutMs;
  return {
    matcher,
    context: Math.min(MOST_CONTEXT, settings.context),
    found,
    searched: { originals: 0, bytes: 0 },
    failures: [],
    blocks: [new Uint8Array(BLOCK_BYTES), new Uint8Array(BLOCK_BYTES)],
    stopped() {
      if (settings.signal?.aborted === true) return "aborted";
      return found.isFull() ?? (performance.now() >= deadline ? "time" : undefined);
    },
  };
}

/** One that cannot be read is no reason to leave the rest alone. */
async function searchOriginal(
  archive: Archive,
  entry: ArchiveEntry,
  search: Search,
): Promise<void> {
  try {
    const reader = await openOriginal(archive, entry.handle);
    try {
      search.searched.bytes += await searchLines(reader, entry, search);
      search.searched.originals++;
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (!isContextError(error)) throw error;
    // It may have been removed since it was listed.
    if (error.code !== "unknown-handle") search.failures.push(error);
  }
}

/** Adds the hits of one original; how many of its bytes were searched. */
async function searchLines(
  reader: OriginalReader,
  entry: ArchiveEntry,
  search: Search,
): Promise<number> {
  const { found, context, stopped } = search;
  const progress = { reached: 0 };
  let counted = { at: 0, line: 1 };
  let add: ((hit: SearchHit) => void) | undefined;
  for await (const at of matchesIn(reader, search, progress)) {
    add ??= (await isExcerpt(reader)) ? found.hold : found.add;
    const hit = await readHit(reader, { entry, at, context });
    const line = counted.line + (await lineEndsBetween(reader, counted.at, hit.start));
    counted = { at: hit.start, line };
    add({ ...hit.found, line });
    if (stopped() !== undefined) break;
  }
  return progress.reached;
}

/**
 * Where the matches begin, one for each line, and how far was looked. The next block is read while
 * one is looked at.
 */
async function* matchesIn(
  reader: OriginalReader,
  { matcher, blocks, stopped }: Search,
  progress: { reached: number },
): AsyncGenerator<number> {
  const isOver = (): boolean => stopped() !== undefined;
  let [start, from, current] = [0, 0, 0];
  let reading = fill(reader, 0, blocks[0]);
  try {
    while (!isOver()) {
      const block = (blocks[current] as Uint8Array).subarray(0, await reading);
      if (block.length === 0) return;
      const isLast = block.length < BLOCK_BYTES;
      const limit = isLast ? block.length : matcher.done(block);
      const next = start + limit;
      current = 1 - current;
      reading = isLast ? Promise.resolve(0) : fill(reader, next, blocks[current] as Uint8Array);
      const find = (at: number): number =>
        at < limit ? matcher.find(block.subarray(at), { isLast, isOver }) : -1;
      for (let found = find(from); found >= 0; found = find(from)) {
        progress.reached = start + from + found;
        yield progress.reached;
        const end = block.indexOf(LINE_END, from + found);
        from = end < 0 ? (await endOfLine(reader, start + block.length)) - start : end + 1;
      }
      progress.reached = Math.max(next, start + from);
      [start, from] = [next, Math.max(0, start + from - next)];
    }
  } finally {
    // The file is closed and the block used again as soon as this is over.
    await reading;
  }
}

/** A hit whose line is not counted yet, and the byte at which that line begins. */
interface ReadHit {
  readonly found: Omit<SearchHit, "line">;
  readonly start: number;
}

interface HitPlace {
  readonly entry: ArchiveEntry;
  /** Where the match begins, in bytes. */
  readonly at: number;
  /** Lines before and after. */
  readonly context: number;
}

/** So much of a line is shown, around the match. */
const LINE_BYTES = 400;
/** Lines before and after are looked for so far from the match. */
const REACH_BYTES = 32_768;

/** Reads the line of a match and those around it. */
async function readHit(reader: OriginalReader, { entry, at, context }: HitPlace): Promise<ReadHit> {
  const from = Math.max(0, at - REACH_BYTES);
  const piece = await readPiece(reader, from, REACH_BYTES * 2);
  const match = at - from;
  const start = match === 0 ? 0 : piece.lastIndexOf(LINE_END, match - 1) + 1;
  const end = endIn(piece, match);
  const { handle, path } = entry;
  return {
    start: from + start,
    found: {
      handle,
      ...(path !== undefined && { path }),
      byte: at,
      text: around(piece, { start, end, match }),
      before: linesBefore(piece, start, { context, isStart: from === 0 }),
      after: linesAfter(piece, end, context),
    },
  };
}

function endIn(piece: Uint8Array, from: number): number {
  const at = piece.indexOf(LINE_END, from);
  return at < 0 ? piece.length : at;
}

/** A line, or a third of the room before the match and the rest of it from there on. */
function around(
  piece: Uint8Array,
  { start, end, match }: { start: number; end: number; match: number },
): string {
  if (end - start <= LINE_BYTES) return decode(piece.subarray(start, end));
  const from = Math.max(start, match - Math.floor(LINE_BYTES / 3));
  const to = Math.min(end, from + LINE_BYTES);
  const text = decode(whole(piece.subarray(from, to)));
  return `${from > start ? "…" : ""}${text}${to < end ? "…" : ""}`;
}

function linesBefore(
  piece: Uint8Array,
  start: number,
  { context, isStart }: { context: number; isStart: boolean },
): readonly string[] {
  const lines: string[] = [];
  for (let end = start - 1; end >= 0 && lines.length < context;) {
    const from = end === 0 ? 0 : piece.lastIndexOf(LINE_END, end - 1) + 1;
    // A line that begins before the piece is not whole.
    if (from === 0 && !isStart) break;
    lines.unshift(shortened(piece.subarray(from, end)));
    end = from - 1;
  }
  return lines;
}

function linesAfter(piece: Uint8Array, end: number, context: number): readonly string[] {
  const lines: string[] = [];
  for (let from = end + 1; from < piece.length && lines.length < context;) {
    const to = endIn(piece, from);
    lines.push(shortened(piece.subarray(from, to)));
    from = to + 1;
  }
  return lines;
}

function shortened(line: Uint8Array): string {
  return clip(decode(line.subarray(0, 2 * LINE_BYTES)), { bytes: LINE_BYTES });
}

/** Without the characters that a cut split. */
function whole(bytes: Uint8Array): Uint8Array {
  const from = skipPartialStart(bytes);
  return bytes.subarray(from, Math.max(from, dropPartialEnd(bytes)));
}

/** Without the "\r" of a line end, and with symbols for what could break the line in two. */
function decode(bytes: Uint8Array): string {
  const { text } = decodeUtf8(bytes);
  return showControls(text.replace(/\r+$/, "")).replaceAll("\r", "␍");
}

const END_BYTES = 64;

/**
 * Whether an original is only what was made of others: the answer of a recall or a search, or what a
 * truncation left. Found again first, each search would find the ones before it.
 */
async function isExcerpt(reader: OriginalReader): Promise<boolean> {
  const bytes = await readPiece(reader, Math.max(0, reader.bytes - END_BYTES), END_BYTES);
  const end = new TextDecoder().decode(bytes).trimEnd();
  return [NOTICE_ELEMENT, RESULT_ELEMENT].some((element) => end.endsWith(`</${element}>`));
}
