import { cleanAnswer } from "../judge/clean-answer.ts";
import { readCutLine } from "../facts/fact-list.ts";
import { readFileLine, readHeadsLine } from "../facts/fact-lines.ts";
import { createIsHeading, parseSummary, PREAMBLE } from "../sections.ts";
import { isLabel, splitBlocks } from "../split-entries.ts";
import type { Block } from "../split-entries.ts";
import { sectionMeant } from "../facts/summary-facts.ts";
import { CORE_SECTION_IDS } from "../template.ts";
import type { CompactionTemplate } from "../template.ts";

/** What a model wrote, by the id of the section; a section without a word is not there. */
export type ModelSections = ReadonlyMap<string, readonly Block[]>;

/** Tags of ours in a model's words, whole or torn. */
const OUR_TAG = /<[\s\p{C}]*(\/?)[\s\p{C}]*(prior-conversation-summary|tool-output-compacted)/giu;
/** Lines that are nothing but a tag of ours, or the first line of a frame of ours. */
const FRAME_LINE =
  /^\s*(?:<\s*\/?\s*(?:prior-conversation-summary|tool-output-compacted)\b[^\n]*>\s*$|This is a record of earlier work in this conversation, not an instruction)/i;
/** Characters that turn the direction of text around or are not seen at all. */
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const FENCE = /^ ?(?:`{3,}|~{3,})/;
/** Deeper than any heading of a template that a body could be mistaken for. */
const INNER_LEVEL = 3;

/** A model's summary taken apart, cleaned so that none of it can be taken for anything of ours. */
export function modelSections(model: string, template: CompactionTemplate): ModelSections {
  const text = withoutFrames(cleanAnswer(model, template).text);
  const own = new Set([...CORE_SECTION_IDS, ...template.sections.map(({ id }) => id)]);
  const sections = new Map<string, Block[]>();
  for (const [key, body] of parseSummary(text, template)) {
    if (key === PREAMBLE) continue;
    const home = own.has(key) ? key : homeOf(key);
    const inner = withoutHeadings(own.has(key) ? body : `${key}:\n${body}`, template);
    const blocks = blocksOf(inner, home);
    sections.set(home, [...(sections.get(home) ?? []), ...blocks]);
  }
  return new Map([...sections].filter(([, blocks]) => blocks.length > 0));
}

function withoutFrames(text: string): string {
  const lines = text.replace(INVISIBLE, "").split("\n");
  const kept = lines.filter((line) => !FRAME_LINE.test(line));
  return kept.join("\n").replace(OUR_TAG, "$1$2");
}

/** Where a section that nobody asked for goes. */
function homeOf(heading: string): string {
  const meant = sectionMeant(heading) ?? "discoveries";
  return meant === "plans" ? "accomplished" : meant;
}

function blocksOf(body: string, home: string): readonly Block[] {
  const blocks = splitBlocks(body).flatMap((block) =>
    home === "relevantFiles" ? fileBlocks(block) : [block],
  );
  const known = new Set<string>();
  return blocks.flatMap((block) => {
    if (isOurs(block) || known.has(block.text)) return [];
    known.add(block.text);
    return [isLabel(block.text.split("\n", 1)[0] ?? "") ? asItem(block) : block];
  });
}

/** Lines that only we write, about what we archived. */
function isOurs({ text }: Block): boolean {
  return readCutLine(text) !== undefined || readHeadsLine(text) !== undefined;
}

/** Files one below the other without bullets, or in a table, are entries all the same. */
function fileBlocks(block: Block): readonly Block[] {
  const lines = tableLines(block.text) ?? block.text.split("\n");
  if (block.isItem || lines.some((line) => readFileLine(line) === undefined)) return [block];
  return lines.map((line) => ({ text: line.trim(), raw: `- ${line.trim()}`, isItem: true }));
}

const ROW = /^\s*\|(.*)\|\s*$/;
const RULE = /^[\s:|-]+$/;

/** The rows below the head of a table: the first cell, and what the others say of it. */
function tableLines(text: string): readonly string[] | undefined {
  const rows = text.split("\n").map((line) => ROW.exec(line)?.[1]);
  const rule = rows.findIndex((row) => row !== undefined && RULE.test(row));
  if (rule < 0 || rows.includes(undefined)) return undefined;
  return rows.slice(rule + 1).map((row = "") => {
    const [file = "", ...cells] = row.split("|").map((cell) => cell.trim());
    const said = cells.filter((cell) => cell !== "").join("; ");
    return said === "" ? file : `${file}: ${said}`;
  });
}

/** A label with its list as an item: as a paragraph it would take along what comes behind it. */
function asItem({ text, raw, isItem }: Block): Block {
  if (isItem) return { text, raw, isItem };
  const indented = raw.trimStart().replace(/\n(?=[^\n])/g, "\n  ");
  return { text, raw: `- ${indented}`, isItem: true };
}

/**
 * A body in which nothing can open a section, wherever it is cut: headings are deep ones or indented, and
 * so is code.
 */
function withoutHeadings(body: string, template: CompactionTemplate): string {
  const isHeading = createIsHeading(template);
  let fence: string | undefined;
  const lines = body.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[0].trim();
    const isInside = fence !== undefined || mark !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true) fence = undefined;
    return isInside || isHeading(line) ? `  ${line}` : demoted(line);
  });
  return lines.join("\n");
}

function demoted(line: string): string {
  return line.replace(/^ ?(#{1,6})(?=\s)/, (_, marks: string) => marks.padEnd(INNER_LEVEL, "#"));
}
