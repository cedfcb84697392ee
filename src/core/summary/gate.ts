import { cleanAnswer } from "./answer.ts";
import { clipLine, type CountTokens } from "../text/clip.ts";
import { fencedLines, parseSummary } from "./sections.ts";
import { type CompactionTemplate, DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";

/*
 * The gate: what models and servers send instead of a summary. A fact that a summary leaves out is
 * no reason to refuse it, because the recorded facts stand below its words.
 */

/** The answer of a model. */
export interface GivenAnswer {
  readonly text: string;
  /** The reason for which the model stopped. @default "stop" */
  readonly finish?: string;
  /** The number of tools that it called. @default 0 */
  readonly toolCalls?: number;
}

export interface GateOptions {
  /** Tokens of what the summary replaces. */
  readonly replaces: number;
  readonly count: CountTokens;
  readonly template?: CompactionTemplate;
}

/** An answer at the gate: the summary that it holds, or why it holds none. */
interface GatedAnswer {
  /** See `cleanAnswer`. */
  readonly text: string;
  readonly problem?: SummaryProblem;
}

/** The reason for which an answer is no summary; plain data. */
export type SummaryProblem =
  /** `finish` is why the model stopped, where it said so and it was not by itself. */
  | { readonly code: "empty"; readonly finish?: string }
  | { readonly code: "cut-off"; readonly finish?: string }
  | { readonly code: "tool-call" }
  | { readonly code: "chat-answer" }
  /** `text` is the start of what came instead of a summary. */
  | { readonly code: "error-text"; readonly text: string }
  | { readonly code: "no-sections"; readonly headings: readonly string[] }
  | { readonly code: "not-smaller"; readonly tokens: number; readonly replaces: number };

/** Reasons to stop that leave a text unfinished. */
const UNFINISHED = new Set(["length", "content-filter", "error"]);

/** Lets an answer in that is a summary, or names the one thing that makes it none. */
export function gateAnswer(answer: GivenAnswer, options: GateOptions): GatedAnswer {
  const { template = DEFAULT_COMPACTION_TEMPLATE } = options;
  const text = cleanAnswer(answer.text, template);
  const problem = problemOf(answer, text, { ...options, template });
  return problem === undefined ? { text } : { text, problem };
}

function problemOf(
  { finish = "stop", toolCalls = 0 }: GivenAnswer,
  text: string,
  { replaces, count, template }: GateOptions & { readonly template: CompactionTemplate },
): SummaryProblem | undefined {
  const missing = missingSections(text, template);
  const isCall = toolCalls > 0 || finish === "tool-calls" || holdsToolCall(text);
  if (isCall && missing.length > 0) return { code: "tool-call" };
  // The reason for the stop says more than the text before it, e.g. after a refusal.
  if (UNFINISHED.has(finish)) return { code: text === "" ? "empty" : "cut-off", finish };
  if (text === "") return { code: "empty" };
  const instead = noSummary(text, missing, template);
  if (instead !== undefined) return instead;
  const last = template.sections.at(-1)?.id ?? "";
  if (missing.includes(last) && breaksOff(text)) return { code: "cut-off" };
  const tokens = count(text);
  return tokens >= replaces ? { code: "not-smaller", tokens, replaces } : undefined;
}

/** Sections that are absent or empty, or that only hold what the template says of them. */
function missingSections(text: string, template: CompactionTemplate): readonly string[] {
  const bodies = parseSummary(text, template);
  const missing = template.sections.filter(({ id, purpose }) => {
    const body = bodies.get(id)?.trim() ?? "";
    return body === "" || body === purpose.trim();
  });
  return missing.map(({ id }) => id);
}

/** The kind of an answer where all sections are missing, or most. */
function noSummary(
  text: string,
  missing: readonly string[],
  { sections }: CompactionTemplate,
): SummaryProblem | undefined {
  if (missing.length < sections.length) {
    const isLittle = missing.length * 2 > sections.length;
    return isLittle && speaksToUser(text) ? { code: "chat-answer" } : undefined;
  }
  const error = errorStart(text);
  if (error !== undefined) return { code: "error-text", text: error };
  if (speaksToUser(text)) return { code: "chat-answer" };
  return { code: "no-sections", headings: sections.map(({ heading }) => heading) };
}

/** A problem in one sentence: for the model that is asked again, and for the report. */
export function describeProblem(problem: SummaryProblem): string {
  switch (problem.code) {
    case "empty":
      return `The answer was empty${reasonOf(problem.finish)}.`;
    case "cut-off":
      return `The summary breaks off before its end${reasonOf(problem.finish)}; write less in each section, so that all of them fit.`;
    case "tool-call":
      return "The answer called a tool; only the text of the summary is wanted.";
    case "chat-answer":
      return "The answer went on with the conversation instead of summarizing it.";
    case "error-text":
      return `The answer was an error message and no summary: ${problem.text}`;
    case "no-sections":
      return `None of the sections was there; write all of them, each under its heading exactly as given: ${problem.headings.join(", ")}.`;
    case "not-smaller":
      return `The summary had ${problem.tokens} tokens and what it replaces has only ${problem.replaces}; write much less.`;
  }
}

function reasonOf(finish: string | undefined): string {
  return finish === undefined ? "" : ` (finish reason: ${finish})`;
}

const LOOK_UNITS = 400;

/** Tool calls as models write them when they have no tools to call. */
const TOOL_CALL =
  /^ ?(?:<\/?(?:tool_call|tool_calls|function_calls?|tool_use|antml:[a-z_]+|invoke|execute_command|read_file)\b|<function=|<\|?(?:tool_call|tool_calls|python_tag|channel)|<｜tool|\[TOOL_CALLS?\]|functions\.\w+\s*[({]|to=functions\.)/im;
/** The whole answer is one call as JSON. */
const JSON_CALL =
  /^(?:```(?:json)?\s*)?\{\s*"(?:name|tool|tool_name|function|recipient_name)"\s*:\s*["{]/;

/** Whether there is a tool call in the text, quoted ones left out. */
function holdsToolCall(text: string): boolean {
  if (JSON_CALL.test(text.slice(0, LOOK_UNITS).trimStart())) return true;
  return TOOL_CALL.test(text) && TOOL_CALL.test(withoutFenced(text));
}

function withoutFenced(text: string): string {
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  return lines.filter((_, line) => !fenced.has(line)).join("\n");
}

const ERROR_BODY =
  /^(?:<!doctype|<html|<\?xml|\{\s*"(?:error|type"\s*:\s*"error|errors|detail|message|code|status)"|\[\s*\{\s*"error")/i;
const ERROR_WORDS =
  /\b(?:rate.?limit|too many requests|overloaded|quota exceeded|insufficient.quota|internal server error|bad gateway|service unavailable|gateway time-?out|context.length.exceeded|maximum context length|prompt is too long|invalid api key|unauthorized|authentication.error|model not found|request timed out|upstream connect)\b|^(?:api )?error\b|^\d{3} [a-z]/i;

/** The start of an error message, if the text is one. */
function errorStart(text: string): string | undefined {
  const start = text.trimStart().slice(0, LOOK_UNITS);
  if (!ERROR_BODY.test(start) && !ERROR_WORDS.test(start)) return undefined;
  return clipLine(start);
}

const CHAT_START =
  /^(?:sure\b|certainly\b|of course\b|okay\b|ok\b|great\b|thanks\b|thank you\b|got it\b|absolutely\b|hello\b|hi\b|yes\b|i['’]?(?:ll|m|ve)\b|i (?:will|am|have|can|cannot|need)\b|let me\b|let['’]s\b|now,? i\b|next,? i\b|you\b|sorry\b|unfortunately\b)/i;
const CHAT_END = /\?\s*$|\b(?:let me know|feel free)\b[^\n]*$/i;

/** Whether the text speaks to the user or goes on with the work. */
function speaksToUser(text: string): boolean {
  const start = text.trimStart();
  return CHAT_START.test(start) || CHAT_END.test(start.slice(-LOOK_UNITS));
}

/** Ends that no sentence or list item has, and a heading with nothing below it. */
const BROKEN_END =
  /(?:[,([{–—&:]|\b(?:and|or|the|an?|to|of|in|with|for|was|that|which|because|und|der|die|das))$|^\s*(?:[-*•]|\d+[.)])\s*$|^#/i;

/** Whether a text ends in the middle of a sentence, of inline code or of a list item. */
function breaksOff(text: string): boolean {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return BROKEN_END.test(last) || (last.replace(/^ *`{3,}/, "").match(/`/g)?.length ?? 0) % 2 === 1;
}
