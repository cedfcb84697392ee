import { clipToFit, type ClipLevel } from "../compact/clip.ts";
import { pinnedMessages, pinnedSteps, type PinnedSteps } from "../compact/pins.ts";
import { tailStart } from "../compact/tail.ts";
import { buildContinuation } from "../continuation/continuation.ts";
import { applyEdits, type Edit } from "../message/edit.ts";
import { leadingSystemCount } from "../message/structure.ts";
import { LEAST_SUMMARY } from "../overflow/budget-options.ts";
import { isSkill, protectedResults, type ProtectedResult } from "../prune/protection.ts";
import { prunedPieces, pruneBoundary } from "../prune/prune.ts";
import { headOriginal } from "./apply-plan.ts";
import { boundReasoning } from "./bound-reasoning.ts";
import { type DescribedMedia, describedMedia, mediaOverLimits } from "./media.ts";
import { NEUTRAL_TRAITS, type PlanOptions } from "./options.ts";
import type { CompactionPlan, ContextPlan, UnpinnedResult } from "./plan.ts";
import { countedLimit, fitsInto, requestSize } from "./size.ts";
import type { Message } from "../message/index.ts";

/** What the frame around a summary costs beside the summary's own cap, in tokens. */
const FRAME_TOKENS = 120;

/**
 * The ladder: what is tried, in order, until the result fits. First a whole tail, then one with
 * pruned and clipped outputs, then a smaller one, and at the end everything but the newest words is
 * clipped; what is protected comes last.
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
}

const LADDER: readonly Rung[] = [
  { tail: 1, units: Infinity, pins: 1, clip: "nothing", floor: 0, summary: 1 },
  { tail: 1, units: Infinity, pins: 1, clip: "outputs", floor: 1_000, summary: 1 },
  { tail: 1, units: Infinity, pins: 1, clip: "inputs", floor: 300, summary: 1 },
  { tail: 0.5, units: Infinity, pins: 1, clip: "inputs", floor: 300, summary: 1 },
  { tail: 0, units: 2, pins: 1, clip: "inputs", floor: 200, summary: 1 },
  { tail: 0, units: 2, pins: 0, clip: "texts", floor: 150, summary: 1 },
  { tail: 0, units: 1, pins: 0, clip: "user", floor: 120, summary: 1 },
  { tail: 0, units: 1, pins: 0, clip: "protected", floor: 80, summary: 0.5 },
];

/** What is to be compacted. */
interface Source {
  /** The messages, the media of an unanswered one described. */
  readonly messages: readonly Message[];
  readonly system: number;
  readonly results: readonly ProtectedResult[];
  readonly options: PlanOptions;
}

/** What a rung keeps, as far as it does not depend on the room. */
interface Kept {
  readonly start: number;
  /** Messages of the head, in order. */
  readonly pinned: readonly number[];
  readonly steps: PinnedSteps;
}

/** One rung tried out: the edits it needs and what would be kept. */
interface Attempt extends Kept {
  readonly edits: readonly Edit[];
  /** Tokens kept free for the summary and its frame; 0 where there is no head to summarize. */
  readonly reserve: number;
  readonly kept: readonly Message[];
}

/**
 * Plans a compaction (T8, T11): tail, pins, clips and the room for the summary, so that the result
 * fits whatever the summary says. Where there is no head, the plan only clips. `undefined` when
 * there is nothing to do, or when nothing fits.
 */
export function planCompaction(
  messages: readonly Message[],
  options: PlanOptions,
): ContextPlan | undefined {
  const media = describedMedia(messages, options);
  const described = applyEdits(messages, media.edits);
  const source: Source = {
    messages: described,
    system: leadingSystemCount(messages),
    results: protectedResults(described, options),
    options,
  };
  const attempt = firstThatFits(source);
  if (attempt === undefined) return undefined;
  return attempt.reserve > 0
    ? compactionPlan(messages, { attempt, media, source })
    : clipPlan(messages, attempt, options);
}

/** The target is tried first; only protected steps are worth more than staying below it. */
function firstThatFits(source: Source): Attempt | undefined {
  const known = new Map<Rung, Kept>();
  const keptAt = (rung: Rung): Kept => {
    const kept = known.get(rung) ?? keptBy(rung, source);
    known.set(rung, kept);
    return kept;
  };
  const pinning = LADDER.filter(({ pins }) => pins > 0);
  const ladders = source.results.length === 0 ? [LADDER] : [pinning, LADDER.slice(pinning.length)];
  const limit = countedLimit(source.options) - 1;
  const wanted = Math.min(limit, wantedRoom(keptAt(LADDER[0] as Rung).steps, source));
  const tries = ladders.flatMap((ladder) =>
    [wanted, limit].flatMap((room) => ladder.map((rung) => ({ rung, room }))),
  );
  for (const { rung, room } of tries) {
    const attempt = tryRung(rung, keptAt(rung), room, source);
    if (attemptFits(attempt, room, source.options)) return attempt;
  }
  return undefined;
}

/**
 * What the result should fit into: the target, or more where system messages, summary, pinned steps
 * and a whole tail need it, as they do in small windows.
 */
function wantedRoom(steps: PinnedSteps, { messages, system, options }: Source): number {
  const { summary, target, tail: wholeTail } = options.budget;
  const fixed = requestSize(messages.slice(0, system), options).tokens;
  const tail =
    options.tailStart === undefined
      ? wholeTail
      : options.meter.total(messages.slice(options.tailStart));
  return Math.max(target, fixed + summary + FRAME_TOKENS + tail + steps.tokens);
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

function tryRung(rung: Rung, keeping: Kept, room: number, source: Source): Attempt {
  const { messages, system, options } = source;
  const { start, pinned, steps } = keeping;
  const cap = Math.max(LEAST_SUMMARY, Math.floor(options.budget.summary * rung.summary));
  // Without a head there is nothing to summarize; clipping alone may still make it fit.
  const reserve = start > system ? cap + FRAME_TOKENS : 0;
  const indices = [...pinned, ...range(start, messages.length)];
  const keptOf = (list: readonly Message[]): Message[] => [
    ...list.slice(0, system),
    ...indices.flatMap((index) => list[index] ?? []),
  ];
  const edits = [...steps.edits];
  let list = applyEdits(messages, edits);
  const shrink = (by: (excess: number) => readonly Edit[]): void => {
    const made = by(requestSize(keptOf(list), options).tokens + reserve - room);
    edits.push(...made);
    list = applyEdits(list, made);
  };
  shrink(() => mediaOverLimits(list, indices, options));
  if (rung.clip !== "nothing") {
    shrink((excess) => prunedOfKept({ list, indices, excess }, options));
    shrink((excess) => clipped({ list, indices, excess }, rung, source));
  }
  return { ...keeping, edits, reserve, kept: keptOf(list) };
}

/** What is kept of a list, and by how many tokens it is too large. */
interface TooLarge {
  readonly list: readonly Message[];
  readonly indices: readonly number[];
  readonly excess: number;
}

/** T9 on what is kept, where that is what makes room. */
function prunedOfKept({ list, indices, excess }: TooLarge, options: PlanOptions): readonly Edit[] {
  if (excess <= 0 || options.canRecall === false) return [];
  const scope = { before: pruneBoundary(list, options), only: new Set(indices) };
  return prunedPieces(list, scope, { ...options, excess }).map(({ edit }) => edit);
}

function clipped(
  { list, indices, excess }: TooLarge,
  { clip, floor }: Rung,
  { results, options }: Source,
): readonly Edit[] {
  if (excess <= 0) return [];
  const { counter, digest, now, canRecall = true } = options;
  const protectedIds = new Set(results.map(({ call }) => call.toolCallId));
  const wanted = { counter, digest, now, canRecall, level: clip, floor, protectedIds };
  return clipToFit(list, indices, excess, wanted);
}

function attemptFits(attempt: Attempt, room: number, options: PlanOptions): boolean {
  const size = requestSize(attempt.kept, options);
  const tokens = size.tokens + attempt.reserve;
  return fitsInto(room, { ...size, tokens }, options);
}

/** No head, so nothing is summarized: the large pieces are clipped, if there are any. */
function clipPlan(
  messages: readonly Message[],
  { edits }: Attempt,
  options: PlanOptions,
): ContextPlan | undefined {
  if (edits.length === 0) return undefined;
  const { length } = messages;
  const reasoning = boundReasoning(messages, edits, options);
  return { version: 1, action: "prune", length, edits, ...reasoning };
}

interface Decided {
  readonly attempt: Attempt;
  readonly media: DescribedMedia;
  readonly source: Source;
}

function compactionPlan(
  messages: readonly Message[],
  { attempt, media, source }: Decided,
): ContextPlan {
  const { system, options } = source;
  const traits = options.traits ?? NEUTRAL_TRAITS;
  const keptIndices = [...attempt.pinned, ...range(attempt.start, messages.length)];
  const withoutReasoning = traits.boundReasoning
    ? keptIndices.filter((index) =>
        messages[index]?.parts.some((part) => part.type === "reasoning"),
      )
    : [];
  const split = { system, tailStart: attempt.start, withoutReasoning };
  const lead = messages.slice(0, system);
  const kept = [...lead, ...keptIndices.flatMap((index) => messages[index] ?? [])];
  const { state, needed, message } = buildContinuation(messages, {
    policy: options.continuation,
    kept,
    endsWithInput: traits.endsWithInput,
  });
  // Some chat templates refuse a conversation in which no user speaks.
  const hasUserMessage = message !== undefined || kept.some((one) => one.role === "user");
  const role = hasUserMessage ? traits.summaryRole : "user";
  const head = options.headOf?.(split) ?? headOriginal(messages, split, options.digest);
  const compaction: CompactionPlan = {
    ...split,
    pinned: attempt.pinned,
    ...(attempt.steps.left.length > 0 && {
      unpinned: attempt.steps.left.map((result) => unpinnedResult(result, options)),
    }),
    ...(media.message !== undefined && { hadMedia: media.message }),
    handle: head.handle,
    summary: { role, cap: attempt.reserve - FRAME_TOKENS },
    state,
    ...(needed && { needed }),
    ...(message !== undefined && { continuation: message }),
  };
  const isKept = new Set(keptIndices);
  const edits = [...media.edits, ...attempt.edits].filter((edit) => isKept.has(edit.message));
  return { version: 1, action: "compact", length: messages.length, edits, compaction };
}

function unpinnedResult(
  { message, part, call, facts, handle }: ProtectedResult,
  { canRecall = true }: PlanOptions,
): UnpinnedResult {
  const named = { tool: call.toolName, subject: facts.subject, isSkill: isSkill(facts) };
  return { message, part, ...named, ...(canRecall && { handle }) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
