import { describeCall } from "../calls/describe-call.ts";
import { toolKind } from "../calls/tool-kind.ts";
import { isPruned } from "../message/edit.ts";
import type { Handle } from "../message/handle.ts";
import { originalHandle } from "../message/original.ts";
import { isProtectedBy, type ProtectedTools } from "./protected-tools.ts";
import type { Digest, Message, Part, ToolCallPart, ToolResultPart } from "../message/index.ts";
import type { MessageMeter, TokenCounter } from "../tokens/index.ts";
import type { CallFacts, ToolKinds } from "../calls/index.ts";
import type { ContextBudget } from "../overflow/index.ts";

export interface PruneOptions {
  /** Protected beside skills. @default none */
  readonly protectedTools?: ProtectedTools;
}

/** Everything pruning needs to know; token figures are the meter's. */
export interface PruneContext extends PruneOptions {
  readonly budget: PruneBudget;
  /** The tokens that have to go; pruning stops once they are gone. */
  readonly excess: number;
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  readonly digest: Digest;
  readonly toolKinds?: ToolKinds;
  /** Whether the agent has the tool `recall`. @default true */
  readonly recall?: boolean;
  /** For `time.compacted`, in ms since the epoch. */
  readonly now: number;
}

/** The part of the budget that decides what is pruned. */
export type PruneBudget = Pick<
  ContextBudget,
  "usable" | "minimumSaving" | "protectedTurns" | "recent"
>;

/**
 * The protected part of a conversation: skills, whose output is rules that the agent must keep, and
 * what the caller names.
 */
export function protection({
  protectedTools,
  toolKinds,
}: Pick<PruneContext, "protectedTools" | "toolKinds">): (call: ToolCallPart) => boolean {
  const isNamed = protectedTools === undefined ? undefined : isProtectedBy(protectedTools);
  return (call) => {
    if (isNamed?.(call.toolName, call) === true) return true;
    // Few calls name such a file, and reading what each of them does takes long.
    if (toolKind(call.toolName, toolKinds) !== "skill" && !namesSkill(call.input)) return false;
    const facts = describeCall(call, toolKinds);
    const { kind, commands } = facts;
    const mayRead = kind === "command" ? commands.some(printsSkill) : kind === "read";
    return kind === "skill" || (mayRead && isSkill(facts));
  };
}

/** Whether a text, or a text in a value, names the file that holds a skill's rules. */
function namesSkill(value: unknown): boolean {
  if (typeof value === "string") return /SKILL\.md/i.test(value);
  // A value further inside is looked at as a whole call is.
  return typeof value === "object" && value !== null && Object.values(value).some(mayNameSkill);
}

/** A command that counts, finds or compares lines of the rules has not loaded them. */
function printsSkill(command: string): boolean {
  return /\b(?:cat|bat|nl|sed|head|tail|less|more|type|gc|Get-Content)\b[^|;&\n]*SKILL\.md/i.test(
    command,
  );
}

function mayNameSkill(value: unknown): boolean {
  return typeof value === "object" ? value !== null : namesSkill(value);
}

/** A result that outlives every edit: its place, its call, and the original's name. */
export interface ProtectedResult {
  readonly message: number;
  readonly part: number;
  readonly call: ToolCallPart;
  readonly facts: CallFacts;
  readonly handle: Handle;
}

/** The protected results of a conversation, oldest first; a failed one has nothing to keep. */
export function protectedResults(
  messages: readonly Message[],
  context: Pick<PruneContext, "protectedTools" | "toolKinds" | "digest">,
): readonly ProtectedResult[] {
  const isProtected = protection(context);
  const calls = new Map<string, ToolCallPart>();
  const results: ProtectedResult[] = [];
  for (let message = 0; message < messages.length; message++) {
    const { parts } = messages[message] as Message;
    for (let part = 0; part < parts.length; part++) {
      const piece = parts[part] as Part;
      if (piece.type === "tool-call" && isProtected(piece)) calls.set(piece.toolCallId, piece);
      else if (piece.type === "tool-call" && calls.size > 0) calls.delete(piece.toolCallId);
      if (piece.type !== "tool-result" || calls.size === 0) continue;
      const call = calls.get(piece.toolCallId);
      if (call === undefined || !isWorthKeeping(piece)) continue;
      const facts = describeCall(call, context.toolKinds);
      results.push({ message, part, call, facts, handle: originalHandle(piece, context.digest) });
    }
  }
  return results;
}

/** Of an output that its agent pruned there is nothing left. */
function isWorthKeeping(result: ToolResultPart): boolean {
  return !isFailed(result) && !(isPruned(result) && result.original === undefined);
}

/** The agent's own word for it, not the output's. */
export function isFailed({ isError, exitCode = 0 }: ToolResultPart): boolean {
  return isError === true || exitCode !== 0;
}

/** Agents without a tool for skills read the file that holds their rules. */
const SKILL_FILE = /(?:^|[\\/])SKILL\.md$/i;

/** True of a call that loads a skill: by its tool's kind, or by the file that it reads. */
export function isSkill({ kind, files }: CallFacts): boolean {
  return kind === "skill" || files.some(({ path, op }) => op === "read" && SKILL_FILE.test(path));
}
