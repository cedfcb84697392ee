import { ContextError } from "../error.ts";
import { describeValue } from "../message/shape.ts";
import type { Digest, ToolCallPart } from "../message/index.ts";
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
 * Tools whose outputs are never pruned: names (case does not matter, `*` stands for anything) and
 * patterns for names, one or a list, a Set or any other iterable; or a predicate over name and call.
 */
export type ProtectedTools = string | RegExp | Iterable<string | RegExp> | ProtectionTest;

export type ProtectionTest = (toolName: string, call: ToolCallPart | undefined) => boolean;

/** The option as one test. Throws `ContextError` code `invalid-options` for anything else. */
export function isProtectedBy(tools: ProtectedTools): ProtectionTest {
  if (typeof tools === "function") return tools;
  const patterns = [...listed(tools)].map((tool) => {
    if (typeof tool === "string" && tool.trim() !== "") return namePattern(tool);
    return tool instanceof RegExp ? tool : refused(tool);
  });
  return (toolName) => patterns.some((pattern) => matches(pattern, toolName));
}

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

/** A single name is no list of its letters. */
function listed(tools: Exclude<ProtectedTools, ProtectionTest>): Iterable<string | RegExp> {
  if (typeof tools === "string" || tools instanceof RegExp) return [tools];
  const isList = typeof tools === "object" && tools !== null && Symbol.iterator in tools;
  return isList ? tools : refused(tools);
}

function refused(value: unknown): never {
  throw new ContextError(
    "invalid-options",
    `The option protectedTools holds ${describeValue(value)}; it must be names and patterns, alone or in a list or a Set, or a function, e.g. ["memory_*"].`,
    { details: { option: "protectedTools" } },
  );
}

function namePattern(name: string): RegExp {
  const source = name
    .trim()
    .replace(/[.+?^${}()|[\]\\]/g, (char) => `\\${char}`)
    .replace(/\*+/g, () => ".*");
  return new RegExp(`^${source}$`, "is");
}

/** A caller's pattern may be sticky or global; its memory must not decide. */
function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}
