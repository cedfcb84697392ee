import { mediaEdits, mediaTest } from "../compact/media.ts";
import { newestUserMessage } from "../compact/tail.ts";
import { buildContinuation } from "../continuation/continuation.ts";
import { ContextError } from "../error.ts";
import { applyEdits } from "../message/edit.ts";
import { leadingSystemCount } from "../message/structure.ts";
import { isOverflow, wholeTokens } from "../overflow/budget.ts";
import { isSkill, type ProtectedResult } from "../prune/protection.ts";
import { planPrune, prunableTokens, savingOf } from "../prune/prune.ts";
import { applyPlan, headOriginal } from "./apply-plan.ts";
import { type Attempt, firstThatFits, leastOf, range, type Source, sourceOf } from "./attempt.ts";
import { editingPlan } from "./editing-plan.ts";
import { NEUTRAL_TRAITS, type PlanOptions } from "./options.ts";
import type { CompactionPlan, ContextPlan, HeadSplit, UnpinnedResult } from "./plan.ts";
import { excessOver, fitsInto, isOver, requestSize, roomOf } from "./size.ts";
import type { Edit, Handle, Message } from "../message/index.ts";
import type { PruneContext } from "../prune/index.ts";

/**
 * Decides what to do to a conversation; pure, and the result is plain JSON. Nothing while there is
 * room; else pruning, if that alone reaches the target; else a compaction (at once with `force`, never
 * with `pruneOnly`).
 * The list must be legal (`checkMessages`). Throws `ContextError` code `irreducible` when what may
 * not be removed does not fit, naming what fills the window.
 */
export function planContext(messages: readonly Message[], options: PlanOptions): ContextPlan {
  const size = requestSize(messages, options, options.usedTokens);
  const nothing: ContextPlan = { version: 1, action: "none", length: messages.length, edits: [] };
  const mustShrink = isOver(size, options);
  if (!mustShrink && options.force !== true) {
    const mustDescribe = (options.unloadedLinks ?? []).length > 0;
    const described = mustDescribe ? describedMedia(messages, options) : [];
    return described.length === 0 ? nothing : editingPlan(messages, described, options);
  }
  if (options.pruneOnly === true) return prunedOnly(messages, options, size.tokens) ?? nothing;
  assertFixedFits(messages, options);
  const mayPrune = mustShrink && options.force !== true && options.canRecall !== false;
  const pruned = mayPrune ? prunePlan(messages, options, size.tokens) : undefined;
  if (pruned !== undefined) return pruned;
  const compacted = planCompaction(messages, options);
  if (compacted !== undefined) return compacted;
  // A report may be wrong; what fits as it is counted is sent, and the provider says if it was right.
  if (isOver(requestSize(messages, options), asCounted(options)))
    throw irreducible(messages, options);
  return nothing;
}

/** The options without the report for the list of before. */
function asCounted(options: PlanOptions): PlanOptions {
  return { ...options, usedTokens: undefined };
}

/** The edits of the media that could not be loaded, or that the caller wants described. */
function describedMedia(messages: readonly Message[], options: PlanOptions): readonly Edit[] {
  return mediaEdits(messages, mediaTest(options), options);
}

/** T9: the plan that only prunes, if that brings the context to its target. */
function prunePlan(
  whole: readonly Message[],
  options: PlanOptions,
  used: number,
): ContextPlan | undefined {
  const { budget, meter } = options;
  const described = describedMedia(whole, options);
  const messages = applyEdits(whole, described);
  const tokens = used - (meter.total(whole) - meter.total(messages));
  const excess = tokens - budget.target;
  const context: PruneContext = { ...options, excess };
  // Most long conversations are beyond pruning; that is seen before anything is chosen.
  if (prunableTokens(messages, context) < excess) return undefined;
  const pieces = planPrune(messages, context);
  const saved = savingOf(pieces);
  const edits = [...described, ...pieces.map((piece) => piece.edit)];
  if (edits.length === 0 || tokens - saved > budget.target) return undefined;
  const plan = editingPlan(whole, edits, options);
  const after = requestSize(applyPlan(whole, plan), options);
  if (!fitsInto({ ...after, tokens: tokens - saved }, roomOf(budget.target, options)))
    return undefined;
  // The report for the list of before says nothing about this one: its count decides next.
  return isOver(after, asCounted(options)) ? undefined : plan;
}

/** T9 alone: as much as the target asks for, or all that may be pruned where it is reached already. */
function prunedOnly(
  messages: readonly Message[],
  options: PlanOptions,
  used: number,
): ContextPlan | undefined {
  if (options.canRecall === false) return undefined;
  const excess = used - options.budget.target;
  const pieces = planPrune(messages, { ...options, excess: excess > 0 ? excess : Infinity });
  const edits = pieces.map(({ edit }) => edit);
  const [first] = edits;
  if (first === undefined || options.pays?.(savingOf(pieces), first.message) === false)
    return undefined;
  return editingPlan(messages, edits, options);
}

/**
 * Plans a compaction (T8, T11): tail, pins, clips and the room for the summary, so that the result
 * fits whatever the summary says. Without a head the plan only clips. `undefined` when
 * there is nothing to do, or when nothing fits.
 */
function planCompaction(
  messages: readonly Message[],
  options: PlanOptions,
): ContextPlan | undefined {
  const source = sourceOf(messages, options);
  const attempt = firstThatFits(source);
  if (attempt === undefined) return undefined;
  return attempt.start <= source.system
    ? clipPlan(messages, attempt, options)
    : compactionPlan(messages, attempt, source);
}

/** No head, so nothing is summarized: the large pieces are clipped, if there are any. */
function clipPlan(
  messages: readonly Message[],
  { edits, withoutReasoning }: Attempt,
  options: PlanOptions,
): ContextPlan | undefined {
  if (edits.length === 0 && withoutReasoning.length === 0) return undefined;
  return editingPlan(messages, edits, options, withoutReasoning);
}

function compactionPlan(
  messages: readonly Message[],
  attempt: Attempt,
  { system, options, media }: Source,
): ContextPlan {
  const traits = options.traits ?? NEUTRAL_TRAITS;
  const { withoutReasoning, summary } = attempt;
  const keptIndices = [...attempt.pinned, ...range(attempt.start, messages.length)];
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
  const handle = options.canRecall === false ? undefined : handleOfHead(messages, split, options);
  const compaction: CompactionPlan = {
    ...split,
    pinned: attempt.pinned,
    ...(attempt.steps.left.length > 0 && {
      unpinned: attempt.steps.left.map((result) => unpinnedResult(result, options)),
    }),
    ...(media.hadMedia !== undefined && { hadMedia: media.hadMedia }),
    ...(handle !== undefined && { handle }),
    summary: { role, ...summary },
    state,
    ...(needed && { needed }),
    ...(message !== undefined && { continuation: message }),
  };
  const isKept = new Set(keptIndices);
  const edits = attempt.edits.filter((edit) => isKept.has(edit.message));
  return { version: 1, action: "compact", length: messages.length, edits, compaction };
}

function handleOfHead(
  messages: readonly Message[],
  split: HeadSplit,
  { headOf, digest }: PlanOptions,
): Handle {
  return (headOf?.(split) ?? headOriginal(messages, split, digest)).handle;
}

function unpinnedResult(
  { message, part, call, facts, handle }: ProtectedResult,
  { canRecall = true }: PlanOptions,
): UnpinnedResult {
  const named = { tool: call.toolName, subject: facts.subject, isSkill: isSkill(facts) };
  return { message, part, ...named, ...(canRecall && { handle }) };
}

/** If the fixed part alone fills the budget, no compaction can help. */
function assertFixedFits(messages: readonly Message[], options: PlanOptions): void {
  const system = messages.slice(0, leadingSystemCount(messages));
  const fixed = requestSize(system, options).tokens;
  if (isOverflow(fixed, options.budget)) throw irreducible(messages, options);
}

/** The number of biggest items that the error names. */
const NAMED_ITEMS = 5;

interface Item {
  readonly what: string;
  readonly tokens: number;
}

/** The error that says what fills the window when nothing more can be removed. */
function irreducible(messages: readonly Message[], options: PlanOptions): ContextError {
  const { window, usable } = options.budget;
  const least = leastOf(messages, options);
  const items = leastItems(least, options).sort((a, b) => b.tokens - a.tokens);
  const biggest = items.slice(0, NAMED_ITEMS);
  const named = biggest.map(({ what, tokens }) => `${what} (${tokens} tokens)`).join(", ");
  return new ContextError(
    "irreducible",
    `The context does not fit into ${limitOf(least.kept, options)}, because these may not be removed: ${named}. Use a model with a larger window, or shorten them.`,
    { details: { window, usable, biggest } },
  );
}

/** The limit that cannot be kept, in the figures that somebody set or could set. */
function limitOf(kept: readonly Message[], options: PlanOptions): string {
  const { window, reserved } = options.budget;
  const { maxBytes, maxImages } = options.requestLimits ?? {};
  const { bytes, images } = excessOver(requestSize(kept, options), roomOf(0, options));
  if (bytes > 0) return `a request of ${maxBytes} bytes`;
  if (images > 0) return `a request of ${maxImages} images`;
  return `a window of ${window} tokens, ${reserved} of which are kept free for the answer (the option reserved, --reserved on the command line)`;
}

/** The floor of every result: the rules, the newest words and what stands beside the messages. */
function leastItems(
  { kept, places, reserve }: ReturnType<typeof leastOf>,
  { meter, fixedTokens = 0 }: PlanOptions,
): Item[] {
  const newest = newestUserMessage(kept);
  const items = kept.map((message, index): Item => {
    const role = index === newest ? "newest user" : message.role;
    return { what: `${role} message ${places[index]}`, tokens: meter.tokens(message) };
  });
  if (reserve.tokens > 0) items.push({ what: "the summary", tokens: reserve.tokens });
  if (fixedTokens > 0) {
    const what = "the system prompt and tool schemas that stand beside the messages";
    items.push({ what, tokens: fixedTokens });
  }
  // A provider's factor makes fractions of them.
  return items.map(({ what, tokens }) => ({ what, tokens: wholeTokens(tokens) }));
}
