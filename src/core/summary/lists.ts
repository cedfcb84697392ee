import { type Handle, namedOriginal } from "../message/handle.ts";
import { clip, type CountTokens, headWithin } from "../text/clip.ts";
import type { Entry, FactList } from "./fact-list.ts";
import { shareOut } from "./share-out.ts";

/** A list as it came out under a budget. */
interface RenderedList {
  readonly lines: readonly ShownLine[];
  readonly tokens: number;
  /** Whether every entry is there. */
  readonly whole: boolean;
}

interface RenderOptions {
  readonly count: CountTokens;
  /** The handle behind which facts without room are. */
  readonly handle: Handle | undefined;
  /** @default "tool" */
  readonly recall?: boolean;
  /** Lines of the same entries, made under another budget: no entry is counted twice. */
  readonly made?: MadeLines;
}

/** A line of a list, and what it shows; the line that counts what was cut shows nothing. */
export interface ShownLine {
  readonly text: string;
  readonly entry?: Entry;
}

/** The lines of entries, and how long their texts are. */
export type MadeLines = Map<Entry, Line & { readonly units: number }>;

/**
 * Lists under a budget in tokens, which they share by weight, in their order. Each is whole if it
 * fits, else grouped, else as many entries as fit and one line that says how many more there are and
 * where; that line comes even when the budget is too small for it. No entry is counted twice.
 */
export function renderLists(
  lists: readonly FactList[],
  budget: number,
  options: RenderOptions,
): readonly RenderedList[] {
  const limit = Math.max(0, budget);
  const measured = lists.map((list) => measure(list, { ...options, limit }));
  const others = lists.reduce((sum, list) => sum + (list.comesFirst === true ? 0 : list.weight), 0);
  const wants = lists.map(({ weight, comesFirst }, at) => ({
    weight: comesFirst === true ? Math.max(others, weight) : weight,
    demand: (share: number) => measured[at]?.(share).tokens ?? 0,
  }));
  const shares = shareOut(limit, wants);
  let left = shares.reduce((rest, share) => rest - share, limit);
  const rendered: RenderedList[] = [];
  // Entries are not divisible, so every list leaves a rest: it goes on to the weightier ones.
  const lightestFirst = [...wants.entries()].toSorted(([, a], [, b]) => a.weight - b.weight);
  for (const [at] of lightestFirst) {
    const list = lists[at] as FactList;
    const room = (shares[at] ?? 0) + left;
    const one = renderList(list, measured[at] as Measure, { ...options, room });
    rendered[at] = one;
    left = Math.max(0, room - one.tokens);
  }
  return rendered;
}

/** The first entries of a list as lines: all of them, or more than there is room for. */
interface Measured {
  readonly lines: readonly Line[];
  readonly tokens: number;
}

/** Goes on to measure a list until it is more than so many tokens. */
type Measure = (room: number) => Measured;

interface Line extends ShownLine {
  readonly tokens: number;
}

/** A token rarely has more characters; longer texts are too long without counting them. */
const CHARACTERS_PER_TOKEN = 64;

function measure(list: FactList, options: LineOptions): Measure {
  const lines: Line[] = [];
  let tokens = 0;
  const rest = list.entries[Symbol.iterator]();
  return (room) => {
    while (tokens <= room) {
      const next = rest.next();
      if (next.done === true) break;
      const line = entryLine(list, next.value, options);
      lines.push(line);
      tokens += line.tokens;
    }
    return { lines, tokens };
  };
}

/** No line is counted that cannot fit into `limit`. */
interface LineOptions extends Pick<RenderOptions, "count" | "made"> {
  readonly limit: number;
}

function entryLine(list: FactList, entry: Entry, options: LineOptions): Line {
  const known = options.made?.get(entry);
  if (known !== undefined && !isTooLong(known.units, options.limit)) return known;
  const text = entry.text();
  const line = { ...lineOf(list, text, options), entry };
  if (line.text !== text) options.made?.set(entry, { ...line, units: text.length });
  return line;
}

function isTooLong(units: number, limit: number): boolean {
  return units > (limit + 1) * CHARACTERS_PER_TOKEN;
}

function lineOf(list: FactList, text: string, { limit, count }: LineOptions): Line {
  if (isTooLong(text.length, limit)) return { text, tokens: limit + 1 };
  const line = marked(list, text);
  return { text: line, tokens: count(`${line}\n`) };
}

/** A text as an entry: further lines stand below the first one, so that none is a heading. */
function marked({ quoted }: FactList, text: string): string {
  if (quoted === true) return `> ${text}`;
  return text.includes("\n") ? `- ${text.replace(/\n(?=[^\n])/g, "\n  ")}` : `- ${text}`;
}

type Room = RenderOptions & { readonly room: number };

function renderList(list: FactList, measured: Measure, options: Room): RenderedList {
  const { room } = options;
  const known = measured(room);
  if (known.tokens <= room) return whole(list, known, options);
  if (list.grouped === undefined) return renderCut(list, { ...options, known });
  const grouped = { ...list, ...list.grouped(room) };
  const shorter = measure(grouped, { ...options, limit: room })(room);
  if (shorter.tokens <= room) return whole(grouped, shorter, options);
  return renderCut(grouped, { ...options, known: shorter });
}

function whole(list: FactList, known: Measured, options: Room): RenderedList {
  const more = list.size - factCount(known.lines);
  return { ...counting(list, more, { ...options, ...known }), whole: true };
}

/** Lines in their order, and one that counts what is not among them. */
function counting(
  list: FactList,
  more: number,
  { lines, tokens, ...options }: Measured & Room,
): Pick<RenderedList, "lines" | "tokens"> {
  const shown = inOrder(list, lines);
  if (more === 0) return { lines: shown, tokens };
  const cut = { text: cutLine(list, more, options) };
  return {
    // Facts that are left out are older, as a rule.
    lines: list.inTime === true ? [cut, ...shown] : [...shown, cut],
    tokens: tokens + options.count(`${cut.text}\n`),
  };
}

function inOrder({ inTime }: FactList, lines: readonly Line[]): readonly ShownLine[] {
  const ordered = inTime === true ? lines.toSorted((a, b) => timeOf(a) - timeOf(b)) : lines;
  return ordered.map(({ text, entry }) => ({ text, entry }));
}

function timeOf({ entry }: Line): number {
  return entry?.at ?? 0;
}

function renderCut(list: FactList, options: Room & { readonly known: Measured }): RenderedList {
  const { room, count } = options;
  const reserve = count(`${cutLine(list, list.size, options)}\n`);
  const shown = chooseEntries(list, { ...options, room: room - reserve });
  const more = list.size - factCount(shown);
  const tokens = shown.reduce((sum, line) => sum + line.tokens, 0);
  return { ...counting(list, more, { ...options, lines: shown, tokens }), whole: false };
}

/** Says how many facts have no room, and where they are. */
export function cutLine(
  { noun, quoted, isNew }: Pick<FactList, "noun" | "quoted" | "isNew">,
  more: number,
  { handle, recall }: Pick<RenderOptions, "handle" | "recall">,
): string {
  const where = handle === undefined || isNew === true ? "" : `: ${namedOriginal(handle, recall)}`;
  return `${quoted === true ? ">" : "-"} … and ${more} more (${noun})${where}`;
}

function factCount(lines: readonly Line[]): number {
  return lines.reduce((sum, { entry }) => sum + (entry?.facts ?? 1), 0);
}

/** Entries that are kept take no more than this part of a list that is cut, so that new ones have room. */
const KEPT_PART = 0.5;
/** No entry that can be clipped takes more of it than this. */
const LARGEST_ENTRY = 0.5;

/** The entries that fit: what is kept, then all up to the first one that does not fit. */
function chooseEntries(
  list: FactList,
  options: Room & { readonly known: Measured },
): readonly Line[] {
  const { room, known } = options;
  const { entries, keep = [], clips = false } = list;
  const chosen = new Map<Entry, Line>();
  const lines = new Map(known.lines.map((line) => [line.entry, line]));
  let left = room;
  const take = (entry: Entry, most: number): boolean => {
    const before = chosen.get(entry)?.tokens ?? 0;
    const line = fitting(list, entry, { ...options, room: most, line: lines.get(entry) });
    if (line === undefined) return false;
    chosen.set(entry, line);
    left += before - line.tokens;
    return true;
  };
  const part = list.size > 1 && clips ? LARGEST_ENTRY : 1;
  const least = room * (1 - KEPT_PART);
  for (const entry of keep) if (!take(entry, Math.floor((left - least) * part))) break;
  const kept = clips ? [...chosen.keys()] : [];
  for (const entry of entries) {
    if (!chosen.has(entry) && !take(entry, Math.floor(Math.min(left, room * part)))) break;
  }
  // The rest is for those that were clipped to leave room.
  for (const entry of kept) {
    const now = chosen.get(entry)?.tokens;
    if (now !== undefined) take(entry, Math.floor(Math.min(left + now, room * part)));
  }
  return [...chosen.values()];
}

/** The line of an entry that fits, clipped if that helps. */
function fitting(
  list: FactList,
  entry: Entry,
  { room, line, ...options }: Room & { readonly line: Line | undefined },
): Line | undefined {
  if (room <= 0) return undefined;
  if (line !== undefined && line.tokens <= room) return line;
  const { count, made } = options;
  const known = line ?? entryLine(list, entry, { limit: room, count, made });
  if (known.tokens <= room) return known;
  if (list.clips !== true || room < SMALLEST_CLIP) return undefined;
  // Indenting the lines of an entry costs tokens too, how many shows only afterwards.
  for (const part of [0.95, 0.8, 0.6]) {
    const tokens = Math.floor(room * part);
    const clipped = clipText(entry, {
      ...options,
      tokens,
      ...(list.isNew && { handle: undefined }),
    });
    if (clipped === undefined) return undefined;
    const shorter = { ...lineOf(list, clipped, { limit: room, count }), entry };
    if (shorter.tokens <= room) return shorter;
  }
  return undefined;
}

/** Below this many tokens the start of a text says nothing: it is counted instead. */
const SMALLEST_CLIP = 24;

/** The start of a text, a mark that names its whole length and where it is, and what matters of the rest. */
function clipText(
  { text, gist }: Entry,
  { tokens, count, handle, recall }: RenderOptions & { readonly tokens: number },
): string | undefined {
  const where = handle === undefined ? "" : `: ${namedOriginal(handle, recall)}`;
  const mark = `… [clipped, ${text().length} characters in all${where}]`;
  if (tokens - count(mark) < SMALLEST_CLIP) return undefined;
  const half = { tokens: Math.floor(tokens / 2), count };
  const markOf = (left: string): string => {
    const rest = gist === undefined ? "" : headWithin(gist(left), half);
    return rest === "" ? mark : `${mark}\n${rest}`;
  };
  return clip(text(), { tokens, count }, { mark: markOf });
}
