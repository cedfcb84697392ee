import type { Ledger } from "../../ledger/index.ts";
import { cleanAnswer } from "./clean-answer.ts";
import { findContradictions } from "./contradictions.ts";
import { foreignLanguage } from "./language.ts";
import { unnamedFiles } from "./named-files.ts";
import { breaksOff, errorStart, holdsToolCall, speaksToUser } from "./not-a-summary.ts";
import type { CountTokens } from "../plain-text.ts";
import type { SummaryProblem } from "./problem.ts";
import { parseSummary } from "../sections.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../template.ts";
import type { CompactionTemplate, TemplateSection } from "../template.ts";

/** What a model answered. */
export interface JudgedAnswer {
  readonly text: string;
  /** Why the model stopped. @default "stop" */
  readonly finish?: string;
  /** How many tools it called. @default 0 */
  readonly toolCalls?: number;
}

export interface JudgeInput extends GapInput {
  /** Tokens of what the summary replaces. */
  readonly replaces: number;
}

/** What a summary with gaps is held against. */
export interface GapInput {
  /** At most this many tokens. */
  readonly cap: number;
  /** Of the messages that the summary replaces. */
  readonly ledger: Ledger;
  /** Those of all of the conversation: earlier work, and how people write. @default `ledger` */
  readonly known?: Ledger;
  readonly count: CountTokens;
  readonly template?: CompactionTemplate;
}

export interface Judgement {
  /** The summary in the answer, see `cleanAnswer`. */
  readonly text: string;
  /** Everything that is wrong, not only the first thing; empty: accepted. */
  readonly problems: readonly SummaryProblem[];
  /** Whether it is no summary at all; otherwise the problems are gaps that a ledger can fill. */
  readonly isFatal: boolean;
}

/** More than this many caps are not a long summary but a runaway. */
const FAR_OVER = 2;
/** In UTF-16 units: more than any model thinks and writes, and nothing to take time for. */
const LONGEST_ANSWER = 500_000;
/** Reasons to stop that leave a text unfinished. */
const UNFINISHED = new Set(["length", "content-filter", "error"]);

/** Judges a model's answer against what a summary must be; decides nothing about what happens then. */
export function judgeSummary(answer: JudgedAnswer, input: JudgeInput): Judgement {
  const { template = DEFAULT_COMPACTION_TEMPLATE, cap, count } = input;
  if (answer.text.length > LONGEST_ANSWER) {
    const tokens = count(answer.text);
    return { text: "", problems: [{ code: "over-cap", tokens, cap }], isFatal: true };
  }
  const { text, translated } = cleanAnswer(answer.text, template);
  const fatal = fatalProblem(answer, text, input);
  const gaps = text === "" ? [] : summaryGaps(text, input);
  const renamed =
    translated.length > 0 ? [{ code: "translated-headings", headings: translated } as const] : [];
  const problems = [...(fatal ?? slips(answer, text)), ...renamed, ...gaps];
  return { text, problems, isFatal: fatal !== undefined };
}

/** What a ledger can make good: a gap in a summary that is one. */
export function summaryGaps(text: string, input: GapInput): readonly SummaryProblem[] {
  const { cap, ledger, known = ledger, count, template = DEFAULT_COMPACTION_TEMPLATE } = input;
  const missingSections = missingIn(text, template);
  const problems: SummaryProblem[] = [];
  const isPartial = missingSections.length < template.sections.length;
  if (missingSections.length > 0 && isPartial) {
    const headings = headingsFor(missingSections, template);
    problems.push({ code: "missing-sections", headings });
  }
  const tokens = count(text);
  if (tokens > cap) problems.push({ code: "over-cap", tokens, cap });
  const paths = isPartial ? unnamedFiles(text, ledger) : [];
  if (paths.length > 0) problems.push({ code: "unnamed-files", paths });
  const language = foreignLanguage(text, known);
  if (language !== undefined) problems.push({ code: "wrong-language", language });
  for (const { line, fact } of findContradictions(text, known, template)) {
    problems.push({ code: "contradiction", line, fact });
  }
  return problems;
}

function fatalProblem(
  answer: JudgedAnswer,
  text: string,
  input: JudgeInput,
): readonly SummaryProblem[] | undefined {
  const { cap, replaces, count, template = DEFAULT_COMPACTION_TEMPLATE } = input;
  const { finish } = answer;
  const missingSections = missingIn(text, template);
  const isCall = hasToolCall(answer, text);
  if (isCall && missingSections.length > 0) return [{ code: "tool-call" }];
  const unfinished = finish !== undefined && UNFINISHED.has(finish) ? { finish } : undefined;
  if (text === "") return [{ code: "empty", ...unfinished }];
  const instead = noSummary(text, missingSections, template);
  const cutOff = unfinished && ({ code: "cut-off", ...unfinished } as const);
  // Why the model stopped says more than what it said instead, e.g. after a refusal.
  if (instead !== undefined) return cutOff === undefined ? [instead] : [cutOff, instead];
  if (cutOff !== undefined) return [cutOff];
  if (endsEarly(text, missingSections, template)) return [{ code: "cut-off" }];
  const tokens = count(text);
  if (tokens >= replaces) return [{ code: "not-smaller", tokens, replaces }];
  // The gap of that name is there already.
  return tokens > cap * FAR_OVER ? [] : undefined;
}

/** What is wrong with an answer that has a summary all the same. */
function slips(answer: JudgedAnswer, text: string): readonly SummaryProblem[] {
  const isCall = hasToolCall(answer, text);
  // Who stopped by itself may end with any word.
  const isCut = answer.finish !== "stop" && breaksOff(text);
  return [
    ...(isCall ? [{ code: "tool-call" } as const] : []),
    ...(isCut ? [{ code: "cut-off" } as const] : []),
  ];
}

/** Sections that are absent or empty, or that only hold what the template says of them. */
function missingIn(text: string, template: CompactionTemplate): readonly string[] {
  const bodies = parseSummary(text, template);
  const isMissing = ({ id, purpose }: TemplateSection): boolean => {
    const body = bodies.get(id)?.trim() ?? "";
    return body === "" || body === purpose.trim();
  };
  return template.sections.filter(isMissing).map(({ id }) => id);
}

/** What the answer is if it is not even a summary with gaps. */
function noSummary(
  text: string,
  missingSections: readonly string[],
  template: CompactionTemplate,
): SummaryProblem | undefined {
  const { sections } = template;
  if (missingSections.length === sections.length) {
    const error = errorStart(text);
    if (error !== undefined) return { code: "error-text", text: error };
    if (speaksToUser(text)) return { code: "chat-answer" };
    return { code: "no-sections", headings: sections.map(({ heading }) => heading) };
  }
  const isLittle = missingSections.length * 2 > sections.length;
  return isLittle && speaksToUser(text) ? { code: "chat-answer" } : undefined;
}

/** Whether the last sections are missing and the text does not end like a text. */
function endsEarly(
  text: string,
  missingSections: readonly string[],
  template: CompactionTemplate,
): boolean {
  const last = template.sections.at(-1)?.id ?? "";
  return missingSections.includes(last) && breaksOff(text);
}

function hasToolCall({ toolCalls = 0, finish }: JudgedAnswer, text: string): boolean {
  return toolCalls > 0 || finish === "tool-calls" || holdsToolCall(text);
}

function headingsFor(ids: readonly string[], template: CompactionTemplate): readonly string[] {
  return template.sections.filter(({ id }) => ids.includes(id)).map(({ heading }) => heading);
}
