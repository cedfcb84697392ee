import type { FactList } from "./lists.ts";
import { parseSummary, PREAMBLE } from "./sections.ts";
import { type CompactionTemplate, DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";
import { cleanText } from "../text/clean.ts";
import { headWithin } from "../text/clip.ts";

/** What somebody wrote, as data: words by the id of the section that they belong to. */
export type Words = Readonly<Record<string, string>>;

/**
 * The words of a text in the sections of a template. What stands under other headings, or under
 * none, belongs to the discoveries.
 */
export function readWords(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): Words {
  const known = new Set(template.sections.map(({ id }) => id));
  const said = [...parseSummary(cleanText(text), template)].filter(
    ([, body]) => body !== "" && !/^\(none\)$/i.test(body),
  );
  return joinWords(
    said.map(([key, body]) => {
      if (known.has(key)) return { [key]: body };
      return { discoveries: key === PREAMBLE ? body : `${key}:\n${body}` };
    }),
  );
}

/** No cap has room for more, in UTF-16 units of a section; a journal need not keep it. */
const MOST_WORDS = 60_000;

/** Several words on one matter, section by section, in this order. */
export function joinWords(all: readonly (Words | undefined)[]): Words {
  const joined = new Map<string, string>();
  for (const [section, text] of all.flatMap((words) => Object.entries(words ?? {}))) {
    const before = joined.get(section);
    // What a message says that is still there was carried before.
    if (before?.includes(text) === true) continue;
    const both = before === undefined ? text : `${before}\n${text}`;
    joined.set(section, headWithin(both, { length: MOST_WORDS }));
  }
  return Object.fromEntries(joined);
}

/**
 * How much of a cap the words of a model may claim in each section, as the weights of recorded facts
 * count; an added section claims as much as the goal.
 */
const MODEL_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["goal", 14],
  ["discoveries", 40],
  ["accomplished", 36],
  ["relevantFiles", 16],
]);
const OTHER_WEIGHT = 14;
/** An earlier record is all that is left of the work before it. */
const EARLIER_WEIGHT = 20;

/**
 * What a model wrote, as quoted lines. Its Instructions are left out: what the user typed is
 * recorded word for word, and a model may take an order in a file for one of the user's.
 */
export function modelWords(words: Words): readonly FactList[] {
  return Object.entries(words)
    .filter(([section]) => section !== "instructions")
    .map(([section, text]) => ({
      ...quotedLines(section, text),
      noun: "lines of a model",
      weight: MODEL_WEIGHTS.get(section) ?? OTHER_WEIGHT,
      isNew: true,
    }));
}

/** What a summary says that no record vouches for, as quoted lines under a label. */
export function earlierWords(words: Words): readonly FactList[] {
  return Object.entries(words).map(([section, text]) => {
    const { entries, ...rest } = quotedLines(section, text);
    const label = { text: () => "Earlier record:", facts: 0 };
    return {
      ...rest,
      entries: [label, ...entries],
      keep: [label],
      noun: "lines of an earlier record",
      weight: EARLIER_WEIGHT,
    };
  });
}

/** What every reader, people and programs, takes for the end of a line. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/;

/** One entry a line; quoting what is quoted already would only make it longer. */
function quotedLines(section: string, text: string): Omit<FactList, "noun" | "weight"> {
  const lines = cleanText(text).split(LINE_END);
  const said = lines.map((line) => line.replace(/^ ?(?:> ?)+/, "").trimEnd());
  const filled = said.filter((line) => line.trim() !== "");
  return {
    section,
    entries: filled.map((line) => ({ text: () => line })),
    clips: true,
    quoted: true,
  };
}
