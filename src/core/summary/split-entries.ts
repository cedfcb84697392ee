import { cleanText } from "./plain-text.ts";

const BULLET = /^ ?(?:[-*•]|\d{1,3}[.)])\s+(?=\S)/;
/** A line that is only a tag or a rule carries nothing. */
const DECORATION = /^\s*(?:<\/?[\w-]+>|[-*_]{3,}|\(none\))\s*$/i;

/**
 * The entries of a section's body: list items with the indented lines below them, and paragraphs. A
 * paragraph that ends with a colon takes the list below it along, because it says what that is.
 */
export function splitEntries(body: string): readonly string[] {
  const entries: string[][] = [];
  let isItem = false;
  let isLabel = false;
  let afterBlank = true;
  for (const line of cleanText(body).split("\n")) {
    const blank = line.trim() === "";
    const last = entries.at(-1);
    if (blank || DECORATION.test(line)) {
      if (isItem) last?.push("");
      afterBlank = true;
      continue;
    }
    const starts = BULLET.test(line);
    if (last !== undefined && starts && isLabel) {
      last.push(line.trim());
    } else if (last !== undefined && !starts && continues(line, isItem, afterBlank)) {
      last.push(isItem ? line.replace(/^ {1,2}/, "") : line.trim());
    } else {
      entries.push([starts ? line.replace(BULLET, "") : line.trim()]);
      isItem = starts;
    }
    isLabel = !isItem && (entries.at(-1)?.[0]?.endsWith(":") ?? false);
    afterBlank = false;
  }
  return entries.map((lines) => lines.join("\n").trimEnd()).filter((text) => text !== "");
}

/** Indented lines belong to the item above; in a paragraph every line up to a blank one does. */
function continues(line: string, isItem: boolean, afterBlank: boolean): boolean {
  return isItem ? line.startsWith("  ") || (!afterBlank && line.startsWith(" ")) : !afterBlank;
}
