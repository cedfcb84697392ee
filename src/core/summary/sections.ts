import {
  type CompactionTemplate,
  DEFAULT_COMPACTION_TEMPLATE,
  plainTitle,
  stripMarks,
} from "./template.ts";

/**
 * A summary taken apart: body by section id, in the order of the text. A heading that the template
 * does not know is its own key, as written; text above the first heading is under {@link PREAMBLE}.
 */
export type SummarySections = ReadonlyMap<string, string>;

/** The key of the text above the first heading. No heading can have it: it is no word. */
export const PREAMBLE = "";

/** Longer than this is no title; it also bounds the work on a line. */
const LONGEST_TITLE = 120;

/** Headings that are not made of `#` count as deeper than all that are; bold alone is the deepest. */
const PSEUDO_LEVEL = 7;
const BOLD_LEVEL = 8;

/** A heading of a summary. */
export interface Heading {
  readonly line: number;
  readonly level: number;
  /** The id of its section, or the heading as written. */
  readonly key: string;
  /** Whether the template has it. */
  readonly known: boolean;
  /** The text behind the heading on its own line. */
  readonly rest: string;
}

/**
 * Takes a summary apart. Tolerant: any heading level, any case, a colon at the end, bold instead of
 * `#`, a number in front. Headings in fenced code and in list items are content. An unknown heading
 * opens a section of its own unless it is deeper than the known ones; then it is content too.
 */
export function parseSummary(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): SummarySections {
  return sectionsUnder(text, templateTitles(template));
}

/** The same by titles as `plainTitle` makes them, each with the section that it stands for. */
export function sectionsUnder(text: string, titles: ReadonlyMap<string, string>): SummarySections {
  const lines = text.split(/\r\n|\n|\r/);
  const headings = sectionHeadings(lines, titles);
  const bodies = new Map<string, string[]>();
  let open: Heading | undefined;
  let start = 0;
  for (const next of [...headings, undefined]) {
    const end = next?.line ?? lines.length;
    const body = [open?.rest ?? "", ...lines.slice(start, end)].join("\n");
    addBody(bodies, open, trimBlank(body));
    open = next;
    start = end + 1;
  }
  return new Map([...bodies].map(([key, parts]) => [key, parts.join("\n\n")]));
}

export interface SummaryValidation {
  readonly valid: boolean;
  /** Ids of the sections that are absent or empty, in the template's order. */
  readonly missingSections: readonly string[];
}

/** Whether every section of the template is there with some content; `(none)` is content. */
export function validateSummary(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): SummaryValidation {
  const sections = parseSummary(text, template);
  const missingSections = template.sections
    .map(({ id }) => id)
    .filter((id) => (sections.get(id) ?? "").trim() === "");
  return { valid: missingSections.length === 0, missingSections };
}

/** All headings of a text, those below sections too; those in fenced code left out. */
export function headingsOf(
  lines: readonly string[],
  template: CompactionTemplate,
): readonly Heading[] {
  return allHeadings(lines, templateTitles(template));
}

/** Tells whether a line is a heading of the template wherever it stands, in fenced code too. */
export function createIsHeading(template: CompactionTemplate): (line: string) => boolean {
  const titles = templateTitles(template);
  return (line) => headingAt(line, 0, titles)?.known === true;
}

function addBody(bodies: Map<string, string[]>, heading: Heading | undefined, body: string): void {
  if (body === "" && heading?.known !== true) return;
  const key = heading?.key ?? PREAMBLE;
  const parts = bodies.get(key) ?? [];
  bodies.set(key, parts);
  if (body !== "") parts.push(body);
}

/** Every title that stands for a section, as `plainTitle` makes it, and the id of that section. */
export function templateTitles(template: CompactionTemplate): ReadonlyMap<string, string> {
  const byId = template.sections.map(({ id }) => [plainTitle(id), id] as const);
  const byHeading = template.sections.map(({ id, heading }) => [plainTitle(heading), id] as const);
  return new Map([...byId, ...byHeading]);
}

function sectionHeadings(
  lines: readonly string[],
  titles: ReadonlyMap<string, string>,
): readonly Heading[] {
  const all = allHeadings(lines, titles);
  const known = all.filter((heading) => heading.known);
  const levels = (known.length > 0 ? known : all).map(({ level }) => level);
  const top = levels.reduce((a, b) => Math.min(a, b), BOLD_LEVEL);
  return all.filter((heading) => heading.known || heading.level <= top);
}

function allHeadings(
  lines: readonly string[],
  titles: ReadonlyMap<string, string>,
): readonly Heading[] {
  const fenced = fencedLines(lines);
  return lines.flatMap((text, line) => {
    const heading = fenced.has(line) ? undefined : headingAt(text, line, titles);
    return heading === undefined ? [] : [heading];
  });
}

/**
 * The heading that a line is, if it is one. More than one space in front means that the line
 * belongs to a list item, which is where verbatim text of others stands.
 */
function headingAt(
  text: string,
  line: number,
  titles: ReadonlyMap<string, string>,
): Heading | undefined {
  const hashes = /^ ?(#{1,6})(\s*)(\S.*)$/.exec(text);
  if (hashes !== null) {
    const [, marks = "", space = "", title = ""] = hashes;
    const heading = titled(title, { line, level: marks.length, titles });
    return heading.known || space !== "" ? heading : undefined;
  }
  const level = PSEUDO_LEVEL;
  const bold = /^ ?(\d{1,2}[.)]\s+)?(\*\*|__)(?=\S)(.+?)\2\s*:?\s*(.*)$/.exec(text);
  if (bold !== null) {
    const [, number, , title = "", rest = ""] = bold;
    const own = number === undefined ? BOLD_LEVEL : level;
    const heading = titled(title, { line, level: own, titles });
    if (heading.known) return { ...heading, rest: `${heading.rest}${rest}` };
    return rest === "" ? heading : undefined;
  }
  const numbered = /^ ?\d{1,2}[.)]\s+(\S.{0,80}):\s*$/.exec(text);
  if (numbered !== null) return titled(numbered[1] ?? "", { line, level, titles });
  const plain = /^ ?(?![-*•]\s)(\S.{0,80}):\s*$/.exec(text);
  const heading = plain === null ? undefined : titled(plain[1] ?? "", { line, level, titles });
  return heading?.known === true ? heading : undefined;
}

interface TitlePlace {
  readonly line: number;
  readonly level: number;
  readonly titles: ReadonlyMap<string, string>;
}

/** `Goal: ship it` is the heading Goal with `ship it` as the first line of its body. */
function titled(title: string, { line, level, titles }: TitlePlace): Heading {
  const short = title.slice(0, LONGEST_TITLE);
  const whole = short === title ? titles.get(plainTitle(title)) : undefined;
  if (whole !== undefined) return { line, level, key: whole, known: true, rest: "" };
  const colon = short.indexOf(":");
  const first = colon < 0 ? undefined : titles.get(plainTitle(title.slice(0, colon)));
  if (first !== undefined) {
    const rest = title.slice(colon + 1).replace(/^[\s*_]+/, "");
    return { line, level, key: first, known: true, rest };
  }
  return { line, level, key: stripMarks(short), known: false, rest: "" };
}

/** Lines of closed code fences; a fence that nothing closes is content like any other. */
export function fencedLines(lines: readonly string[]): ReadonlySet<number> {
  const fenced = new Set<number>();
  let open: { line: number; mark: string } | undefined;
  for (const [line, text] of lines.entries()) {
    const mark = /^ ?(`{3,}|~{3,})/.exec(text)?.[1];
    if (mark === undefined) continue;
    if (open === undefined) open = { line, mark };
    else if (mark.startsWith(open.mark)) {
      for (let at = open.line; at <= line; at++) fenced.add(at);
      open = undefined;
    }
  }
  return fenced;
}

function trimBlank(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}
