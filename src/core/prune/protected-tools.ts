import { ContextError } from "../error.ts";
import { describeValue } from "../rules.ts";
import type { ToolCallPart } from "../message/index.ts";

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
