import { cleanText } from "../text/clean.ts";
import { createIsHeading, headingsOf } from "./sections.ts";
import { type CompactionTemplate, plainTitle } from "./template.ts";

/* Wrappers of models and servers around a summary. */

/** In UTF-16 units: more than any model thinks and writes, and nothing to take time for. */
const LONGEST_ANSWER = 500_000;
/** The block in which models think aloud before they write. */
const THINKING = /^[ \t]*<(analysis|think|thinking|thoughts?|reasoning|scratchpad)>/im;
/** More such blocks than this are no slip. */
const MOST_BLOCKS = 8;
const FENCE = /^ ?(?:`{3,}|~{3,})/;
const CLOSING_FENCE = /^ ?(?:`{3,}|~{3,})\s*$/;
/** The end of a wrapper around the summary: `</summary>` and the like, on a line of its own. */
const CLOSING_TAG = /^\s*<\/(?:summary|answer|output|response|prior-conversation-summary)>\s*$/i;
/** Last words of a chat partner; they stand outside of any list. */
const FAREWELL =
  /^(?:let me know\b|would you like\b|shall i\b|should i\b|do you want\b|feel free\b|i hope this\b|is there anything\b)/i;

/**
 * A model's answer as the summary that it holds: without control characters, thinking aloud, a code
 * fence or a tag around the whole, and what is said before the first heading or as a farewell after
 * the last section; with the template's headings. An answer without any of those stays as it is.
 */
export function cleanAnswer(answer: string, template: CompactionTemplate): string {
  const said = withoutThinking(cleanText(answer.slice(0, LONGEST_ANSWER)).trim(), template);
  const lines = withHeadings(said.split("\n"), template);
  const start = lines.findIndex(createIsHeading(template));
  if (start < 0) return said.trim();
  const isFenced = fenceCount(lines.slice(0, start)) % 2 === 1;
  const body = isFenced ? withoutClosingFence(lines.slice(start)) : lines.slice(start);
  const end = body.findLastIndex((line) => !isFarewell(line));
  return body
    .slice(0, end + 1)
    .join("\n")
    .trim();
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

function isFarewell(line: string): boolean {
  return line.trim() === "" || CLOSING_TAG.test(line) || FAREWELL.test(line);
}

/**
 * The lines with the template's headings where the model wrote the titles in another way, or in
 * another language: as many titles as there are sections, each once and in their order.
 */
function withHeadings(lines: readonly string[], template: CompactionTemplate): readonly string[] {
  const { sections } = template;
  const all = headingsOf(lines, template);
  const known = new Set(all.filter((heading) => heading.known).map(({ key }) => key)).size;
  if (known * 2 > sections.length) return lines;
  const bare = bareTitles(lines, template);
  const levels = [...new Set(all.map(({ level }) => level))];
  const level = levels.find(
    (one) => all.filter((heading) => heading.level === one).length === sections.length,
  );
  const placed = all.filter((heading) => heading.level === level);
  const isPlaced = placed.every(({ key, known: is }, at) => !is || key === sections[at]?.id);
  const found = bare ?? (isPlaced ? placed.map(({ line }) => line) : []);
  const headings = new Map(found.map((line, at) => [line, sections[at]?.heading ?? ""]));
  return lines.map((line, at) => headings.get(at) ?? line);
}

/** Longer than this is no title. */
const LONGEST_TITLE = 80;
/** Marks of a heading or an item. */
const MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** The number of a title: `1.`, `IV)`, `b -`, `Section 2:`. */
const ORDINAL = /^(?:(?:section|part)\s+)?(?:\d{1,2}|[ivx]{1,4}|[a-z])[\s\p{M}]*[.):\p{M}–-]\s*/iu;

/** The lines that are titles of the template without the marks of a heading; all or none. */
function bareTitles(
  lines: readonly string[],
  { sections }: CompactionTemplate,
): readonly number[] | undefined {
  const titles = new Map(
    sections.flatMap(({ id, heading }) => [
      [plainTitle(id), id],
      [plainTitle(heading), id],
    ]),
  );
  const found = lines.flatMap((text, line) => {
    if (text.length > LONGEST_TITLE) return [];
    const title = plainTitle(text.replace(MARKS, "").replace(ORDINAL, "").replace(MARKS, ""));
    const id = titles.get(title);
    return id === undefined ? [] : [{ line, id }];
  });
  const isExact =
    found.length === sections.length && found.every(({ id }, at) => id === sections[at]?.id);
  return isExact ? found.map(({ line }) => line) : undefined;
}
