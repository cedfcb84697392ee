import { ContextError } from "../core/error.ts";
import { describeValue } from "../core/message/index.ts";
import { checkToolLimits } from "../core/truncate/index.ts";
import { isJournalEntry } from "./journal/journal.ts";
import type { ContextOptions } from "./options.ts";

/**
 * Complains about options that are none, such as the id of a model: they would be ignored as a
 * whole. And about lists that are none. Throws `invalid-options`.
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ContextError(
      "invalid-options",
      `The options are ${shown(options)}; they must be an object, e.g. { window: 200_000 }.`,
    );
  }
  const { plugins = [], constraints = [] } = options as Readonly<Record<string, unknown>>;
  const isPlugin = (value: unknown): boolean => typeof value === "object" && value !== null;
  if (!Array.isArray(plugins) || !plugins.every(isPlugin)) {
    throw noSuch("plugins", plugins, "a list of plugins, e.g. [{ name, onEvent }]");
  }
  if (!Array.isArray(constraints) || !constraints.every((rule) => typeof rule === "string")) {
    throw noSuch("constraints", constraints, "a list of texts");
  }
}

/**
 * Complains about an archive, a summarizer, a journal, a counter, or limits that are none, such as the path of a folder or the id of a model: without types it would only be noticed in the
 * middle of a run, when the window is full. Throws `invalid-options`.
 */
export function checkGivenParts({
  archive,
  summarizer,
  journal,
  counter,
  toolLimits = {},
}: ContextOptions): void {
  if (archive !== undefined && !has(archive, "put")) {
    throw noSuch("archive", archive, "an archive, e.g. directoryArchive(folder)");
  }
  const isNamed = summarizer === undefined || summarizer === "extractive";
  if (!isNamed && typeof summarizer !== "function" && !has(summarizer, "summarize")) {
    const expected =
      'a summarizer, e.g. anthropicSummarizer({ model: "claude-haiku-4-5" }), or a function';
    throw noSuch("summarizer", summarizer, expected);
  }
  for (const [field, tokens] of isNamed ? [] : sizesOf(summarizer)) {
    if (typeof tokens === "number" && tokens > 0) continue;
    throw noSuch(`summarizer.${field}`, tokens, "a number of tokens above 0, or absent");
  }
  if (journal !== undefined && !isJournal(journal)) {
    throw noSuch("journal", journal, "what journal() of a context of this version returned");
  }
  if (counter !== undefined && !has(counter, "count")) {
    throw noSuch("counter", counter, "a counter of tokens, e.g. { name, count: (text) => 1 }");
  }
  if (typeof toolLimits !== "object" || toolLimits === null) {
    throw noSuch("toolLimits", toolLimits, "limits by tool name, e.g. { bash: { maxLines: 500 } }");
  }
  checkToolLimits(toolLimits);
}

function sizesOf(summarizer: object): readonly (readonly [string, unknown])[] {
  const fields = summarizer as Readonly<Record<string, unknown>>;
  return ["window", "maxTokens"]
    .map((field) => [field, fields[field]] as const)
    .filter(([, tokens]) => tokens !== undefined);
}

function isJournal(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((entry) => isJournalEntry(entry) && !("undo" in entry));
}

function has(value: unknown, method: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return typeof (value as Readonly<Record<string, unknown>>)[method] === "function";
}

function noSuch(option: string, value: unknown, expected: string): ContextError {
  return new ContextError(
    "invalid-options",
    `The option ${option} is ${shown(value)}; it must be ${expected}.`,
    { details: { option } },
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : describeValue(value);
}
