import { RESULT_ELEMENT } from "../core/truncate/marker.ts";

/**
 * The last lines of a result: facts for programs in the tag, an instruction for the agent below.
 * Values come from outside and can neither end the tag nor add a line.
 */
export function resultNotice(
  facts: Readonly<Record<string, string | number>>,
  instructions: readonly string[],
): string {
  const attributes = Object.entries(facts).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const lines = instructions.map((each) => each.replace(/\p{Cc}+/gu, " "));
  return [`<${RESULT_ELEMENT}${attributes.join("")}>`, ...lines, `</${RESULT_ELEMENT}>`].join("\n");
}

function escaped(value: string | number): string {
  return String(value)
    .replace(/\p{Cc}+/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
