import { ContextError } from "../error.ts";
import type { Digest, ToolCallPart } from "../message/index.ts";
import type { MessageMeter, TokenCounter } from "../tokens/index.ts";
import type { ToolKinds } from "../calls/index.ts";

export interface PruneOptions {
  /** @default ["skill"] */
  readonly protectedTools?: ProtectedTools;
  /** Tokens. @default 20000, or 10 % of the window if that is less */
  readonly minimumSaving?: number;
  /** Tokens of newest steps protected where user turns give no boundary. @default 40000 */
  readonly protectedTokens?: number;
}

/** Everything pruning needs to know; token figures are the meter's. */
export interface PruneContext {
  readonly options?: PruneOptions;
  readonly window: number;
  readonly usable: number;
  /** How many tokens have to go; pruning stops once they are gone. */
  readonly excess: number;
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  readonly digest: Digest;
  readonly toolKinds?: ToolKinds;
  /** For `time.compacted`, in ms since the epoch. */
  readonly now: number;
}

/**
 * Tools whose outputs are never pruned: names (case does not matter, `*` stands for anything) and
 * patterns for names, as a list, a Set or any other iterable; or a predicate over name and call.
 */
export type ProtectedTools = Iterable<string | RegExp> | ProtectionTest;

export type ProtectionTest = (toolName: string, call: ToolCallPart | undefined) => boolean;

/** A skill's output is instructions that the agent must keep. */
export const DEFAULT_PROTECTED_TOOLS: readonly string[] = ["skill"];

/** The option as one test. Throws `ContextError` code `invalid-options` for anything else. */
export function isProtectedBy(tools: ProtectedTools): ProtectionTest {
  if (typeof tools === "function") return tools;
  const patterns = [...listed(tools)].map((tool) => {
    if (typeof tool === "string") return namePattern(tool);
    return tool instanceof RegExp ? tool : refused(tool);
  });
  return (toolName) => patterns.some((pattern) => matches(pattern, toolName));
}

/** A single name is no list of its letters. */
function listed(tools: Iterable<string | RegExp>): Iterable<string | RegExp> {
  const isList = typeof tools === "object" && tools !== null && Symbol.iterator in tools;
  return isList ? tools : refused(tools);
}

function refused(value: unknown): never {
  throw new ContextError(
    "invalid-options",
    `protectedTools takes names and patterns, as a list or a Set, or a function, not ${String(value)}: give [${JSON.stringify("skill")}], for example.`,
  );
}

function namePattern(name: string): RegExp {
  const source = name
    .replace(/[.+?^${}()|[\]\\]/g, (char) => `\\${char}`)
    .replace(/\*/g, () => ".*");
  return new RegExp(`^${source}$`, "i");
}

/** A caller's pattern may be sticky or global; its memory must not decide. */
function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}
