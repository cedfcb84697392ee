import { type Handle, isHandle } from "../../message/index.ts";
import { clipText } from "../clip.ts";
import type { CountTokens } from "../plain-text.ts";
import type { HiddenFacts } from "./facts.ts";

/** One bullet of a list. */
export interface Entry {
  /** May have several lines. */
  readonly text: string;
  /** How many facts it holds; 1 by default. */
  readonly facts?: number;
  /** Whether the text is lines as they stand, with bullets of their own. */
  readonly verbatim?: boolean;
  /** Whether it still matters when it is old: it is chosen before entries that are newer. */
  readonly lasts?: boolean;
}

/** Facts of one kind, the most important first, but for entries that last. */
export interface FactList {
  /** What they are, in the plural, for the line that says how many were cut. */
  readonly noun: string;
  /** The list's part of a cap that is too small for all, compared with the other lists. */
  readonly weight: number;
  readonly entries: readonly Entry[];
  /** The same facts in fewer words, for when `entries` do not fit. */
  readonly grouped?: readonly Entry[];
  /**
   * Whether an entry may be clipped anywhere; otherwise it is there as a whole or not at all, and
   * verbatim lines to the end of one of them.
   */
  readonly clips?: boolean;
  /** Whether the start of the first entry says more than how many there are. */
  readonly needsFirst?: boolean;
  /**
   * So many entries are enough, even if more would fit; the others are counted, if it can be said
   * where they are.
   */
  readonly most?: number;
  /** What earlier summaries had no room for already. */
  readonly hidden?: HiddenFacts;
}

export interface RenderContext {
  readonly count: CountTokens;
  /** Where facts without room are, newest first. */
  readonly handles: readonly Handle[];
}

/** A list as it came out under a budget. */
export interface RenderedList {
  readonly lines: readonly string[];
  readonly tokens: number;
  /** Whether every fact that was given is there. */
  readonly whole: boolean;
}

/** A cut names few handles: each head holds a summary that names those before it. */
const MOST_HANDLES = 2;
/** No entry takes more of a list that does not fit than this, so that others have room too. */
const LARGEST_ENTRY = 0.5;
/** What lasts takes no more of it than this, so that there is room for what is new. */
const LASTING_PART = 0.5;
/** A token rarely has more characters; longer texts are too long without counting them. */
const CHARACTERS_PER_TOKEN = 64;
const CUT = /^… and (\d+) more \(([a-z ]+)\)(?:: recall ([\w, ]+))?$/;

/** What a list needs to be there as a whole, in tokens; counting stops above `limit`. */
export function listDemand(list: FactList, limit: number, context: RenderContext): number {
  const entries = enough(list, context);
  const isCut = list.hidden !== undefined || entries.length < list.entries.length;
  let tokens = isCut ? context.count(bullet(cutLine(list, 0, context))) : 0;
  for (const entry of entries) {
    tokens += entryTokens(entry, limit, context.count);
    if (tokens > limit) break;
  }
  return tokens;
}

/**
 * A list under a budget in tokens: whole if it fits, else grouped, else as many entries as fit and a
 * line that says how many more there are and where. That line comes even when the budget is smaller.
 */
export function renderList(list: FactList, budget: number, context: RenderContext): RenderedList {
  if (enough(list, context).length < list.entries.length)
    return renderEnough(list, budget, context);
  const cut = list.hidden === undefined ? [] : [bullet(cutLine(list, 0, context))];
  for (const entries of [list.entries, list.grouped ?? []]) {
    if (entries.length === 0) continue;
    const whole = wholeWithin(entries, cut, { budget, count: context.count });
    if (whole !== undefined) return whole;
  }
  if (list.entries.length === 0) {
    return { lines: cut, tokens: sumWithin(cut, Infinity, context.count), whole: true };
  }
  return renderCut(list, budget, context);
}

function enough({ entries, most }: FactList, { handles }: RenderContext): readonly Entry[] {
  return most === undefined || handles.length === 0 ? entries : entries.slice(0, most);
}

/** The first entries, with the others among the hidden ones. */
function renderEnough(list: FactList, budget: number, context: RenderContext): RenderedList {
  const { most: _, ...rest } = list;
  const entries = enough(list, context);
  const more = factCount(list.entries) - factCount(entries);
  const before = list.hidden ?? { count: 0, handles: [] };
  const handles = [...new Set([...context.handles.slice(0, 1), ...before.handles])];
  const hidden = { count: before.count + more, handles };
  return renderList({ ...rest, entries, hidden }, budget, context);
}

/** All entries and the cut line, if they fit; a long list is given up where the budget ends. */
function wholeWithin(
  entries: readonly Entry[],
  cut: readonly string[],
  { budget, count }: { readonly budget: number; readonly count: CountTokens },
): RenderedList | undefined {
  const lines: string[] = [];
  let tokens = sumWithin(cut, budget, count);
  for (const entry of entries) {
    if (tokens > budget) return undefined;
    const line = entryLines(entry);
    tokens += sumWithin([line], budget, count);
    lines.push(line);
  }
  return tokens > budget ? undefined : { lines: [...lines, ...cut], tokens, whole: true };
}

function renderCut(list: FactList, budget: number, context: RenderContext): RenderedList {
  const entries = list.grouped ?? list.entries;
  const total = factCount(entries);
  const reserve = context.count(`${bullet(cutLine(list, total, context))}\n`);
  const chosen = chooseEntries(list, entries, { budget: budget - reserve, context });
  const lines = chosen.map((entry) => entry.lines);
  let tokens = chosen.reduce((sum, entry) => sum + entry.tokens, 0);
  const hidden = total - factCount(chosen.map(({ entry }) => entry));
  if (hidden > 0 || list.hidden !== undefined) {
    const cut = bullet(cutLine(list, hidden, context));
    lines.push(cut);
    tokens += context.count(`${cut}\n`);
  }
  return { lines, tokens, whole: false };
}

interface ChosenEntry {
  readonly entry: Entry;
  readonly lines: string;
  readonly tokens: number;
}

/** The entries that fit, in the order of the list: some that last, then all up to one that does not. */
function chooseEntries(
  list: FactList,
  entries: readonly Entry[],
  { budget, context }: { readonly budget: number; readonly context: RenderContext },
): readonly ChosenEntry[] {
  const clips = list.clips === true;
  const chosen = new Map<Entry, ChosenEntry>();
  const choose = (entry: Entry, most: number): number => {
    const fitting = fittingEntry(entry, { most, clips }, context);
    if (fitting === undefined) return 0;
    chosen.set(entry, { entry, ...fitting });
    return fitting.tokens;
  };
  let left = budget;
  let lasting = Math.floor(budget * LASTING_PART);
  // The oldest is what the conversation began with.
  const old = entries.filter(({ lasts }) => lasts === true);
  for (const entry of [...old.slice(-1), ...old.slice(0, -1)]) {
    const tokens = choose(entry, clips ? Math.floor(lasting * LARGEST_ENTRY) : lasting);
    lasting -= tokens;
    left -= tokens;
  }
  const largest = entries.length === 1 ? budget : Math.floor(budget * LARGEST_ENTRY);
  for (const entry of entries) {
    if (chosen.has(entry)) continue;
    const tokens = choose(entry, clips ? Math.min(left, largest) : left);
    const isNeeded = chosen.size === 0 && list.needsFirst === true;
    const needed = tokens === 0 && isNeeded ? choose(entry, left) : tokens;
    if (needed === 0) break;
    left -= needed;
  }
  // What is left over is for those that were clipped to leave room.
  for (const entry of clips ? old : []) {
    const before = chosen.get(entry)?.tokens ?? 0;
    if (before > 0) left += before - choose(entry, Math.min(left + before, largest));
  }
  return entries.flatMap((entry) => chosen.get(entry) ?? []);
}

interface Room {
  readonly most: number;
  readonly clips: boolean;
}

/** The lines of an entry that fits, and their tokens. */
function fittingEntry(
  entry: Entry,
  { most, clips }: Room,
  { count, handles }: RenderContext,
): { readonly lines: string; readonly tokens: number } | undefined {
  if (most <= 0) return undefined;
  const tokens = entryTokens(entry, most, count);
  if (tokens <= most) return { lines: entryLines(entry), tokens };
  if (!clips && entry.verbatim !== true) return undefined;
  // Indenting the lines of an entry costs tokens too, how many shows only afterwards.
  for (const part of [0.95, 0.8, 0.6]) {
    const room = { tokens: Math.floor(most * part), count, handles: handles.slice(0, 1) };
    const text = clipText(entry.text, { ...room, atLineEnd: lineEnds(entry, clips) });
    if (text === undefined) continue;
    const clipped = { ...entry, text };
    const less = entryTokens(clipped, most, count);
    if (less <= most) return { lines: entryLines(clipped), tokens: less };
  }
  return undefined;
}

function lineEnds({ verbatim }: Entry, clips: boolean): "no" | "prefer" | "only" {
  if (verbatim !== true) return "no";
  return clips ? "prefer" : "only";
}

function entryLines({ text, verbatim }: Entry): string {
  return verbatim === true ? text : bullet(text);
}

/** A text as an entry of a list: further lines stand below the first one, so that none is a heading. */
export function bullet(text: string): string {
  return text.includes("\n") ? `- ${text.replace(/\n(?=[^\n])/g, "\n  ")}` : `- ${text}`;
}

/** How many facts a list hides, given how many it hides now. */
function cutLine(list: FactList, now: number, context: RenderContext): string {
  const before = list.hidden ?? { count: 0, handles: [] };
  const handles = [
    ...new Set([...(now > 0 ? context.handles.slice(0, 1) : []), ...before.handles]),
  ];
  const where = handles.slice(0, MOST_HANDLES).join(", ");
  const count = now + before.count;
  return `… and ${count} more (${list.noun})${where === "" ? "" : `: recall ${where}`}`;
}

/** What a cut line says; `undefined` for any other entry. */
export function readCutLine(text: string): ({ noun: string } & HiddenFacts) | undefined {
  const match = CUT.exec(text);
  if (match === null) return undefined;
  const [, count = "", noun = "", where = ""] = match;
  return { noun, count: Number(count), handles: where.split(", ").filter(isHandle) };
}

export function factCount(entries: readonly Entry[]): number {
  return entries.reduce((sum, { facts = 1 }) => sum + facts, 0);
}

function entryTokens(entry: Entry, limit: number, count: CountTokens): number {
  if (entry.text.length > (limit + 1) * CHARACTERS_PER_TOKEN) return limit + 1;
  return count(`${entryLines(entry)}\n`);
}

function sumWithin(lines: readonly string[], limit: number, count: CountTokens): number {
  let tokens = 0;
  for (const line of lines) {
    if (line.length > (limit + 1) * CHARACTERS_PER_TOKEN) return limit + 1;
    tokens += count(`${line}\n`);
    if (tokens > limit) break;
  }
  return tokens;
}
