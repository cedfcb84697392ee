import { describeCall } from "../calls/describe-call.ts";
import { isPruned } from "../message/edit.ts";
import type { Handle } from "../message/handle.ts";
import { originalHandle } from "../message/original.ts";
import { isProtectedBy, type ProtectedTools } from "./protected-tools.ts";
import type { Digest, Message, ToolCallPart, ToolResultPart } from "../message/index.ts";
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
  /** How many tokens have to go; pruning stops once they are gone. */
  readonly excess: number;
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  readonly digest: Digest;
  readonly toolKinds?: ToolKinds;
  /** For `time.compacted`, in ms since the epoch. */
  readonly now: number;
}

/** What of the budget decides what is pruned. */
export type PruneBudget = Pick<
  ContextBudget,
  "usable" | "minimumSaving" | "protectedTurns" | "recent"
>;

/**
 * What is protected of a conversation: skills, whose output is rules that the agent must keep, and
 * what the caller names.
 */
export function protection(
  tools: ProtectedTools | undefined,
): (call: ToolCallPart, facts: CallFacts) => boolean {
  const isNamed = tools === undefined ? undefined : isProtectedBy(tools);
  return (call, facts) => isSkill(facts) || isNamed?.(call.toolName, call) === true;
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
  {
    protectedTools,
    toolKinds,
    digest,
  }: Pick<PruneContext, "protectedTools" | "toolKinds" | "digest">,
): readonly ProtectedResult[] {
  const isProtected = protection(protectedTools);
  const calls = new Map<string, Pick<ProtectedResult, "call" | "facts">>();
  return messages.flatMap(({ parts }, message) =>
    parts.flatMap((piece, part): ProtectedResult[] => {
      if (piece.type === "tool-call") {
        const facts = describeCall(piece, toolKinds);
        calls.delete(piece.toolCallId);
        if (isProtected(piece, facts)) calls.set(piece.toolCallId, { call: piece, facts });
      }
      if (piece.type !== "tool-result" || isFailed(piece)) return [];
      const made = calls.get(piece.toolCallId);
      // Of an output that its agent pruned there is nothing left to keep.
      if (made === undefined || (isPruned(piece) && piece.original === undefined)) return [];
      return [{ message, part, ...made, handle: originalHandle(piece, digest) }];
    }),
  );
}

/** The agent's own word for it, not the output's. */
export function isFailed({ isError, exitCode = 0 }: ToolResultPart): boolean {
  return isError === true || exitCode !== 0;
}

/** Agents without a tool for skills read the file that holds their rules. */
const SKILL_FILE = /(?:^|[\\/])SKILL\.md$/i;

/** True of a call that loads a skill: by its tool's kind, or by the file that it reads. */
export function isSkill(facts: CallFacts): boolean {
  const { kind, commands } = facts;
  if (kind === "skill") return true;
  // Reading a shell's text takes long, and few commands name such a file.
  const mayRead = kind === "read" || commands.some((command) => /SKILL\.md/i.test(command));
  return mayRead && facts.files.some(({ path, op }) => op === "read" && SKILL_FILE.test(path));
}
