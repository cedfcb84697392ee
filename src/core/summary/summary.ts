import type { Handle } from "../message/index.ts";
import { recordedFacts, type RecordedFacts } from "./facts.ts";
import { type FactList, isList } from "./fact-list.ts";
import { cutLine, type MadeLines, renderLists, type ShownLine } from "./lists.ts";
import {
  type CompactionTemplate,
  DEFAULT_COMPACTION_TEMPLATE,
  NONE,
  withCore,
} from "./template.ts";
import type { CountTokens } from "../text/clip.ts";
import { earlierWords, modelWords, type Words } from "./words.ts";

/** The source of a summary without a model. */
export interface ExtractiveInput extends RecordedFacts {
  /** Words of a summary that stood in the conversation and that no record vouches for. */
  readonly earlier?: Words;
  /** At most this many tokens. Under about 300 only the headings and what they leave out remain. */
  readonly cap: number;
  readonly count: CountTokens;
  /** The handle of the messages that the summary replaces. */
  readonly headHandle?: Handle;
  /** Sections beyond the five are there too. */
  readonly template?: CompactionTemplate;
}

/** The facts and words that a summary is a view of. */
export interface SummaryInput extends ExtractiveInput {
  /** Words of a model, now or for the summary before. */
  readonly narrative?: Words;
}

export interface WrittenSummary {
  readonly text: string;
  /** The same by section: what stands under each heading, by the id of the section. */
  readonly sections: Readonly<Record<string, string>>;
  /** Whether all words of the model had room. */
  readonly isWhole: boolean;
}

/**
 * A summary with all five sections and no model: the facts of the ledger, newest first, under the
 * cap. Facts without room are counted and named by handle. The same input gives the same text.
 */
export function extractiveSummary(input: ExtractiveInput): string {
  return writeSummary(input).text;
}

/** Tokens are not additive: joined lines may cost more than their sum, so there is a next try. */
const TRIES = [1, 0.93, 0.8, 0.6, 0.35, 0.15, 0];

/**
 * A summary as a view: in each section the words of the model, if there are any, as quoted lines,
 * then those of earlier records, then the recorded facts; all under one cap, which they share.
 */
export function writeSummary(input: SummaryInput): WrittenSummary {
  const { cap, count, headHandle, olderHandles = [], narrative = {}, earlier = {}, recall } = input;
  const template = withCore(input.template ?? DEFAULT_COMPACTION_TEMPLATE);
  const handle = headHandle ?? olderHandles[0];
  const where = { handle, recall };
  const ids = new Set(template.sections.map(({ id }) => id));
  const lists = [...modelWords(narrative), ...earlierWords(earlier), ...recordedFacts(input, cap)]
    .filter(isList)
    // A section that is gone from the template leaves its words behind.
    .map((list) => (ids.has(list.section) ? list : { ...list, section: "discoveries" }));
  const room = cap - count(assembled(template, () => []).text);
  const lines: MadeLines = new Map();
  for (const part of TRIES) {
    const rendered = renderLists(lists, Math.floor(room * part), { count, ...where, made: lines });
    const linesOf = (id: string): readonly string[] =>
      joined(rendered.flatMap(({ lines }, at) => (lists[at]?.section === id ? lines : [])));
    const made = assembled(template, linesOf);
    const isWhole = rendered.every(({ whole }, at) => whole || lists[at]?.isNew !== true);
    if (count(made.text) <= cap) return { ...made, isWhole };
  }
  return { ...assembled(template, (id) => leastLines(lists, id, where)), isWhole: false };
}

/** The lines of a section; what is about one thing stands on one line. */
function joined(lines: readonly ShownLine[]): readonly string[] {
  const places = new Map<string, number>();
  const texts: string[] = [];
  for (const { text, entry } of lines) {
    const { about, addition } = entry ?? {};
    const place = about === undefined ? undefined : places.get(about);
    if (place !== undefined && addition !== undefined) texts[place] += addition();
    else if (about !== undefined) places.set(about, texts.push(text) - 1);
    else texts.push(text);
  }
  return texts;
}

/** The one line that counts the facts of a section and names where they are. */
function leastLines(
  lists: readonly FactList[],
  id: string,
  where: Parameters<typeof cutLine>[2],
): readonly string[] {
  const own = lists.filter(({ section, isNew }) => section === id && isNew !== true);
  const more = own.reduce((sum, { size }) => sum + size, 0);
  return more === 0 ? [] : [cutLine({ noun: "facts" }, more, where)];
}

function assembled(
  template: CompactionTemplate,
  linesOf: (id: string) => readonly string[],
): Pick<WrittenSummary, "text" | "sections"> {
  const bodies = template.sections.map(
    ({ id, heading }) => [id, heading, linesOf(id).join("\n") || NONE] as const,
  );
  return {
    text: bodies.map(([, heading, body]) => `${heading}\n${body}`).join("\n\n"),
    sections: Object.fromEntries(bodies.map(([id, , body]) => [id, body])),
  };
}
