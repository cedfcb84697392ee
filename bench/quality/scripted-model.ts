/**
 * What a fair model answers when it is asked for a summary, made from the prompt alone: it carries
 * over the known facts that name files and commands, and says a few sentences of its own.
 */
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";

/** A token of paths and commands has about so many characters at the least. */
const CHARS_PER_TOKEN = 2;
/** What the five headings and the prose below take of it. */
const OWN_CHARS = 700;

const PROSE: Readonly<Record<string, string>> = {
  goal: "The user wants the work in this record to be finished.",
  instructions: "(none)",
  discoveries: "- The code is read before it is changed, and the tests tell whether it works.",
};

export function fairSummary(prompt: string): string {
  const room = sizeAskedFor(prompt) * CHARS_PER_TOKEN - OWN_CHARS;
  const deeds = within(room, deedsIn(prompt));
  const files = within(room - length(deeds), deeds.flatMap(filesIn));
  const bodies: Readonly<Record<string, string>> = {
    ...PROSE,
    accomplished: deeds.join("\n"),
    relevantFiles: files.map((path) => `- ${path}: part of the work`).join("\n"),
  };
  return DEFAULT_COMPACTION_TEMPLATE.sections
    .map(({ id, heading }) => `${heading}\n${bodies[id] || "(none)"}`)
    .join("\n\n");
}

/** Whether a prompt is a second try. */
export function isRetry(prompt: string): boolean {
  return prompt.includes("This is the second and last try.");
}

function sizeAskedFor(prompt: string): number {
  return Number(/The whole summary has at most (\d+) tokens/.exec(prompt)?.[1] ?? 800);
}

/** Lines of the known facts that say what became of files and commands. */
function deedsIn(prompt: string): readonly string[] {
  const facts = /<known-facts>\n([\s\S]*?)\n<\/known-facts>/.exec(prompt)?.[1] ?? "";
  return facts.split("\n").filter((line) => /^- (?:Created|Modified|Deleted|`)/.test(line));
}

function filesIn(line: string): readonly string[] {
  if (!/^- (?:Created|Modified)/.test(line)) return [];
  const spans = [...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
  const folder = line.includes(" in `") ? spans[0] : "";
  return spans.slice(folder === "" ? 0 : 1).map((name) => `\`${folder}${name}\``);
}

/** The first lines that have so many characters together at the most. */
function within(characters: number, lines: readonly string[]): readonly string[] {
  let left = characters;
  return lines.filter((line) => (left -= line.length + 1) >= 0);
}

function length(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
