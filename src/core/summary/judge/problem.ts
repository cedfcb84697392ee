import type { CommandRuns } from "../facts/facts.ts";

/** What is wrong with a summary that a model wrote; plain data. */
export type SummaryProblem =
  /** `finish` is why the model stopped, where it said so and it was not by itself. */
  | { readonly code: "empty"; readonly finish?: string | undefined }
  /** `finish` is why the model stopped, where it said so. */
  | { readonly code: "cut-off"; readonly finish?: string | undefined }
  | { readonly code: "tool-call" }
  | { readonly code: "chat-answer" }
  /** `text` is the start of what came instead of a summary. */
  | { readonly code: "error-text"; readonly text: string }
  | { readonly code: "no-sections"; readonly headings: readonly string[] }
  /** Headings of the sections that are absent or empty, as the template has them. */
  | { readonly code: "missing-sections"; readonly headings: readonly string[] }
  /** Headings in other words than the template's, which they were taken for by their places. */
  | { readonly code: "translated-headings"; readonly headings: readonly string[] }
  | { readonly code: "over-cap"; readonly tokens: number; readonly cap: number }
  /** It is as large as what it replaces, or larger. */
  | { readonly code: "not-smaller"; readonly tokens: number; readonly replaces: number }
  /** Files that were created, modified or deleted and that it does not name. */
  | { readonly code: "unnamed-files"; readonly paths: readonly string[] }
  /** `line` as it stands in the summary. */
  | { readonly code: "contradiction"; readonly line: string; readonly fact: CheckedFact }
  /** It is in a language or a script, e.g. `German` or `Han script`, that nobody in the conversation writes. */
  | { readonly code: "wrong-language"; readonly language: string };

/** A fact of the ledger that a line of a summary can be checked against. */
export type CheckedFact =
  | { readonly type: "file"; readonly path: string; readonly exists: boolean }
  | { readonly type: "command"; readonly command: string; readonly outcome: Outcome }
  | { readonly type: "todo"; readonly text: string; readonly done: boolean };

type Outcome = CommandRuns["outcome"];

/** More names than this make a sentence that nobody reads. */
const MOST_NAMES = 20;

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
    case "missing-sections":
      return `Missing or empty: ${problem.headings.join(", ")}; write each section under its heading exactly as given, with (none) where there is nothing to say.`;
    case "translated-headings":
      return `The headings were not the ones given; write them exactly as given instead of ${problem.headings.join(", ")}.`;
    case "over-cap":
      return `The summary had ${problem.tokens} tokens and at most ${problem.cap} are allowed; keep what matters most.`;
    case "not-smaller":
      return `The summary had ${problem.tokens} tokens and what it replaces has only ${problem.replaces}; write much less.`;
    case "unnamed-files":
      return `Files were changed and are not named: ${someOf(problem.paths)}; name each with its full path.`;
    case "contradiction":
      return `The line "${problem.line}" is not what happened: ${describeFact(problem.fact)}.`;
    case "wrong-language":
      return `The summary is written in ${problem.language}, which the conversation does not use; write in the user's language.`;
  }
}

function reasonOf(finish: string | undefined): string {
  return finish === undefined ? "" : ` (finish reason: ${finish})`;
}

function describeFact(fact: CheckedFact): string {
  if (fact.type === "file") {
    return fact.exists ? `${fact.path} was not deleted` : `${fact.path} was deleted in the end`;
  }
  if (fact.type === "todo") {
    return `the todo "${fact.text}" is ${fact.done ? "done" : "still open"}`;
  }
  return `the last run of \`${fact.command}\` ${fact.outcome === "ok" ? "succeeded" : "failed"}`;
}

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const some = names.slice(0, MOST_NAMES).join(", ");
  return more > 0 ? `${some} and ${more} more` : some;
}
