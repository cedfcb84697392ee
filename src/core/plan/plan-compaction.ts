import { clipToFit, type ClipLevel } from "../compact/clip.ts";
import { pinnedMessages } from "../compact/pins.ts";
import { tailStart } from "../compact/tail.ts";
import { buildContinuation } from "../continuation/continuation.ts";
import { applyEdits, type Edit } from "../message/edit.ts";
import { leadingSystemCount } from "../message/structure.ts";
import { LEAST_SUMMARY } from "../overflow/budget-options.ts";
import { headOriginal } from "./apply-plan.ts";
import { boundReasoning } from "./bound-reasoning.ts";
import { type DescribedMedia, describedMedia, mediaOverLimits } from "./media.ts";
import { NEUTRAL_TRAITS, type PlanOptions } from "./options.ts";
import type { CompactionPlan, ContextPlan } from "./plan.ts";
import { countedLimit, fitsInto, requestSize } from "./size.ts";
import type { Message } from "../message/index.ts";

/** What the frame around a summary costs beside the summary's own cap, in tokens. */
const FRAME_TOKENS = 120;

/**
 * The ladder: what is tried, in order, until the result fits. First a whole tail, then one with
 * clipped outputs, then a smaller one, and at the end everything but the newest words is clipped.
 */
interface Rung {
  /** Share of the tail budget. */
  readonly tail: number;
  /** At most so many of the tail's least units. */
  readonly units: number;
  readonly clip: ClipLevel;
  /** No piece is clipped below this many tokens. */
  readonly floor: number;
  /** Share of the summary's cap. */
  readonly summary: number;
}

const LADDER: readonly Rung[] = [
  { tail: 1, units: Infinity, clip: "nothing", floor: 0, summary: 1 },
  { tail: 1, units: Infinity, clip: "outputs", floor: 1_000, summary: 1 },
  { tail: 1, units: Infinity, clip: "inputs", floor: 300, summary: 1 },
  { tail: 0.5, units: Infinity, clip: "inputs", floor: 300, summary: 1 },
  { tail: 0, units: 2, clip: "inputs", floor: 200, summary: 1 },
  { tail: 0, units: 2, clip: "texts", floor: 150, summary: 1 },
  { tail: 0, units: 1, clip: "user", floor: 120, summary: 1 },
  { tail: 0, units: 1, clip: "user", floor: 80, summary: 0.5 },
];

/** One rung tried out: the edits it needs and what would be kept. */
interface Attempt {
  readonly edits: readonly Edit[];
  readonly start: number;
  readonly pinned: readonly number[];
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
  const system = leadingSystemCount(messages);
  const limit = countedLimit(options) - 1;
  const media = describedMedia(messages, options);
  const source = applyEdits(messages, media.edits);
  for (const room of [roomFor(source, system, limit, options), limit]) {
    for (const rung of LADDER) {
      const attempt = tryRung(source, rung, { system, room, options });
      if (!attemptFits(attempt, room, options)) continue;
      const decided = { system, attempt, media, options };
      return attempt.reserve > 0
        ? compactionPlan(messages, decided)
        : clipPlan(messages, attempt, options);
    }
  }
  return undefined;
}

/**
 * What the result should fit into: the target, or more where system messages, summary and a whole
 * tail need it, as they do in small windows.
 */
function roomFor(
  messages: readonly Message[],
  system: number,
  limit: number,
  options: PlanOptions,
): number {
  const { summary, target, tail: wholeTail } = options.budget;
  const fixed = requestSize(messages.slice(0, system), options).tokens;
  const tail =
    options.tailStart === undefined
      ? wholeTail
      : options.meter.total(messages.slice(options.tailStart));
  const wanted = fixed + summary + FRAME_TOKENS + tail;
  return Math.min(limit, Math.max(target, wanted));
}

interface RungContext {
  readonly system: number;
  readonly room: number;
  readonly options: PlanOptions;
}

function tryRung(
  messages: readonly Message[],
  rung: Rung,
  { system, room, options }: RungContext,
): Attempt {
  const { budget, meter, counter, digest, now, canRecall = true } = options;
  const start =
    options.tailStart ??
    tailStart(messages, {
      meter,
      budget: Math.floor(budget.tail * rung.tail),
      minUnits: Math.min(budget.tailUnits, rung.units),
      floor: system,
    });
  // Without a head there is nothing to summarize; clipping alone may still make it fit.
  const hasHead = start > system;
  const pinned = pinnedMessages(messages, {
    meter,
    usable: budget.usable,
    from: system,
    to: start,
  });
  const cap = Math.max(LEAST_SUMMARY, Math.floor(budget.summary * rung.summary));
  const reserve = hasHead ? cap + FRAME_TOKENS : 0;
  const indices = [...pinned, ...range(start, messages.length)];
  const kept = (list: readonly Message[]): Message[] => [
    ...list.slice(0, system),
    ...indices.flatMap((index) => list[index] ?? []),
  ];
  const media = mediaOverLimits(messages, indices, options);
  const lighter = applyEdits(messages, media);
  const excess = requestSize(kept(lighter), options).tokens + reserve - room;
  const wanted = { counter, digest, now, canRecall, level: rung.clip, floor: rung.floor };
  const clips = excess > 0 ? clipToFit(lighter, indices, excess, wanted) : [];
  const edits = [...media, ...clips];
  return { edits, start, pinned, reserve, kept: kept(applyEdits(lighter, clips)) };
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
  readonly system: number;
  readonly attempt: Attempt;
  readonly media: DescribedMedia;
  readonly options: PlanOptions;
}

function compactionPlan(
  messages: readonly Message[],
  { system, attempt, media, options }: Decided,
): ContextPlan {
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

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
