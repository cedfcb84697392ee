import { cleanText } from "../text/clean.ts";
import type { CountTokens } from "../text/index.ts";
import { createIsHeading, fencedLines, headingsOf, parseSummary } from "./sections.ts";
import { type CompactionTemplate, DEFAULT_COMPACTION_TEMPLATE, plainTitle } from "./template.ts";

/*
 * The gate: what models and servers send instead of a summary. What a summary merely leaves out is
 * no reason to refuse it, because the recorded facts stand below its words.
 */

/** What a model answered. */
export interface GivenAnswer {
  readonly text: string;
  /** Why the model stopped. @default "stop" */
  readonly finish?: string;
  /** How many tools it called. @default 0 */
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

/** Why an answer is no summary; plain data. */
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
  // Why the model stopped says more than what it said instead, e.g. after a refusal.
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

/** What the answer is where all sections are missing, or most. */
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
  const line = start.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

const CHAT_START =
  /^(?:sure\b|certainly\b|of course\b|okay\b|ok\b|great\b|thanks\b|thank you\b|got it\b|absolutely\b|hello\b|hi\b|yes\b|i['’]?(?:ll|m|ve)\b|i (?:will|am|have|can|cannot|need)\b|let me\b|let['’]s\b|now,? i\b|next,? i\b|you\b|sorry\b|unfortunately\b)/i;
const CHAT_END = /\?\s*$|\b(?:let me know|feel free)\b[^\n]*$/i;

/** Whether the text speaks to the user or goes on with the work. */
function speaksToUser(text: string): boolean {
  const start = text.trimStart();
  return CHAT_START.test(start) || CHAT_END.test(start.slice(-LOOK_UNITS));
}

/** What no sentence or list item ends with, and a heading with nothing below it. */
const BROKEN_END =
  /(?:[,([{–—&:]|\b(?:and|or|the|an?|to|of|in|with|for|was|that|which|because|und|der|die|das))$|^\s*(?:[-*•]|\d+[.)])\s*$|^#/i;

/** Whether a text ends in the middle of a sentence, of inline code or of a list item. */
function breaksOff(text: string): boolean {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return BROKEN_END.test(last) || (last.replace(/^ *`{3,}/, "").match(/`/g)?.length ?? 0) % 2 === 1;
}

/** In UTF-16 units: more than any model thinks and writes, and nothing to take time for. */
const LONGEST_ANSWER = 500_000;
/** Where models think aloud before they write. */
const THINKING = /^[ \t]*<(analysis|think|thinking|thoughts?|reasoning|scratchpad)>/im;
/** More such blocks than this are no slip. */
const MOST_BLOCKS = 8;
const FENCE = /^ ?(?:`{3,}|~{3,})/;
const CLOSING_FENCE = /^ ?(?:`{3,}|~{3,})\s*$/;
/** What closes a wrapper around the summary: `</summary>` and the like, on a line of its own. */
const CLOSING_TAG = /^\s*<\/(?:summary|answer|output|response|prior-conversation-summary)>\s*$/i;
/** What a chat partner says at the end; it stands outside of any list. */
const FAREWELL =
  /^(?:let me know\b|would you like\b|shall i\b|should i\b|do you want\b|feel free\b|i hope this\b|is there anything\b)/i;

/**
 * A model's answer as the summary that it holds: without control characters, thinking aloud, a code
 * fence or a tag around the whole, and what is said before the first heading or as a farewell after
 * the last section; with the template's headings. An answer without any of those stays as it is.
 */
export function cleanAnswer(answer: string, template: CompactionTemplate): string {
  const said = withoutThinking(cleanText(answer.slice(0, LONGEST_ANSWER)).trim(), template);
  const lines = withHeadings(said.split("\n"), template);
  const start = lines.findIndex(createIsHeading(template));
  if (start < 0) return said.trim();
  const isFenced = fenceCount(lines.slice(0, start)) % 2 === 1;
  const body = isFenced ? withoutClosingFence(lines.slice(start)) : lines.slice(start);
  const end = body.findLastIndex((line) => !isFarewell(line));
  return body
    .slice(0, end + 1)
    .join("\n")
    .trim();
}

function withoutThinking(text: string, template: CompactionTemplate): string {
  let rest = withoutOpenThinking(text, template);
  for (let block = 0; block < MOST_BLOCKS; block++) {
    const opening = THINKING.exec(rest);
    if (opening === null || holdsHeading(rest.slice(0, opening.index), template)) return rest;
    const closing = `</${opening[1] ?? ""}>`;
    const end = rest.indexOf(closing, opening.index);
    if (end < 0) return rest;
    rest = `${rest.slice(0, opening.index)}\n${rest.slice(end + closing.length)}`;
  }
  return rest;
}

/** Some servers leave out the opening tag, which they put into the prompt themselves. */
function withoutOpenThinking(text: string, template: CompactionTemplate): string {
  const closing = "</think>";
  const end = text.lastIndexOf(closing);
  if (end < 0 || text.slice(0, end).includes("<think")) return text;
  const rest = text.slice(end + closing.length);
  return holdsHeading(rest, template) ? rest : text;
}

function holdsHeading(text: string, template: CompactionTemplate): boolean {
  return text.split("\n").some(createIsHeading(template));
}

function fenceCount(lines: readonly string[]): number {
  return lines.filter((line) => FENCE.test(line)).length;
}

/** Lines of a fenced text up to the end of the fence, if it has one. */
function withoutClosingFence(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line) => CLOSING_FENCE.test(line));
  return end < 0 || fenceCount(lines) % 2 === 0 ? lines : lines.slice(0, end);
}

function isFarewell(line: string): boolean {
  return line.trim() === "" || CLOSING_TAG.test(line) || FAREWELL.test(line);
}

/**
 * The lines with the template's headings where the model wrote the titles in another way, or in
 * another language: as many titles as there are sections, each once and in their order.
 */
function withHeadings(lines: readonly string[], template: CompactionTemplate): readonly string[] {
  const { sections } = template;
  const all = headingsOf(lines, template);
  const known = new Set(all.filter((heading) => heading.known).map(({ key }) => key)).size;
  if (known * 2 > sections.length) return lines;
  const bare = bareTitles(lines, template);
  const levels = [...new Set(all.map(({ level }) => level))];
  const level = levels.find(
    (one) => all.filter((heading) => heading.level === one).length === sections.length,
  );
  const placed = all.filter((heading) => heading.level === level);
  const isPlaced = placed.every(({ key, known: is }, at) => !is || key === sections[at]?.id);
  const found = bare ?? (isPlaced ? placed.map(({ line }) => line) : []);
  const headings = new Map(found.map((line, at) => [line, sections[at]?.heading ?? ""]));
  return lines.map((line, at) => headings.get(at) ?? line);
}

/** Longer than this is no title. */
const LONGEST_TITLE = 80;
/** Whatever marks a line as a heading or an item. */
const MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** What numbers a title: `1.`, `IV)`, `b -`, `Section 2:`. */
const ORDINAL = /^(?:(?:section|part)\s+)?(?:\d{1,2}|[ivx]{1,4}|[a-z])[\s\p{M}]*[.):\p{M}–-]\s*/iu;

/** The lines that are titles of the template without the marks of a heading; all or none. */
function bareTitles(
  lines: readonly string[],
  { sections }: CompactionTemplate,
): readonly number[] | undefined {
  const titles = new Map(
    sections.flatMap(({ id, heading }) => [
      [plainTitle(id), id],
      [plainTitle(heading), id],
    ]),
  );
  const found = lines.flatMap((text, line) => {
    if (text.length > LONGEST_TITLE) return [];
    const title = plainTitle(text.replace(MARKS, "").replace(ORDINAL, "").replace(MARKS, ""));
    const id = titles.get(title);
    return id === undefined ? [] : [{ line, id }];
  });
  const isExact =
    found.length === sections.length && found.every(({ id }, at) => id === sections[at]?.id);
  return isExact ? found.map(({ line }) => line) : undefined;
}
