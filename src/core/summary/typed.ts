import type { InstructionFact } from "../ledger/index.ts";
import { cleanText, oneLine } from "../text/clean.ts";
import { saidLength, sentencesOf } from "../text/sentences.ts";
import { type Entry, type FactList, list, longList } from "./fact-list.ts";
import { isFrame, withoutFrames } from "./frame.ts";
import { addNewest, lazily, newestFirst } from "./newest.ts";
import { codeSpan, isFilled, LIST_MARK, startOf } from "./one-line.ts";
import { ruleLines, ruleWeight } from "./rules.ts";

/* Texts of people: their subject, and all of them. */

/** In letters of an alphabet: a shorter text only says to go on (`yes`, `continue`) and is no request of its own. */
const SHORTEST_REQUEST = 16;
/** In the same: `yes`, `/mode`, `go on`. */
const LONGEST_ANSWER = 12;
/** The first lines of a request say what it is about. */
const REQUEST_LENGTH = 240;
const REQUEST_LINES = 2;
const LOOKED = 2 * REQUEST_LENGTH;

/** Texts of people, message after message: each once, where it was typed last. */
export interface TypedIndex {
  add(instructions: readonly InstructionFact[]): void;
  /** The first and the newest request, as they begin. */
  requests(): readonly string[];
  /**
   * Everything that was typed, in the order of time, behind the rules from outside; `yes` and the
   * like on one line, and of what stands below word for word what it is about. Under a cap what it
   * began with is kept, then what is a rule by its form, then whatever is short, from the oldest on:
   * rules are set early.
   */
  lists(around: AroundTyped): readonly FactList[];
}

/** Facts that decide how the typed texts are shown. */
export interface AroundTyped {
  /** Rules from outside, oldest first. */
  readonly constraints: readonly string[];
  /** Texts that stand below word for word. */
  readonly standing: ReadonlySet<string> | undefined;
}

/** A message of a person, as an entry of a list. */
interface Typed extends Entry {
  readonly said: string;
  /** Its likeness to a rule. */
  readonly weight: () => 0 | 1 | 2;
  /** Whether it only answers or says to go on. */
  readonly isAnswer: boolean;
}

/** The words of a person in a message, as a summary says them. */
export function saidIn(text: string): string {
  return cleanText(withoutFrames(text)).trim();
}

function addTyped(all: Map<string, Typed>, said: string, at: number, answers = all): void {
  let known: 0 | 1 | 2 | undefined;
  const weight = (): 0 | 1 | 2 => (known ??= ruleWeight(said));
  const isShort = said.length < LONGEST_ANSWER && saidLength(said) < LONGEST_ANSWER;
  const isAnswer = isShort && !said.includes("\n") && weight() < 2;
  const one = { at, text: () => said, gist: ruleLines, said, weight, isAnswer };
  if (said !== "") addNewest(isAnswer ? answers : all, said, one);
}

/** A tag or a path alone, and what leads to something below it: a form that a request was put into. */
const FORM = /^(?:<[^<>]*>|[~.]{0,2}\/?[\w@.-]+(?:\/[\w@.-]+)+\/?|.*[:：][*_]*)$/;

function requestOf(text: string): string {
  const lines = text.split("\n").filter(isFilled);
  const asked: string[] = [];
  for (const line of lines) {
    if (asked.length === REQUEST_LINES) break;
    const said = sentencesOf(line.slice(0, LOOKED)).filter((sentence) => !FORM.test(sentence));
    if (said.length > 0) asked.push(said.join(" "));
  }
  const shown = asked.length > 0 ? asked : lines.slice(0, REQUEST_LINES);
  return startOf(oneLine(shown.join(" ")).replace(LIST_MARK, ""), REQUEST_LENGTH);
}

/** The first of some texts that is a request of its own; the first of all if none is, or nothing. */
function firstRequest(texts: readonly string[]): string {
  let first = "";
  for (const text of texts) {
    const start = requestOf(text);
    if (saidLength(start) >= SHORTEST_REQUEST) return text;
    if (start !== "") first ||= text;
  }
  return first;
}

/** A short text whole: not everybody keeps what stands below. */
function beginningOf(said: string): string {
  return said.length <= REQUEST_LENGTH ? said : `${requestOf(said)} [whole below]`;
}

export function createTypedIndex(): TypedIndex {
  const texts = new Map<string, Typed>();
  const answers = new Map<string, Typed>();
  let next = 0;
  /** The first and the newest request of the texts that were read, whole. */
  let ends: readonly [string, string] = ["", ""];
  let unread: string[] = [];
  return {
    add(instructions) {
      for (const { text } of instructions) {
        if (isFrame(text)) continue;
        const said = saidIn(text);
        addTyped(texts, said, next++, answers);
        unread.push(said);
      }
    },
    requests() {
      const back = [...unread.toReversed(), ends[1]];
      ends = [firstRequest([ends[0], ...unread]), firstRequest(back)];
      unread = [];
      const [first, newest] = ends.map(requestOf);
      if (first === "") return [];
      if (first === newest) return [`Request: ${first}`];
      return [`First request: ${first}`, `Newest request: ${newest}`];
    },
    lists({ constraints, standing }) {
      const rules = new Map<string, Typed>();
      for (const [at, text] of constraints.entries())
        addTyped(rules, cleanText(text).trim(), -2 - at);
      const isTold = ({ said }: Typed): boolean => rules.has(said);
      const shown = (one: Typed): Typed =>
        standing?.has(one.said) === true ? { ...one, text: () => beginningOf(one.said) } : one;
      const outside = newestFirst(rules);
      const isAlone = texts.size === 0 && outside.every(({ isAnswer }) => isAnswer);
      const own = newestFirst(isAlone ? answers : texts).filter((one) => !isTold(one));
      const strict = outside.filter(({ isAnswer }) => isAlone || !isAnswer);
      const short = newestFirst(answers).filter((one) => !isTold(one));
      const between = [...outside.filter(({ isAnswer }) => isAnswer), ...short].toReversed();
      return [
        instructionList([...strict, ...own].map(shown), constraints.length === 0),
        answerList(isAlone ? [] : between),
      ];
    },
  };
}

/** Nobody need find out which words revise which. */
const ORDER: Entry = {
  text: () => "Oldest first; where two of these differ, the newer one holds.",
  facts: 0,
  at: -1,
};

/** Rules from outside, then what was typed, the newest first. */
function instructionList(all: readonly Typed[], isOrdered: boolean): FactList {
  // Few lists are cut, and only those need to know what is a rule.
  const keep = lazily(() => {
    const strict = all.filter(({ weight }) => weight() > 1);
    const brief = all.filter(({ weight }) => weight() === 1).toReversed();
    return new Set([...all.slice(-1), ...strict, ...brief]);
  });
  return longList("instructions", {
    entries: isOrdered && all.length > 1 ? [...all, ORDER] : all,
    size: all.length,
    keep,
    clips: true,
    inTime: true,
    comesFirst: true,
  });
}

function answerList(answers: readonly Typed[]): FactList {
  const line = (): string => answers.map(({ said }) => codeSpan(oneLine(said))).join(", ");
  const entry = { text: () => `Said in between: ${line()}`, facts: answers.length };
  return list("short answers", answers.length === 0 ? [] : [entry]);
}
