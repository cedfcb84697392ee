import { clip, clipLine } from "../text/index.ts";
import type { StatementFact } from "./ledger.ts";

/** Collects what the agent said: the last text of each turn and sentences that state a decision. */
export interface StatementBook {
  /** `isAside`: tool calls follow in the same message, so it ends no turn. */
  say(text: string, at: number, isAside: boolean): void;
  /** The person speaks: what the agent said last ended its turn. */
  endTurn(): void;
  facts(): StatementFact[];
}

const CONCLUSION_UNITS = 600;
const SENTENCE_UNITS = 240;
/** "Done." and "Yes." say nothing that will matter. */
const SHORTEST_SENTENCE = 20;
/** Decisions are said early or late in a text, hardly in the middle of a long one. */
const LOOK_UNITS = 4_000;

const DECISION =
  /\b(?:decided|decision|root cause|the (?:actual |real )?(?:bug|problem|issue|cause|fix|reason) (?:is|was)\b|turns out|confirmed that|in conclusion|I(?: have|'ve)? chose|going with|opted (?:for|to)|the right (?:approach|fix))/i;
const SENTENCE_END = /(?<=[.!?])\s+|\n+/;

export function createStatementBook(): StatementBook {
  const decisions: StatementFact[] = [];
  const conclusions: StatementFact[] = [];
  let last: StatementFact | undefined;

  const say: StatementBook["say"] = (text, at, isAside) => {
    if (text.length < SHORTEST_SENTENCE) return;
    if (!isAside) last = { text, at };
    const looked = text.length > LOOK_UNITS ? text.slice(0, LOOK_UNITS) : text;
    if (DECISION.test(looked)) decisions.push(...decisionsIn(looked, at));
  };

  const endTurn = (): void => {
    if (last !== undefined) conclusions.push(conclusion(last));
    last = undefined;
  };

  const facts = (): StatementFact[] => {
    const told = last === undefined ? conclusions : [...conclusions, conclusion(last)];
    const texts = new Map(told.map(({ text, at }) => [at, text]));
    const others = decisions.filter(({ text, at }) => texts.get(at)?.includes(text) !== true);
    return [...others, ...told].toSorted((a, b) => a.at - b.at);
  };

  return { say, endTurn, facts };
}

function decisionsIn(text: string, at: number): StatementFact[] {
  return text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => isStatement(sentence) && DECISION.test(sentence))
    .map((sentence) => ({ text: clipLine(sentence, SENTENCE_UNITS), at }));
}

/** A sentence that ends in a colon only leads to the next tool call. */
function isStatement(sentence: string): boolean {
  return sentence.length >= SHORTEST_SENTENCE && !sentence.endsWith(":");
}

/** The beginning: a conclusion comes first, and what was done follows from other facts. */
function conclusion({ text, at }: StatementFact): StatementFact {
  return { text: clip(text.trim(), { length: CONCLUSION_UNITS }), at };
}
