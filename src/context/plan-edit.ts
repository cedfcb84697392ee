import { type Archive, putOriginal } from "../archive/archive.ts";
import { sha256Hex } from "../archive/digest.ts";
import { unreachableLinks } from "../core/compact/media.ts";
import { type Failure, failureOf, isContextError } from "../core/error.ts";
import { linesOf, originalOfLines } from "../core/message/original.ts";
import { repairMessages } from "../core/message/repair.ts";
import { headOriginal, originalsOf } from "../core/plan/apply-plan.ts";
import { NEUTRAL_TRAITS, type PlanOptions } from "../core/plan/options.ts";
import { planContext } from "../core/plan/plan-context.ts";
import { clipLine } from "../core/text/clip.ts";
import type { Gauge } from "./measure.ts";
import type { ContextOptions } from "./options.ts";
import type { RecallChoice } from "./recall-choice.ts";
import type { View } from "./report.ts";
import { withKnownOriginals } from "./known-originals.ts";
import type { Message, MessageIssue, MessageLines, Original } from "../core/message/index.ts";
import type { ContextPlan, HeadSplit } from "../core/plan/index.ts";

/** A plan whose originals are in the archive, or that says that they are not. */
export interface ArchivedPlan {
  /** The legal list that the plan was made for. */
  readonly messages: readonly Message[];
  readonly plan: ContextPlan;
  readonly isArchived: boolean;
  readonly failures: readonly Failure[];
}

interface PlanningParts {
  readonly options: ContextOptions;
  readonly gauge: Gauge;
  readonly recall: RecallChoice;
}

/** The planner's options for a view, all sizes in the provider's tokens. */
export function planOptions(
  { measured, startedAt }: Pick<View, "measured" | "startedAt">,
  { options, gauge, recall }: PlanningParts,
): PlanOptions {
  const { boundReasoning } = gauge.beside;
  const { traits = NEUTRAL_TRAITS } = options;
  return {
    ...gauge.tokens(),
    budget: gauge.budget,
    digest: sha256Hex,
    now: startedAt,
    usedTokens: measured.most,
    requestLimits: options.requestLimits,
    traits: { ...traits, boundReasoning: boundReasoning ?? traits.boundReasoning },
    protectedTools: options.protectedTools,
    toolKinds: options.toolKinds,
    continuation: options.continuation,
    recall: recall.hasTool(),
    unansweredMedia: options.unansweredMedia,
    describeMedia: options.describeMedia,
  };
}

/** Pruning that nothing forces, in tokens. */
export interface EarlyPrune {
  /** That are left out of this request and all that follow. */
  readonly saved: number;
  /** That stand behind the first change and stood in the request before: a cache may have them. */
  readonly broken: number;
}

/** One edit, as the caller or a refused request asks for it. */
export interface EditWanted {
  /** Compact even though there is room. */
  readonly force: boolean;
  /** Summarize nothing. */
  readonly pruneOnly?: boolean;
  /** While there is room: whether to prune. */
  readonly pays?: (prune: EarlyPrune) => boolean;
  /** The provider's words about a link that it could not load. */
  readonly unreachable?: string;
}

/** The planner's options for one edit of a legal list; links that did not load are described at once. */
export function editOptions(
  view: View,
  messages: readonly Message[],
  wanted: EditWanted,
  parts: PlanningParts,
): { readonly planning: PlanOptions; readonly unloaded: readonly string[] } {
  const options = { ...planOptions(view, parts), ...extentOf(view, wanted, parts.gauge) };
  const { unreachable } = wanted;
  const links = unreachable === undefined ? [] : unreachableLinks(messages, unreachable);
  if (links.length === 0) return { planning: options, unloaded: [] };
  // The part behind a "?" signs a link.
  const named = links.map((link) => clipLine(link.replace(/[?#][^]*/, ""), LINK_UNITS));
  const told = `the provider could not load what is linked; described by text: ${named.join(", ")}`;
  return { planning: { ...options, unloadedLinks: links }, unloaded: [told] };
}

const LINK_UNITS = 200;

/**
 * The extent of an edit. While there is room and nothing forces it, it is pruning alone, if that
 * pays.
 */
function extentOf(
  view: View,
  { force, pruneOnly = false, pays }: EditWanted,
  gauge: Gauge,
): Pick<PlanOptions, "force" | "pruneOnly" | "pays"> {
  if (pays === undefined || force || gauge.isOver(view)) return { force, pruneOnly };
  const before = view.messages.slice(0, view.from);
  return {
    force: true,
    pruneOnly: true,
    pays: (saved, first) =>
      pays({ saved, broken: gauge.tokens().meter.total(before.slice(first)) }),
  };
}

/** A plan for messages that are legal, and what is known of them. */
export interface PlanRequest {
  readonly archive: Archive;
  readonly options: PlanOptions;
  /** The lines of the messages, where they are written already. */
  readonly lines: MessageLines | undefined;
  /** The start of the tail behind a summary that was written ahead of need. */
  readonly preparedTail: number | undefined;
}

/**
 * Plans an edit and archives what leaves, before anything leaves the window. If the archive takes
 * nothing, the plan is made again without pruning and without promises.
 */
export async function planAndArchive(
  messages: readonly Message[],
  { archive, options, lines, preparedTail }: PlanRequest,
): Promise<ArchivedPlan> {
  const known = await withKnownOriginals(archive, messages);
  const headOf = headsOf(known, lines);
  const planning = { ...options, headOf };
  const plan = planBehind(preparedTail, known, planning) ?? planContext(known, planning);
  const head = plan.compaction && headOf(plan.compaction);
  const failures = await archived(archive, originalsOf(known, plan, sha256Hex, head));
  if (failures.length === 0) return { messages, plan, isArchived: true, failures };
  const again = planContext(messages, { ...options, canRecall: false });
  return { messages, plan: again, isArchived: false, failures };
}

/** The originals of the heads of a list. The newest is remembered: writing it out takes a while. */
function headsOf(
  messages: readonly Message[],
  lines: MessageLines | undefined,
): (split: HeadSplit) => Original {
  let last: { readonly key: string; readonly head: Original } | undefined;
  return (split) => {
    const { system, tailStart, withoutReasoning } = split;
    const key = [system, tailStart, ...withoutReasoning].join(" ");
    if (last?.key !== key) last = { key, head: headOriginal(messages, split, sha256Hex, lines) };
    return last.head;
  };
}

/** A tail that is larger than this share of usable would fill the window again at once. */
const LARGEST_TAIL = 0.6;

/** The plan whose head is exactly what a summary was written about, if that is a good one. */
function planBehind(
  tailStart: number | undefined,
  messages: readonly Message[],
  options: PlanOptions,
): ContextPlan | undefined {
  if (tailStart === undefined) return undefined;
  const { meter, budget, fixedTokens = 0 } = options;
  const kept = fixedTokens + meter.total(messages.slice(tailStart));
  if (kept > budget.usable * LARGEST_TAIL) return undefined;
  try {
    return planContext(messages, { ...options, tailStart });
  } catch (error) {
    // Another tail may still fit.
    if (isContextError(error)) return undefined;
    throw error;
  }
}

/** A disk syncs several files in hardly more time than one. */
const STORED_AT_ONCE = 8;

/**
 * Stores originals. Returns what failed; after a failure nothing more is begun, because the medium is
 * to blame and not the original.
 */
export async function archived(
  archive: Archive,
  originals: readonly Original[],
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const rest = originals.values();
  const store = async (): Promise<void> => {
    for (const original of rest) {
      if (failures.length > 0) return;
      try {
        await putOriginal(archive, original);
      } catch (error) {
        const what = "The original was not kept, so pruning is refused";
        failures.push(failureOf(error, "archive-failed", what));
      }
    }
  };
  await Promise.all(Array.from({ length: STORED_AT_ONCE }, store));
  return failures.slice(0, 1);
}

/** A list made legal; what was left out of it is in the archive, and told. */
export async function repaired(
  messages: readonly Message[],
  issues: readonly MessageIssue[],
  { archive }: { readonly archive: Archive },
): Promise<{
  legal: readonly Message[];
  lead: number;
  repairs: string[];
  unkept: readonly Failure[];
}> {
  const { messages: legal, repairs, dropped, lead } = repairMessages(messages, issues);
  const told = repairs.map(({ index, message }) => `message ${index}: ${message}`);
  if (dropped.length === 0) return { legal, lead, repairs: told, unkept: [] };
  const original = originalOfLines(linesOf(dropped), sha256Hex);
  const unkept = await archived(archive, [original]);
  const where = unkept.length > 0 ? "was not kept" : `is archived: recall ${original.handle}`;
  return { legal, lead, repairs: [...told, `what was left out ${where}`], unkept };
}
