import { clipToFit, type ClipLevel } from "../compact/clip.ts";
import { mediaEdits, mediaTest, type MediaTest } from "../compact/media.ts";
import { pinnedMessages, pinnedSteps, type PinnedSteps } from "../compact/pins.ts";
import { tailStart } from "../compact/tail.ts";
import { runState } from "../continuation/continuation.ts";
import { applyEdits, type Edit } from "../message/edit.ts";
import { type Message, withParts } from "../message/message.ts";
import { leadingSystemCount, startsTurn } from "../message/structure.ts";
import { protectedResults, type ProtectedResult } from "../prune/protection.ts";
import { prunedPieces, pruneBoundary } from "../prune/prune.ts";
import { noteRoom } from "./editing-plan.ts";
import type { PlanOptions } from "./options.ts";
import type { CompactionPlan } from "./plan.ts";
import {
  addedSize,
  addedTo,
  countedLimit,
  excessOver,
  fitsInto,
  requestSize,
  roomOf,
} from "./size.ts";
import {
  LEAST_ROOM,
  reserveOf,
  roomBeside,
  summaryRoom,
  type SummaryRoom,
} from "./summary-room.ts";
import type { MessageSize } from "../tokens/index.ts";

/**
 * The ladder: what is tried, in order, until the result fits. First a whole tail, then one with
 * pruned and clipped outputs, then a smaller one, and at the end everything but the newest words is
 * clipped; what is protected comes last. Where that is not enough, the summary gets the room that is
 * left (`withLessSummary`).
 */
interface Rung {
  /** Share of the tail budget. */
  readonly tail: number;
  /** At most so many of the tail's least units. */
  readonly units: number;
  /** Share of what protected steps of the head may take. */
  readonly pins: number;
  readonly clip: ClipLevel;
  /** No piece is clipped below this many tokens. */
  readonly floor: number;
  /** Share of the summary's cap. */
  readonly summary: number;
  /** Whether reasoning goes, also where nothing binds it to what was changed. */
  readonly dropsReasoning?: true;
}

const LADDER: readonly Rung[] = [
  { tail: 1, units: Infinity, pins: 1, clip: "nothing", floor: 0, summary: 1 },
  { tail: 1, units: Infinity, pins: 1, clip: "outputs", floor: 1_000, summary: 1 },
  { tail: 1, units: Infinity, pins: 1, clip: "inputs", floor: 300, summary: 1 },
  { tail: 0.5, units: Infinity, pins: 1, clip: "inputs", floor: 300, summary: 1 },
  { tail: 0, units: 2, pins: 1, clip: "inputs", floor: 200, summary: 1 },
  { tail: 0, units: 2, pins: 0, clip: "texts", floor: 150, summary: 1 },
  { tail: 0, units: 2, pins: 0, clip: "texts", floor: 150, summary: 1, dropsReasoning: true },
  { tail: 0, units: 1, pins: 0, clip: "user", floor: 120, summary: 1, dropsReasoning: true },
  { tail: 0, units: 1, pins: 0, clip: "protected", floor: 80, summary: 0.5, dropsReasoning: true },
];

/** The list to compact. */
export interface Source {
  /** The list where nothing is summarized: no more media go than the caller wants described. */
  readonly whole: Described;
  /** The messages with those of an unanswered one described, too. */
  readonly messages: readonly Message[];
  readonly media: Described & Pick<CompactionPlan, "hadMedia">;
  readonly system: number;
  readonly results: readonly ProtectedResult[];
  readonly options: PlanOptions;
}

/** The part of a rung's choice that does not depend on the room. */
export interface Kept {
  readonly start: number;
  /** Messages of the head, in order. */
  readonly pinned: readonly number[];
  readonly steps: PinnedSteps;
}

/** One rung tried out: the edits it needs and what would be kept. */
export interface Attempt extends Kept {
  readonly edits: readonly Edit[];
  /** The room for the summary and its frame; without a head, for the note on reasoning. */
  readonly reserve: MessageSize;
  /** The most that the summary may have of that. */
  readonly summary: SummaryRoom;
  /** The kept messages, and their places in the list. */
  readonly kept: readonly Message[];
  readonly places: readonly number[];
  /** Messages that lose their reasoning. */
  readonly withoutReasoning: readonly number[];
}

const NOTHING: MessageSize = { tokens: 0, bytes: 0, images: 0 };
/** The least that is left when everything was tried, and the room for the summary beside it. */
export function leastOf(
  messages: readonly Message[],
  options: PlanOptions,
): Pick<Attempt, "kept" | "places" | "reserve"> {
  const source = sourceOf(messages, options);
  const rung = LADDER.at(-1) as Rung;
  const room = roomOf(countedLimit(options) - 1, options);
  const { kept, places, start } = tryRung(rung, keptBy(rung, source), room, source);
  const least = reserveOf(LEAST_ROOM, options);
  return { kept, places, reserve: start > source.system ? least : NOTHING };
}

export function sourceOf(messages: readonly Message[], options: PlanOptions): Source {
  const goes = mediaTest(options);
  const whole = described(messages, mediaEdits(messages, goes, options));
  const hadMedia = unansweredMedia(messages, options);
  const had = hadMedia === undefined ? undefined : messages[hadMedia];
  const all: MediaTest = (file, message) => message === had || (goes?.(file, message) ?? false);
  const media = had === undefined ? whole : described(messages, mediaEdits(messages, all, options));
  return {
    whole,
    messages: media.messages,
    media: { ...media, ...(hadMedia !== undefined && { hadMedia }) },
    system: leadingSystemCount(messages),
    results: protectedResults(media.messages, options),
    options,
  };
}

/** Messages some of whose files are described by text. */
interface Described {
  readonly messages: readonly Message[];
  readonly edits: readonly Edit[];
}

function described(messages: readonly Message[], edits: readonly Edit[]): Described {
  return { messages: applyEdits(messages, edits), edits };
}

/**
 * T11: in the state `media`, the files of the unanswered message are described, not sent again,
 * unless the caller wants to keep them. Its index.
 */
function unansweredMedia(
  messages: readonly Message[],
  { unansweredMedia: policy }: PlanOptions,
): number | undefined {
  if (policy === "keep" || runState(messages) !== "media") return undefined;
  return messages.findLastIndex(startsTurn);
}

/** The target is tried first; only protected steps are worth more than staying below it. */
export function firstThatFits(source: Source): Attempt | undefined {
  const known = new Map<Rung, Kept>();
  const keptAt = (rung: Rung): Kept => {
    const kept = known.get(rung) ?? keptBy(rung, source);
    known.set(rung, kept);
    return kept;
  };
  const pinning = LADDER.filter(({ pins }) => pins > 0);
  const ladders = source.results.length === 0 ? [LADDER] : [pinning, LADDER.slice(pinning.length)];
  const { options } = source;
  const { target, usable } = options.budget;
  const limit = countedLimit(options) - 1;
  const tokens = Math.min(limit, wantedRoom(keptAt(LADDER[0] as Rung), source));
  const rooms = [roomOf(tokens, options, target / usable), roomOf(limit, options)];
  const tries = ladders.flatMap((ladder) =>
    rooms.flatMap((room) => ladder.map((rung) => ({ rung, room }))),
  );
  let attempt: Attempt | undefined;
  for (const { rung, room } of tries) {
    attempt = tryRung(rung, keptAt(rung), room, source);
    if (fitsInto(addedTo(requestSize(attempt.kept, options), attempt.reserve), room))
      return attempt;
  }
  return attempt && withLessSummary(attempt, source);
}

/** The last attempt with a summary of the room that is left: the summary gives way last of all. */
function withLessSummary(attempt: Attempt, { system, options }: Source): Attempt | undefined {
  const summary = roomBeside(attempt.kept, attempt.summary, options);
  if (summary === undefined || attempt.start <= system) return undefined;
  return { ...attempt, summary, reserve: reserveOf(summary, options) };
}

/** Most summaries leave this share of their room. */
const SUMMARY_SLACK = 0.5;

/**
 * The target, or more where system messages, summary, what is pinned and a whole tail need it, as
 * they do in small windows.
 */
function wantedRoom({ pinned, steps }: Kept, { messages, system, options }: Source): number {
  const { summary, target, tail: wholeTail } = options.budget;
  const fixed = requestSize(messages.slice(0, system), options).tokens;
  const tail =
    options.tailStart === undefined
      ? wholeTail
      : options.meter.total(messages.slice(options.tailStart));
  const others = pinned.filter((at) => !steps.messages.includes(at));
  const rules = options.meter.total(others.flatMap((at) => messages[at] ?? []));
  const least = fixed + summary + addedSize(options).tokens + tail + steps.tokens + rules;
  return Math.max(target + Math.floor(summary * SUMMARY_SLACK), least);
}

function keptBy({ tail, units, pins }: Rung, { messages, system, results, options }: Source): Kept {
  const { budget, meter, canRecall } = options;
  const start =
    options.tailStart ??
    tailStart(messages, {
      meter,
      budget: Math.floor(budget.tail * tail),
      minUnits: Math.min(budget.tailUnits, units),
      floor: system,
    });
  const head = { from: system, to: start, meter };
  const steps = pinnedSteps(messages, results, {
    ...head,
    room: budget.pinned * pins,
    prune: canRecall === false ? undefined : { ...options, excess: Infinity },
  });
  const rules = pinnedMessages(messages, { ...head, usable: budget.usable });
  const pinned = [...new Set([...rules, ...steps.messages])].toSorted((a, b) => a - b);
  return { start, pinned, steps };
}

function tryRung(rung: Rung, keeping: Kept, room: MessageSize, source: Source): Attempt {
  const { system, options, media, whole } = source;
  const { start, pinned, steps } = keeping;
  // Without a head there is nothing to summarize; clipping alone may still make it fit.
  const hasHead = start > system;
  const base = hasHead ? media : whole;
  const { messages } = base;
  const indices = [...pinned, ...range(start, messages.length)];
  const drops = rung.dropsReasoning === true;
  const summary = summaryRoom(rung.summary, options);
  const reserve = hasHead ? reserveOf(summary, options) : noteRoom(drops, messages, options);
  const isBound = hasHead && options.traits?.boundReasoning === true;
  const goes = isBound || drops;
  const withoutReasoning = goes ? indices.filter((index) => hasReasoning(messages[index])) : [];
  const silent = new Set(withoutReasoning);
  const places = [...range(0, system), ...indices].filter(
    (index) => !silent.has(index) || !isAllReasoning(messages[index]),
  );
  const keptOf = (list: readonly Message[]): Message[] =>
    places.map((index) => keptMessage(list[index] as Message, silent.has(index)));
  const edits = [...steps.edits];
  let list = applyEdits(messages, edits);
  const shrink = (by: (excess: MessageSize) => readonly Edit[]): void => {
    const size = addedTo(requestSize(keptOf(list), options), reserve);
    const made = by(excessOver(size, room));
    edits.push(...made);
    list = applyEdits(list, made);
  };
  if (rung.clip !== "nothing") {
    shrink((excess) => prunedOfKept({ list, indices, excess }, options));
    shrink((excess) => clipped({ list, indices, excess }, rung, source));
  }
  return {
    ...keeping,
    edits: [...base.edits, ...edits],
    reserve,
    summary,
    places,
    kept: keptOf(list),
    withoutReasoning,
  };
}

function hasReasoning(message: Message | undefined): boolean {
  return message?.parts.some(({ type }) => type === "reasoning") === true;
}

function isAllReasoning(message: Message | undefined): boolean {
  return message?.parts.every(({ type }) => type === "reasoning") === true;
}

function keptMessage(message: Message, isSilent: boolean): Message {
  if (!isSilent) return message;
  const parts = message.parts.filter(({ type }) => type !== "reasoning");
  return withParts(message, parts);
}

/** The kept part of a list, and the excess over the room. */
interface TooLarge {
  readonly list: readonly Message[];
  readonly indices: readonly number[];
  readonly excess: MessageSize;
}

/** T9 on what is kept, where that is what makes room. */
function prunedOfKept({ list, indices, excess }: TooLarge, options: PlanOptions): readonly Edit[] {
  if (excess.tokens <= 0 || options.canRecall === false) return [];
  const scope = { before: pruneBoundary(list, options), only: new Set(indices) };
  const pieces = prunedPieces(list, scope, { ...options, excess: excess.tokens });
  return pieces.map(({ edit }) => edit);
}

function clipped(
  { list, indices, excess }: TooLarge,
  { clip, floor }: Rung,
  { results, options }: Source,
): readonly Edit[] {
  const protectedIds = new Set(results.map(({ call }) => call.toolCallId));
  const keepsMedia = options.unansweredMedia === "keep";
  const wanted = { ...options, level: clip, floor, protectedIds, keepsMedia };
  return clipToFit(list, indices, excess, wanted);
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
