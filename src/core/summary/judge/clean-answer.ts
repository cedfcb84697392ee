import { withLooseHeadings } from "./loose-headings.ts";
import { cleanText } from "../plain-text.ts";
import { createIsHeading, headingsOf } from "../sections.ts";
import { sectionMeant } from "../facts/summary-facts.ts";
import type { CompactionTemplate } from "../template.ts";

/** Where models think aloud before they write. */
const THINKING = /^[ \t]*<(analysis|think|thinking|thoughts?|reasoning|scratchpad)>/im;
/** More such blocks than this are no slip. */
const MOST_BLOCKS = 8;
const FENCE = /^ ?(?:`{3,}|~{3,})/;
const CLOSING_FENCE = /^ ?(?:`{3,}|~{3,})\s*$/;
/** What closes a wrapper around the summary: `</summary>` and the like, on a line of its own. */
const CLOSING_TAG = /^\s*<\/(?:summary|answer|output|response|prior-conversation-summary)>\s*$/i;
/** What a chat partner says at the end; it stands outside of any list. */
const FAREWELL =
  /^(?:let me know\b|would you like\b|shall i\b|should i\b|do you want\b|feel free\b|i hope this\b|is there anything\b)/i;

/** The summary that an answer holds. */
export interface CleanAnswer {
  readonly text: string;
  /** Headings as the model wrote them, where they stand for those of the template by their places. */
  readonly translated: readonly string[];
}

/**
 * A model's answer as the summary that it holds: without control characters, thinking aloud, a code
 * fence or a tag around the whole, and what is said before the first heading or as a farewell after
 * the last section. An answer without any heading of the template stays as it is.
 */
export function cleanAnswer(answer: string, template: CompactionTemplate): CleanAnswer {
  const { text, translated } = withHeadings(
    withoutThinking(cleanText(answer).trim(), template),
    template,
  );
  const lines = text.split("\n");
  const start = lines.findIndex(createIsHeading(template));
  if (start < 0) return { text: text.trim(), translated };
  const isFenced = fenceCount(lines.slice(0, start)) % 2 === 1;
  const body = isFenced ? withoutClosingFence(lines.slice(start)) : lines.slice(start);
  return { text: withoutFarewell(body).join("\n").trim(), translated };
}

/**
 * With the headings of the template where the model wrote them without the marks of a heading, or
 * translated them: as many headings of one level as the template has sections, in other words, and
 * those that are known in their own places.
 */
function withHeadings(text: string, template: CompactionTemplate): CleanAnswer {
  const lines = text.split("\n");
  const all = headingsOf(lines, template);
  const { sections } = template;
  const asIs = { text, translated: [] };
  const known = new Set(all.filter((heading) => heading.known).map(({ key }) => key)).size;
  const loose = known < sections.length ? withLooseHeadings(lines, template) : undefined;
  if (loose !== undefined) return { text: loose.join("\n"), translated: [] };
  if (known * 2 > sections.length) return asIs;
  const levels = [...new Set(all.map(({ level }) => level))];
  const level = levels.find(
    (one) => all.filter((each) => each.level === one).length === sections.length,
  );
  const headings = all.filter((heading) => heading.level === level);
  const fits = headings.every(({ key, known }, index) =>
    known ? key === sections[index]?.id : sectionMeant(key) === undefined,
  );
  if (headings.length === 0 || !fits) return asIs;
  for (const [index, { line }] of headings.entries()) lines[line] = sections[index]?.heading ?? "";
  const translated = headings.filter(({ known }) => !known).map(({ key }) => key);
  return { text: lines.join("\n"), translated };
}

function withoutThinking(text: string, template: CompactionTemplate): string {
  let rest = withoutOpenThinking(text, template);
  for (let block = 0; block < MOST_BLOCKS; block++) {
    const opening = THINKING.exec(rest);
    if (opening === null || holdsHeading(rest.slice(0, opening.index), template)) return rest;
    const closing = `</${opening[1] ?? ""}>`;
    const end = rest.indexOf(closing, opening.index);
    if (end < 0) return rest;
    rest = `${rest.slice(0, opening.index)}\n${rest.slice(end + closing.length)}`;
  }
  return rest;
}

/** Some servers leave out the opening tag, which they put into the prompt themselves. */
function withoutOpenThinking(text: string, template: CompactionTemplate): string {
  const closing = "</think>";
  const end = text.lastIndexOf(closing);
  if (end < 0 || text.slice(0, end).includes("<think")) return text;
  const rest = text.slice(end + closing.length);
  return holdsHeading(rest, template) ? rest : text;
}

function holdsHeading(text: string, template: CompactionTemplate): boolean {
  return text.split("\n").some(createIsHeading(template));
}

function fenceCount(lines: readonly string[]): number {
  return lines.filter((line) => FENCE.test(line)).length;
}

/** Lines of a fenced text up to the end of the fence, if it has one. */
function withoutClosingFence(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line) => CLOSING_FENCE.test(line));
  return end < 0 || fenceCount(lines) % 2 === 0 ? lines : lines.slice(0, end);
}

function withoutFarewell(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && isFarewell(lines[end - 1] ?? "")) end--;
  return lines.slice(0, end);
}

function isFarewell(line: string): boolean {
  return line.trim() === "" || CLOSING_TAG.test(line) || FAREWELL.test(line);
}
