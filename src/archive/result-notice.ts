import { openTag, tagValue } from "../core/text/markup.ts";
import { RESULT_ELEMENT } from "../core/truncate/marker.ts";

/**
 * The last lines of a result: facts for programs in the tag, an instruction for the agent below.
 * Values come from outside and can neither end the tag nor add a line.
 */
export function resultNotice(
  facts: Readonly<Record<string, string | number>>,
  instructions: readonly string[],
): string {
  const lines = instructions.map(tagValue);
  return [`${openTag(RESULT_ELEMENT, facts)}>`, ...lines, `</${RESULT_ELEMENT}>`].join("\n");
}
