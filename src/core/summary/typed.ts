import type { InstructionFact } from "../ledger/index.ts";
import { cleanText, oneLine } from "../text/clean.ts";
import { saidLength } from "../text/sentences.ts";
import { list, longList } from "./fact-list.ts";
import { isFrame, withoutFrames } from "./frame.ts";
import type { Entry, FactList } from "./lists.ts";
import { addNewest, lazily, newestFirst } from "./newest.ts";
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

/** What people typed, message after message: each text once, where it was typed last. */
export interface TypedIndex {
  add(instructions: readonly InstructionFact[]): void;
  /** The first and the newest request, as they begin. */
  requests(): readonly string[];
  /**
   * Everything that was typed, in the order of time, behind the rules from outside; `yes` and the
   * like on one line, and of what stands below word for word how it begins. Under a cap what it began
   * with is kept, then what is a rule by its form, then whatever is short, from the oldest on: rules
   * are set early.
   */
  lists(around: AroundTyped): readonly FactList[];
}

/** What decides how the typed texts are shown. */
export interface AroundTyped {
  /** Rules from outside, oldest first. */
  readonly constraints: readonly string[];
  /** Texts that stand below word for word. */
  readonly standing: ReadonlySet<string> | undefined;
}

/** A message of a person. */
interface Typed {
  readonly text: string;
  /** How much it looks like a rule. */
  readonly weight: 0 | 1 | 2;
  /** Whether it only answers or says to go on. */
  readonly isAnswer: boolean;
  /** Its start, as it names a request. */
  readonly start: string;
}

/** The same and its place among them. */
interface Placed extends Typed {
  readonly at: number;
}

/** Texts by themselves, the newest last. */
type Texts = Map<string, Placed>;

/** Texts of one kind, and those among them that look like rules, and that are short. */
interface Kind {
  readonly all: Texts;
  readonly strict: Texts;
  readonly brief: Texts;
}

const typedOf = perFact<InstructionFact, void, Typed | undefined>(({ text }) =>
  isFrame(text) ? undefined : typed(withoutFrames(text)),
);

function typed(whole: string): Typed {
  const text = cleanText(whole).trim();
  const weight = ruleWeight(text);
  const isShort = saidLength(text) < LONGEST_ANSWER && !text.includes("\n");
  return { text, weight, isAnswer: isShort && weight < 2, start: requestOf(text) };
}

function requestOf(text: string): string {
  const lines = text.split("\n").filter(isFilled).slice(0, REQUEST_LINES);
  return startOf(oneLine(lines.join(" ")), REQUEST_LENGTH);
}

export function createTypedIndex(): TypedIndex {
  const kinds = [createKind(), createKind()] as const;
  const [said, answers] = kinds;
  let next = 0;
  /** The first and the newest text, and the first and the newest that is a request of its own. */
  const ends: { first?: string; newest?: string; firstRequest?: string; newestRequest?: string } =
    {};
  return {
    add(instructions) {
      for (const fact of instructions) {
        const one = typedOf(fact);
        if (one === undefined || one.text === "") continue;
        place(one.isAnswer ? answers : said, { ...one, at: next++ });
        ends.first ??= one.start;
        ends.newest = one.start;
        if (saidLength(one.start) < SHORTEST_REQUEST) continue;
        ends.firstRequest ??= one.start;
        ends.newestRequest = one.start;
      }
    },
    requests() {
      const { firstRequest: first = ends.first, newestRequest: newest = ends.newest } = ends;
      if (first === undefined) return [];
      if (first === newest) return [`Request: ${first}`];
      return [`First request: ${first}`, `Newest request: ${newest}`];
    },
    lists({ constraints, standing }) {
      const outside = { said: createKind(), answers: createKind() };
      for (const [at, text] of constraints.entries()) {
        const rule = { ...typed(text), at: -2 - at };
        if (rule.text !== "") place(rule.isAnswer ? outside.answers : outside.said, rule);
      }
      const isAlone = said.all.size + outside.said.all.size === 0;
      const [own, rules] = isAlone ? [answers, outside.answers] : [said, outside.said];
      const isOrdered = constraints.length === 0;
      const isOwn = ({ text }: Placed): boolean => !outside.answers.all.has(text);
      const between = [...[...answers.all.values()].filter(isOwn), ...outside.answers.all.values()];
      return [
        instructionList(own, rules, { standing, isOrdered }),
        answerList(isAlone ? [] : between),
      ];
    },
  };
}

function createKind(): Kind {
  return { all: new Map(), strict: new Map(), brief: new Map() };
}

function place({ all, strict, brief }: Kind, one: Placed): void {
  addNewest(all, one.text, one);
  if (one.weight > 1) addNewest(strict, one.text, one);
  if (one.weight === 1) addNewest(brief, one.text, one);
}

/** Nobody need find out which words revise which. */
const ORDER: Entry = {
  text: () => "Oldest first; where two of these differ, the newer one holds.",
  facts: 0,
  at: -1,
};

/** Rules from outside, then what was typed, the newest first. */
function instructionList(
  own: Kind,
  rules: Kind,
  { standing, isOrdered }: Pick<AroundTyped, "standing"> & { readonly isOrdered: boolean },
): FactList {
  const told = [...rules.all.keys()].filter((text) => own.all.has(text)).length;
  const size = own.all.size + rules.all.size - told;
  const made = new Map<Placed, Entry>();
  const entryOf = (one: Placed): Entry => {
    const known = made.get(one) ?? instruction(one, standing);
    made.set(one, known);
    return known;
  };
  const entriesOf = function* (some: Iterable<Placed>, isOwn: boolean): Iterable<Entry> {
    for (const one of some) if (!isOwn || !rules.all.has(one.text)) yield entryOf(one);
  };
  const entries = lazily(function* () {
    yield* entriesOf(newestFirst(rules.all), false);
    yield* entriesOf(newestFirst(own.all), true);
    if (isOrdered && size > 1) yield ORDER;
  });
  const keep = lazily(function* () {
    for (const entry of entriesOf(own.all.values(), true)) {
      yield entry;
      break;
    }
    yield* entriesOf(newestFirst(rules.strict), false);
    yield* entriesOf(newestFirst(own.strict), true);
    yield* entriesOf(own.brief.values(), true);
    yield* entriesOf(rules.brief.values(), false);
  });
  return longList("instructions", {
    entries,
    size,
    keep,
    clips: true,
    inTime: true,
    comesFirst: true,
  });
}

function instruction({ text, at }: Placed, standing: ReadonlySet<string> | undefined): Entry {
  const isBelow = standing?.has(text) === true;
  return { at, text: isBelow ? () => startOf(text, REQUEST_LENGTH) : () => text, gist: ruleLines };
}

function answerList(answers: readonly Placed[]): FactList {
  const line = (): string => answers.map(({ text }) => codeSpan(oneLine(text))).join(", ");
  const entry = { text: () => `Said in between: ${line()}`, facts: answers.length };
  return list("short answers", answers.length === 0 ? [] : [entry]);
}
