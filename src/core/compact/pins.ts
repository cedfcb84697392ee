import { applyEdits } from "../message/edit.ts";
import { messageText } from "../message/message.ts";
import { isSealedSummary, splitUnits, startsTurn } from "../message/structure.ts";
import { prunedPieces } from "../prune/prune.ts";
import { isFrame } from "../summary/frame.ts";
import { newestUserMessage } from "./tail.ts";
import type { Edit, Handle, Message, Unit } from "../message/index.ts";
import type { ProtectedResult, PruneContext } from "../prune/index.ts";
import type { MessageMeter } from "../tokens/index.ts";

/** Share of usable that rules from the head may take beside the summary. */
const MAX_RULES_SHARE = 0.1;
/** Share of usable that a summary which only its provider can read may take. */
const MAX_SEALED_SHARE = 0.25;

export interface PinOptions {
  readonly meter: MessageMeter;
  readonly usable: number;
  /** The head is `[from, to)`. */
  readonly from: number;
  readonly to: number;
}

/**
 * The messages of the head that stay verbatim, in order: the newest one that the person typed, if
 * the head holds it; the newest summary that only its provider can read, if it fits into a quarter
 * of usable; and the rules that a summary would water down (system messages in the middle of the
 * list, and what a program put before the first turn, such as AGENTS.md), as far as they fit into
 * a tenth. Behind a summary of its own an agent puts files that it has read again: those are no rules.
 */
export function pinnedMessages(messages: readonly Message[], options: PinOptions): number[] {
  const { from, to, meter, usable } = options;
  const pinned: number[] = [];
  let room = Math.floor(usable * MAX_RULES_SHARE);
  const newest = newestUserMessage(messages);
  const sealed = messages.findLastIndex(isSealedSummary);
  const preambleEnd = messages.findIndex((one) => startsTurn(one) || isOfOthers(one));
  for (let index = from; index < to; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (index === newest) pinned.push(index);
    else if (index === sealed) {
      if (meter.tokens(message) <= usable * MAX_SEALED_SHARE) pinned.push(index);
    } else if (isRule(message, index < preambleEnd) && meter.tokens(message) <= room) {
      room -= meter.tokens(message);
      pinned.push(index);
    }
  }
  return pinned;
}

/** Whether another agent summarized there. */
function isOfOthers(message: Message): boolean {
  return message.kind === "summary" && !isFrame(messageText(message));
}

function isRule(message: Message, isPreamble: boolean): boolean {
  if (message.kind === "summary") return false;
  return message.role === "system" || (isPreamble && message.kind === "injected");
}

/** The fate of the protected steps of a head. */
export interface PinnedSteps {
  /** The messages that stay verbatim, in order. */
  readonly messages: readonly number[];
  /** Edits that prune the other outputs of those steps. */
  readonly edits: readonly Edit[];
  /** Of those messages after these edits. */
  readonly tokens: number;
  /** The results that have no room, newest first. */
  readonly left: readonly ProtectedResult[];
}

/** The head `[from, to)`, and the tokens that its protected steps may take. */
export interface StepPinOptions {
  readonly from: number;
  readonly to: number;
  readonly room: number;
  /** Absent where nothing may be pruned. */
  readonly prune?: PruneContext;
  readonly meter: MessageMeter;
}

/**
 * The protected steps of a head that stay, newest first as far as the room goes: call and result as
 * they are, and of whatever else the step did the placeholders. A result that stands further on,
 * word for word, is there already.
 */
export function pinnedSteps(
  messages: readonly Message[],
  results: readonly ProtectedResult[],
  { from, to, room, prune, meter }: StepPinOptions,
): PinnedSteps {
  const units = results.length === 0 ? [] : splitUnits(messages);
  const pinned = new Set<Unit>();
  const covered = new Set<Handle>();
  const edits: Edit[] = [];
  const left: ProtectedResult[] = [];
  let tokens = 0;
  for (const result of results.toReversed()) {
    while ((units.at(-1)?.from ?? 0) > result.message) units.pop();
    const unit = units.at(-1);
    if (unit === undefined || result.message < from || covered.has(result.handle)) continue;
    covered.add(result.handle);
    if (result.message >= to || pinned.has(unit)) continue;
    const step = messages.slice(unit.from, unit.to);
    const own = prune === undefined ? [] : othersPruned(step, prune);
    const size = meter.total(applyEdits(step, own));
    if (tokens + size > room) {
      left.push(result);
      continue;
    }
    pinned.add(unit);
    edits.push(...own.map((edit) => ({ ...edit, message: edit.message + unit.from })));
    tokens += size;
  }
  const kept = [...pinned]
    .toReversed()
    .flatMap(({ from: first, to: end }) =>
      Array.from({ length: end - first }, (_, at) => first + at),
    );
  return { messages: kept, edits, tokens, left };
}

function othersPruned(step: readonly Message[], prune: PruneContext): Edit[] {
  const pieces = prunedPieces(step, { before: step.length }, { ...prune, excess: Infinity });
  return pieces.map(({ edit }) => edit);
}
