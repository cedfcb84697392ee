import { clip, clipLine } from "../text/clip.ts";
import {
  isEmphatic,
  isQuestion,
  leadsOn,
  refersToCode,
  saidLength,
  sentencesOf,
} from "../text/sentences.ts";
import type { StatementFact } from "./ledger.ts";

/**
 * Collects what the agent found out: the last text of each turn, and on the way there the sentence
 * that says most before each change of files. Its place and the names in it count, in any
 * language.
 */
export interface StatementBook {
  /** `isAside`: tool calls follow in the same message, so it ends no turn. */
  say(text: string, at: number, isAside: boolean): void;
  /** A file was changed: what was said since the last change led to it. */
  settle(): void;
  /** The person speaks: what the agent said last ended its turn. */
  endTurn(): void;
  /** The end of what was said last, whatever it is. */
  last(): StatementFact | undefined;
  facts(): StatementFact[];
}

/** A summary with less room shows less of it. */
const CONCLUSION_UNITS = 2_400;
const SENTENCE_UNITS = 240;
/** In letters of an alphabet: "Done." and "Yes." say nothing that will matter. */
const SHORTEST_SENTENCE = 20;
/** A sentence of so many letters gives a reason, or a result. */
const TELLING_SENTENCE = 40;
/** Decisions are said early or late in a text, hardly in the middle of a long one. */
const LOOK_UNITS = 4_000;
/** As many texts as are one piece of work where no file is changed. */
const STRETCH = 8;

/** The first words of a sentence that only announces a next step; other sentences of a text go first. */
const INTENT =
  /^(?:\W*)(?:(?:now|next|first|let me|let['’]s|i['’]ll|i will|we['’]ll|we will|i am going|i['’]m going|time to|great|good|perfect|ok(?:ay)?|bây giờ|tiếp theo|tôi sẽ|để tôi|jetzt|nun|als nächstes|ich werde|ahora|voy a|vamos|maintenant|je vais|теперь|сейчас|давай(?:те)?)(?!\p{L})|现在|接下来|让我|我来|我将|次に|それでは|これから)/iu;

/** A ledger has half as many. */
const LOOKED = 800;

/** A sentence that may say what was found out. */
interface Finding extends StatementFact {
  readonly weight: number;
}

function statement({ text, at }: Finding): StatementFact {
  return { text, at };
}

export function createStatementBook(): StatementBook {
  const findings: StatementFact[] = [];
  const conclusions: StatementFact[] = [];
  let last: (StatementFact & { readonly found: readonly Finding[] }) | undefined;
  let best: Finding | undefined;
  let texts = 0;
  let newest: StatementFact | undefined;

  const settle = (): void => {
    if (best !== undefined) findings.push(statement(best));
    best = undefined;
    texts = 0;
  };

  const weigh = (found: readonly Finding[]): void => {
    for (const finding of found) if (finding.weight >= (best?.weight ?? 1)) best = finding;
  };

  const say: StatementBook["say"] = (text, at, isAside) => {
    if (text.trim() !== "") newest = { text, at };
    if (saidLength(text) < SHORTEST_SENTENCE) return;
    const found = findingsIn(text, at);
    // The last text of a turn is told anyway.
    weigh(isAside ? found : (last?.found ?? []));
    if (!isAside) last = { text, at, found };
    if (++texts >= STRETCH) settle();
  };

  const endTurn = (): void => {
    settle();
    if (last !== undefined) conclusions.push(conclusion(last));
    last = undefined;
  };

  const facts = (): StatementFact[] => {
    const newest = conclusions.slice(-LOOKED);
    const told = last === undefined ? newest : [...newest, conclusion(last)];
    const concluded = new Map(told.map(({ text, at }) => [at, text]));
    const recent = findings.slice(-LOOKED);
    const found = best === undefined ? recent : [...recent, statement(best)];
    const others = found.filter(({ text, at }) => concluded.get(at)?.includes(text) !== true);
    return [...others, ...told].toSorted((a, b) => a.at - b.at);
  };

  return { say, settle, endTurn, last: () => newest && ending(newest), facts };
}

function findingsIn(text: string, at: number): Finding[] {
  const looked = text.length > LOOK_UNITS ? text.slice(0, LOOK_UNITS) : text;
  const sentences = sentencesOf(looked.replace(FENCED, "\n"));
  return sentences.flatMap((sentence, index) => {
    if (!isStatement(sentence)) return [];
    const weight = weightOf(sentence, index, sentences.length);
    return weight === 0 ? [] : [{ text: clipLine(sentence, SENTENCE_UNITS), at, weight }];
  });
}

/** The worth of a sentence as a finding: the last one of a text often says what is done next. */
function weightOf(sentence: string, index: number, count: number): number {
  if (INTENT.test(sentence)) return 0;
  const isTelling = saidLength(sentence) >= TELLING_SENTENCE;
  const signs = [isTelling, isEmphatic(sentence), refersToCode(sentence), index < count - 1];
  return signs.filter(Boolean).length;
}

const FENCED = /^```[^]*?(?:^```|$(?![^]))/gm;
/** Headings, tables, code and markup; a name alone, e.g. the path above a block. */
const NO_PROSE = /^(?:#{1,6}\s|\||~~~|[{}<$]|\/\/|[!-~]+$)/;

/** A sentence that ends in a colon only leads to the next tool call, and a question finds nothing. */
function isStatement(sentence: string): boolean {
  if (saidLength(sentence) < SHORTEST_SENTENCE || NO_PROSE.test(sentence)) return false;
  return !leadsOn(sentence) && !isQuestion(sentence);
}

/** The next step is told last. */
function ending({ text, at }: StatementFact): StatementFact {
  const paragraph =
    text
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  return { text: clip(paragraph, { length: SENTENCE_UNITS }), at };
}

/** The beginning: a conclusion comes first, and what was done follows from other facts. */
function conclusion({ text, at }: StatementFact): StatementFact {
  return { text: clip(text.trim(), { length: CONCLUSION_UNITS }), at };
}
