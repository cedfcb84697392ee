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
import { readHit } from "./search-hit.ts";
import { foundHits } from "./search-result.ts";
import type { FoundHits, SearchHit, SearchResult, SearchStop } from "./search-result.ts";
import { NOTICE_ELEMENT, RESULT_ELEMENT } from "../core/truncate/marker.ts";

export interface SearchOptions {
  /** The pattern is a regular expression (RE2's) and not a text. @default false */
  readonly regex?: boolean;
  /** Lines to show before and after a hit. @default 0 */
  readonly context?: number;
  /** The most hits. @default 50 */
  readonly limit?: number;
  /** The most bytes of what is shown; of the last hit the lines around it may be missing. @default 40000 */
  readonly maxBytes?: number;
  /** The time limit in ms. @default 30000 */
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

/** The state of one search. */
interface Search {
  readonly matcher: Matcher;
  readonly context: number;
  readonly found: FoundHits;
  readonly searched: { originals: number; bytes: number };
  /** Of originals that could not be read. */
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
    const { start, ...hit } = await readHit(reader, at, context);
    const line = counted.line + (await lineEndsBetween(reader, counted.at, start));
    counted = { at: start, line };
    add({ handle: entry.handle, path: entry.path, line, ...hit });
    if (stopped() !== undefined) break;
  }
  return progress.reached;
}

/**
 * The starts of the matches, one for each line, and the end of what was looked at. The next block
 * is read while one is looked at.
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

const END_BYTES = 64;

/**
 * An original that was only made of others: the answer of a recall or a search, or the rest of a
 * truncation. Found again first, each search would find the ones before it.
 */
async function isExcerpt(reader: OriginalReader): Promise<boolean> {
  const bytes = await readPiece(reader, Math.max(0, reader.bytes - END_BYTES), END_BYTES);
  const end = new TextDecoder().decode(bytes).trimEnd();
  return [NOTICE_ELEMENT, RESULT_ELEMENT].some((element) => end.endsWith(`</${element}>`));
}
