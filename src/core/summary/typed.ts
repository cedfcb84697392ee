import type { InstructionFact } from "../ledger/index.ts";
import { cleanText, oneLine } from "../text/clean.ts";
import { saidLength } from "../text/sentences.ts";
import { list } from "./fact-list.ts";
import { isFrame, withoutFrames } from "./frame.ts";
import type { Entry, FactList } from "./lists.ts";
import { codeSpan, isFilled, startOf } from "./one-line.ts";
import { perFact } from "./per-fact.ts";
import { ruleLines, ruleWeight } from "./rules.ts";

/* What people typed: what it is about, and all of it. */

/** In letters of an alphabet: a shorter text only says to go on (`yes`, `continue`) and is no request of its own. */
const SHORTEST_REQUEST = 16;
/** In the same: `yes`, `/mode`, `go on`. */
const LONGEST_ANSWER = 12;
/** The first lines of a request say what it is about. */
const REQUEST_LENGTH = 240;
const REQUEST_LINES = 2;

/** The first and the newest request, as they begin. */
export function requests(typed: readonly string[]): readonly string[] {
  const latest = typed.toReversed();
  const isRequest = (start: string): boolean => saidLength(start) >= SHORTEST_REQUEST;
  const first = startWhere(typed, isRequest) ?? startWhere(typed, (start) => start !== "");
  const last = startWhere(latest, isRequest) ?? startWhere(latest, (start) => start !== "");
  if (first === undefined) return [];
  if (first === last) return [`Request: ${first}`];
  return [`First request: ${first}`, `Newest request: ${last}`];
}

/** The start of the first of these texts whose start is wanted. */
function startWhere(
  texts: readonly string[],
  isWanted: (start: string) => boolean,
): string | undefined {
  for (const text of texts) {
    const lines = cleanText(text).split("\n").filter(isFilled).slice(0, REQUEST_LINES);
    const said = startOf(oneLine(lines.join(" ")), REQUEST_LENGTH);
    if (isWanted(said)) return said;
  }
  return undefined;
}

/** Nobody need find out which words revise which. */
const ORDER: Entry = {
  text: () => "Oldest first; where two of these differ, the newer one holds.",
  facts: 0,
  at: -1,
};

/** A message of a person. */
export interface Typed {
  readonly text: string;
  /** How much it looks like a rule. */
  readonly weight: 0 | 1 | 2;
  /** Whether it only answers or says to go on. */
  readonly isAnswer: boolean;
}

/** What a message of a person says; `undefined` of one that is a summary. */
export function typedIn(fact: InstructionFact): Typed | undefined {
  return typedOf(fact);
}

const typedOf = perFact<InstructionFact, void, Typed | undefined>(({ text }) =>
  isFrame(text) ? undefined : typed(withoutFrames(text)),
);

function typed(whole: string): Typed {
  const text = cleanText(whole).trim();
  const weight = ruleWeight(text);
  const isShort = saidLength(text) < LONGEST_ANSWER && !text.includes("\n");
  return { text, weight, isAnswer: isShort && weight < 2 };
}

/**
 * Everything that was typed, in the order of time, behind the rules from outside; `yes` and the like
 * on one line, and of what stands below word for word how it begins. Under a cap what it began with
 * is kept, then what is a rule by its form, then whatever is short, from the oldest on: rules are set
 * early.
 */
export function instructions(
  all: readonly Typed[],
  constraints: readonly string[],
  standing: ReadonlySet<string> | undefined,
): readonly FactList[] {
  const newest = new Map<string, Placed>();
  for (const text of constraints.toReversed()) addNewest(newest, { ...typed(text), at: -1 });
  for (let at = all.length - 1; at >= 0; at--) addNewest(newest, { ...(all[at] as Typed), at });
  const said = [...newest.values()];
  const short = said.filter(({ isAnswer }) => isAnswer).toReversed();
  const isAlone = said.length === short.length;
  const own = isAlone ? said : said.filter(({ isAnswer }) => !isAnswer);
  const entries = own.map(({ text, at, weight }) => ({
    at,
    text: standing?.has(text) === true ? () => startOf(text, REQUEST_LENGTH) : () => text,
    gist: ruleLines,
    weight,
  }));
  const strict = entries.filter(({ weight }) => weight > 1);
  const brief = entries.filter(({ weight }) => weight === 1).toReversed();
  const keep = new Set([...entries.slice(-1), ...strict, ...brief]);
  const line = short.map(({ text }) => codeSpan(oneLine(text))).join(", ");
  const answers = { text: () => `Said in between: ${line}`, facts: short.length };
  const order = entries.length > 1 && constraints.length === 0 ? [ORDER] : [];
  return [
    list("instructions", [...entries, ...order], {
      clips: true,
      keep,
      inTime: true,
      comesFirst: true,
    }),
    list("short answers", isAlone || short.length === 0 ? [] : [answers]),
  ];
}

/** A message of a person, and its place among them. */
interface Placed extends Typed {
  readonly at: number;
}

function addNewest(newest: Map<string, Placed>, one: Placed): void {
  if (one.text !== "" && !newest.has(one.text)) newest.set(one.text, one);
}
