import type { SummaryRequest } from "../src/models/summarizer.ts";

/** What a good model answers: every section of the template, and every file that was changed. */
export function goodSummary({ template, ledger }: SummaryRequest): Promise<string> {
  const files = ledger.files.filter(({ ops }) => ops.some((op) => op !== "read"));
  const bodies: Readonly<Record<string, string>> = {
    goal: "A model wrote this: the work is to be done.",
    relevantFiles: files.map(({ path }) => `- ${path}: part of the work`).join("\n"),
  };
  const sections = template.sections.map(
    ({ id, heading }) => `${heading}\n${bodies[id] || "(none)"}`,
  );
  return Promise.resolve(sections.join("\n\n"));
}
