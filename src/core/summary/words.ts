import type { FactList } from "./fact-list.ts";
import {
  parseSummary,
  PREAMBLE,
  sectionsUnder,
  type SummarySections,
  templateTitles,
} from "./sections.ts";
import {
  type CompactionTemplate,
  type CoreSectionId,
  DEFAULT_COMPACTION_TEMPLATE,
  plainTitle,
} from "./template.ts";
import { cleanText } from "../text/clean.ts";
import { headWithin } from "../text/clip.ts";

/** Words of somebody, as data: by the id of the section that they belong to. */
export type Words = Readonly<Record<string, string>>;

/**
 * The words of a text in the sections of a template. Text under other headings, or under
 * none, belongs to the discoveries.
 */
export function readWords(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): Words {
  return wordsOf(parseSummary(cleanText(text), template), template);
}

function wordsOf(sections: SummarySections, template: CompactionTemplate): Words {
  const known = new Set(template.sections.map(({ id }) => id));
  const said = [...sections].filter(([, body]) => body !== "" && !/^\(none\)$/i.test(body));
  return joinWords(
    said.map(([key, body]) => {
      const [id = "", theirs] = key.split("\n");
      if (known.has(id)) return { [id]: theirs === undefined ? body : `${theirs}:\n${body}` };
      return { discoveries: key === PREAMBLE ? body : `${theirs ?? key}:\n${body}` };
    }),
  );
}

/** Titles of the sections in summaries of agents, by the section of ours that each belongs to. */
const THEIR_TITLES: Readonly<Record<CoreSectionId, readonly string[]>> = {
  goal: ["primary request and intent", "overall goal", "goals", "objective", "current task"],
  instructions: [
    "constraints",
    "constraints & preferences",
    "user preferences",
    "all user messages",
    "user context",
  ],
  discoveries: [
    "key technical concepts",
    "errors and fixes",
    "problem solving",
    "key knowledge",
    "key decisions",
    "critical context",
    "highlights",
    "notes",
  ],
  accomplished: [
    "progress",
    "state",
    "completed",
    "completed work",
    "done",
    "recent actions",
    "current work",
    "current state",
    "current plan",
    "in progress",
    "pending",
    "pending tasks",
    "next steps",
    "optional next step",
    "remaining work",
  ],
  relevantFiles: [
    "files and code sections",
    "file system state",
    "relevant files / directories",
    "files",
    "key files",
    "read files",
    "modified files",
    "code state",
  ],
};

/** Sentences of programs around such a summary; they say nothing about the work. */
const BOILERPLATE =
  /^(?:This session is being continued from a previous conversation|Please continue (?:the conversation|from where)|Continue the conversation from where|If you need specific details from before|Recent messages are preserved|Another language model started to solve this problem|The conversation history before this point was compacted|Context summary:\s*$).*$/gim;
/** The place at which an agent thinks aloud before it summarizes, and the one at which it begins to. */
const ANALYSIS = /^[ \t]*(?:<analysis>|(?:\*\*)?Analysis:(?:\*\*)?[ \t]*$)/im;
const SUMMARY = /^[ \t]*(?:<summary>|<\/analysis>|(?:\*\*)?Summary:)/im;
/** The line above the summary itself, and the tags around it. */
const LABEL =
  /^[ \t]*(?:<\/?(?:summary|analysis|state_snapshot)>|(?:\*\*)?Summary:(?:\*\*)?)[ \t]*$/gim;

/**
 * The words of another agent's summary in the sections of a template: under the headings that such
 * summaries have, as titles, numbered, bold or as tags; without what a program put around them.
 */
export function readForeignWords(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): Words {
  const theirs = Object.entries(THEIR_TITLES).flatMap(([id, titles]) =>
    // Deeds and plans stand in one section of ours, each under its own title.
    titles.map(
      (title) => [plainTitle(title), id === "accomplished" ? `${id}\n${title}` : id] as const,
    ),
  );
  const titles = new Map([...theirs, ...templateTitles(template)]);
  const body = withoutAnalysis(cleanText(text)).replace(BOILERPLATE, "").replace(LABEL, "");
  const tagged = body.replace(
    /<(\/?)([a-z][a-z_-]{2,30})>/g,
    (tag, close: string, name: string) => {
      if (!titles.has(plainTitle(name))) return tag;
      return close === "" ? `\n## ${name}\n` : "\n";
    },
  );
  return wordsOf(sectionsUnder(tagged, titles), template);
}

function withoutAnalysis(text: string): string {
  const start = ANALYSIS.exec(text)?.index;
  const length = start === undefined ? undefined : SUMMARY.exec(text.slice(start))?.index;
  if (start === undefined || length === undefined) return text;
  return text.slice(0, start) + text.slice(start + length);
}

/** No cap has room for more, in UTF-16 units of a section; a journal need not keep it. */
const MOST_WORDS = 60_000;

/** Several words on one matter, section by section, in this order. */
export function joinWords(all: readonly (Words | undefined)[]): Words {
  const joined = new Map<string, string>();
  for (const [section, text] of all.flatMap((words) => Object.entries(words ?? {}))) {
    const before = joined.get(section);
    // Words of a message that is still there were carried before.
    if (before?.includes(text) === true) continue;
    const both = before === undefined ? text : `${before}\n${text}`;
    joined.set(section, headWithin(both, { length: MOST_WORDS }));
  }
  return Object.fromEntries(joined);
}

/** A todo as a model writes it, with the lines that are indented below it. */
const OPEN_TODO =
  /^[ \t]*(?:[-*•][ \t]*)?(?:[*_`]{0,3}(?:still open|open|todo|to do|next)\b[*_`]{0,3}[ \t]*:|\[[ ~-]?\]).*(?:\n(?:[ \t]{2,}|\t).*)*\n?/gim;

/**
 * Words that stand on in a later summary, for which nobody asked a model: reasons stay true, but what
 * was still to do then may be done, or was never asked for. Open todos are recorded facts.
 */
export function lastingWords(words: Words): Words {
  const kept = Object.entries(words).map(
    ([id, text]) => [id, text.replace(OPEN_TODO, "")] as const,
  );
  return Object.fromEntries(kept.filter(([, text]) => text.trim() !== ""));
}

/**
 * The part of a cap that the words of a model may claim in each section, as the weights of recorded
 * facts count; an added section claims as much as the goal.
 */
const MODEL_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["goal", 14],
  ["discoveries", 40],
  ["accomplished", 36],
  ["relevantFiles", 16],
]);
const OTHER_WEIGHT = 14;
/** An earlier record is all that is left of the work before it. */
const EARLIER_WEIGHT = 8;

/**
 * Words of a model, as quoted lines. Its Instructions are left out: what the user typed is
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

/** Above words that nobody brought up to date. */
const EARLIER = "Earlier record, of how it stood then:";

/** Words of a summary that no record vouches for, as quoted lines under a label. */
export function earlierWords(words: Words): readonly FactList[] {
  return Object.entries(words).map(([section, text]) => {
    const { entries, ...rest } = quotedLines(section, text.replaceAll(EARLIER, ""));
    const label = { text: () => EARLIER, facts: 0 };
    return {
      ...rest,
      entries: [label, ...entries],
      keep: [label],
      noun: "lines of an earlier record",
      weight: EARLIER_WEIGHT,
    };
  });
}

/** Characters that every reader, people and programs, takes for the end of a line. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/;

/** One entry a line; quoting what is quoted already would only make it longer. */
function quotedLines(section: string, text: string): Omit<FactList, "noun" | "weight"> {
  const lines = cleanText(text).split(LINE_END);
  const said = lines.map((line) => line.replace(/^ ?(?:> ?)+/, "").trimEnd());
  const filled = said.filter((line) => line.trim() !== "");
  return {
    section,
    entries: filled.map((line) => ({ text: () => line })),
    size: filled.length,
    clips: true,
    quoted: true,
  };
}
