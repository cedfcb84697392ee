import { plainTitle, templateTitles } from "../sections.ts";
import type { CompactionTemplate } from "../template.ts";

/** Longer than this is no title. */
const LONGEST_LINE = 80;
/** Whatever marks a line as a heading or an item. */
const MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** What numbers a title: `1.`, `IV)`, `b -`, `Section 2:`. */
const ORDINAL = /^(?:(?:section|part)\s+)?(?:\d{1,2}|[ivx]{1,4}|[a-z])[\s\p{M}]*[.):\p{M}–-]\s*/iu;
/** Below a title it is only its underline. */
const UNDERLINE = /^\s*(?:=+|-+)\s*$/;

/**
 * The lines of a summary with the headings of the template where a model wrote its titles in some
 * other way: bare, in a list, behind an emoji, underlined. Only if these lines are exactly the
 * template's titles, each once and in order: then nothing else can be meant. `undefined` otherwise.
 */
export function withLooseHeadings(
  lines: readonly string[],
  template: CompactionTemplate,
): readonly string[] | undefined {
  const titles = templateTitles(template);
  const found = lines.flatMap((text, line) => {
    const id = titles.get(looseTitle(text));
    return id === undefined ? [] : [{ line, id }];
  });
  const { sections } = template;
  const isExact =
    found.length === sections.length && found.every(({ id }, at) => id === sections[at]?.id);
  if (!isExact) return undefined;
  const headings = new Map(found.map(({ line }, at) => [line, sections[at]?.heading ?? ""]));
  return lines.flatMap((text, line) => {
    if (headings.has(line - 1) && UNDERLINE.test(text)) return [];
    return [headings.get(line) ?? text];
  });
}

function looseTitle(line: string): string {
  if (line.length > LONGEST_LINE) return "";
  return plainTitle(line.replace(MARKS, "").replace(ORDINAL, "").replace(MARKS, ""));
}
