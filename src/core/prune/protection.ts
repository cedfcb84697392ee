import type { ToolCallPart } from "../message/index.ts";

/**
 * Tools whose outputs are never pruned: a name (case does not matter, `*` stands for anything), a
 * pattern for the name, or a predicate over name and call.
 */
export type ProtectedTools =
  | readonly (string | RegExp)[]
  | ((toolName: string, call: ToolCallPart | undefined) => boolean);

/** A skill's output is instructions that the agent must keep. */
export const DEFAULT_PROTECTED_TOOLS: readonly string[] = ["skill"];

/** Turns the option into one test. */
export function isProtectedBy(
  tools: ProtectedTools,
): (toolName: string, call: ToolCallPart | undefined) => boolean {
  if (typeof tools === "function") return tools;
  const patterns = tools.map((tool) => (typeof tool === "string" ? namePattern(tool) : tool));
  return (toolName) => patterns.some((pattern) => matches(pattern, toolName));
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
