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
  const lines = instructions.map(oneLine);
  return [`<${RESULT_ELEMENT}${attributes.join("")}>`, ...lines, `</${RESULT_ELEMENT}>`].join("\n");
}

function escaped(value: string | number): string {
  return oneLine(String(value))
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Half a surrogate pair, as a cut may leave it, is nothing that a provider takes. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").replace(/\p{Cs}/gu, "\ufffd");
}
