import { changesFiles, type CallFacts } from "../calls/describe-call.ts";
import { isPruned } from "../message/edit.ts";
import type { Handle } from "../message/handle.ts";
import {
  inputText,
  withParts,
  type Message,
  type Part,
  type ToolCallPart,
} from "../message/message.ts";
import { originalHandle } from "../message/original.ts";
import { splitUnits, turnStart, waitingCalls } from "../message/structure.ts";
import { wholeTokens } from "../overflow/budget.ts";
import { partTokens } from "../tokens/count.ts";
import { tokensOfPart } from "../tokens/meter.ts";
import { inputPlaceholder, placeholder } from "./placeholder.ts";
import { isFailed, protection, type PruneContext } from "./protection.ts";
import { findRepeats, type ToolUse, toolUses } from "./repeats.ts";
import type { Edit } from "../message/index.ts";
import type { MessageMeter } from "../tokens/index.ts";

/** One pruned piece: the edit, and what it brings back. */
export interface PrunedPiece {
  readonly edit: Edit;
  readonly tool: string;
  /** Tokens saved. */
  readonly saving: number;
}

/** A place at which something may be pruned. */
export interface PruneScope {
  /** Only messages before this index … */
  readonly before: number;
  /** … and of those only these. @default all */
  readonly only?: ReadonlySet<number>;
}

/**
 * Chooses what to prune (T9) of all that stands before the boundary. Returns nothing when less than
 * the minimum saving would come back.
 */
export function planPrune(messages: readonly Message[], context: PruneContext): PrunedPiece[] {
  const pieces = prunedPieces(messages, { before: pruneBoundary(messages, context) }, context);
  // Less does not pay for the prompt cache it breaks.
  return savingOf(pieces) < context.budget.minimumSaving ? [] : pieces;
}

/** The tokens that pruning these pieces brings back. */
export function savingOf(pieces: readonly PrunedPiece[]): number {
  return pieces.reduce((total, { saving }) => total + saving, 0);
}

/**
 * The pieces in a scope that go until the excess has come back: repeated outputs first, then old
 * outputs from the oldest on, then the large inputs of old write and edit calls, then failed
 * outputs. The edits are sorted by place; pruned pieces are left alone, so pruning twice changes
 * nothing.
 */
export function prunedPieces(
  messages: readonly Message[],
  scope: PruneScope,
  context: PruneContext,
): PrunedPiece[] {
  const chosen: PrunedPiece[] = [];
  let saved = 0;
  for (const candidate of candidates(messages, scope, context)) {
    if (saved >= context.excess) break;
    const piece = prunedPiece(candidate, messages, context);
    if (piece === undefined) continue;
    chosen.push(piece);
    saved += piece.saving;
  }
  return chosen.sort((a, b) => a.edit.message - b.edit.message || a.edit.part - b.edit.part);
}

/**
 * More than pruning can bring back, in tokens: all that the messages with tool calls and results
 * before the boundary hold. It needs nothing but what the meter remembers.
 */
export function prunableTokens(messages: readonly Message[], context: PruneContext): number {
  const prunable = messages
    .slice(0, pruneBoundary(messages, context))
    .filter(({ parts }) =>
      parts.some(({ type }) => type === "tool-call" || type === "tool-result"),
    );
  return context.meter.total(prunable);
}

/** The edit that prunes a candidate; `undefined` where its placeholder would not be smaller. */
function prunedPiece(
  candidate: Candidate,
  messages: readonly Message[],
  context: PruneContext,
): PrunedPiece | undefined {
  const { use, reason } = candidate;
  const { message, part, call, result } = use;
  const handle = originalHandle(result ?? call, context.digest);
  const shorter = shortened(candidate, messages, context, handle);
  if (shorter === undefined) return undefined;
  const { text = "", input, saving } = shorter;
  const base = { message, part, handle, reason };
  const edit: Edit =
    result === undefined
      ? { ...base, type: "replace-input", input }
      : { ...base, type: "replace-output", text, at: context.now };
  return { edit, tool: call.toolName || (result?.toolName ?? ""), saving };
}

/** The replacement of a candidate. */
interface Shortened {
  readonly text?: string;
  readonly input?: unknown;
  readonly saving: number;
}

function shortened(
  { use: { message, call, result, facts }, reason }: Candidate,
  messages: readonly Message[],
  context: PruneContext,
  handle: Handle | undefined,
): Shortened | undefined {
  const { counter, recall } = context;
  if (result === undefined) {
    const input = smallInput(call.input, facts.largeInput, { handle, recall });
    const saving = partTokens(call, counter) - partTokens({ ...call, input }, counter);
    return saving > 0 ? { input, saving } : undefined;
  }
  const tokens = wholeTokens(tokensOfPart(messages[message] as Message, result, context));
  const text = placeholder({
    tool: call.toolName || result.toolName,
    input: facts.subject,
    output: result.output,
    tokens,
    isFailed: isFailed(result),
    exitCode: result.exitCode,
    reason,
    handle,
    recall,
  });
  const saving = tokens - partTokens({ ...result, output: [{ type: "text", text }] }, counter);
  return saving > 0 ? { text, saving } : undefined;
}

/**
 * The list as T9 would leave it if all went that may be pruned, for a reader that cannot recall: the
 * placeholders name no original.
 */
export function prunedView(messages: readonly Message[], context: PruneContext): Message[] {
  const view = [...messages];
  const scope = { before: pruneBoundary(messages, context) };
  for (const candidate of candidates(messages, scope, context)) {
    const shorter = shortened(candidate, messages, context, undefined);
    const { message: index, part: place } = candidate.use;
    const message = view[index];
    if (shorter === undefined || message === undefined) continue;
    const { text = "", input } = shorter;
    const parts = message.parts.map((part, at): Part => {
      if (at !== place) return part;
      if (part.type === "tool-call") return { ...part, input };
      if (part.type !== "tool-result") return part;
      return { ...part, output: [{ type: "text", text }], time: { compacted: context.now } };
    });
    view[index] = withParts(message, parts);
  }
  return view;
}

function smallInput(
  input: unknown,
  largeFields: readonly string[],
  { handle, recall }: { readonly handle: Handle | undefined; readonly recall: boolean | undefined },
): unknown {
  if (typeof input === "string") return inputPlaceholder(input, handle, recall);
  const small: Record<string, unknown> = { ...(input as Record<string, unknown>) };
  for (const name of largeFields) {
    const text = inputText(small[name]);
    if (text.length >= LARGE_INPUT_UNITS) small[name] = inputPlaceholder(text, handle, recall);
  }
  return small;
}

/**
 * The index before which tool outputs may be pruned (T9): the start of the second-last user turn.
 * With fewer turns than are protected, or when what they protect would overflow by itself, the
 * newest steps are protected instead, so that one long autonomous turn can be pruned.
 */
export function pruneBoundary(
  messages: readonly Message[],
  { meter, budget }: Pick<PruneContext, "meter" | "budget">,
): number {
  const { protectedTurns, usable, recent } = budget;
  const byTurn = protectedTurns > 0 ? turnStart(messages, protectedTurns) : undefined;
  if (byTurn !== undefined && meter.total(messages.slice(byTurn)) < usable) return byTurn;
  return newestHolding(messages, recent, meter);
}

function newestHolding(messages: readonly Message[], keep: number, meter: MessageMeter): number {
  const units = splitUnits(messages);
  let held = 0;
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined) break;
    held += meter.total(messages.slice(unit.from, unit.to));
    if (held >= keep) return unit.from;
  }
  return 0;
}

/** A large field of a call's input is worth pruning from this many characters on. */
const LARGE_INPUT_UNITS = 400;

/** A use of a tool that may be pruned. */
interface Candidate {
  readonly use: ToolUse;
  readonly reason: "pruned" | "superseded" | "duplicate";
}

/**
 * The pieces in a scope that may be pruned, in the order in which they go: what is repeated, old
 * outputs, large inputs, failed outputs; of each the oldest first. Most is never asked for.
 */
function* candidates(
  messages: readonly Message[],
  { before, only }: PruneScope,
  context: PruneContext,
): Iterable<Candidate> {
  const uses = toolUses(messages, context.toolKinds);
  const repeats = findRepeats(uses);
  let waiting: ReadonlySet<ToolCallPart> | undefined;
  const isOpen = (call: ToolCallPart): boolean =>
    call.pending === true && (waiting ??= waitingCalls(messages)).has(call);
  const ranks: [ToolUse[], ToolUse[], ToolUse[], ToolUse[]] = [[], [], [], []];
  for (const use of uses) {
    if (use.message >= before) break;
    if (only?.has(use.message) === false) continue;
    const { call, facts, result } = use;
    if (result === undefined) {
      if (hasLargeInput(call, facts) && !isOpen(call)) ranks[2].push(use);
    } else if (!isPruned(result)) {
      ranks[repeats.has(result) ? 0 : isFailed(result) ? 3 : 1].push(use);
    }
  }
  const isProtected = protection(context);
  for (const use of ranks.flat()) {
    const reason = (use.result && repeats.get(use.result)) ?? "pruned";
    if (!isProtected(use.call)) yield { use, reason };
  }
}

/** True of a call that carries the content of files: in fields, or as one free text (a patch). */
function hasLargeInput(call: ToolCallPart, facts: CallFacts): boolean {
  if (typeof call.input !== "string") return facts.largeInput.length > 0;
  return changesFiles(facts.kind) && call.input.length >= LARGE_INPUT_UNITS;
}
