import type { Ledger } from "../core/ledger/index.ts";
import { isFrame } from "../core/summary/frame.ts";
import type { SummaryLine } from "./data.ts";

/** Shorter texts are in many lines by chance. */
const TELLING = 6;

/**
 * A summary line by line, with who wrote each: in one of Longhaul, quoted lines are a model's words and
 * listed ones are facts, whose message is told where the ledger has it. All lines of another one are a
 * model's.
 */
export function summaryLines(text: string, facts: Ledger): SummaryLine[] {
  const isOurs = isFrame(text);
  const known = placesOf(facts);
  return text.split("\n").map((line) => {
    const trimmed = line.trim();
    if (trimmed === "" || /^(?:#|<)/.test(trimmed)) return { text: line, by: "frame" };
    if (!isOurs || trimmed.startsWith(">")) return { text: line, by: "model" };
    if (!trimmed.startsWith("-")) return { text: line, by: "frame" };
    const from = known.findLast(([fact]) => line.includes(fact))?.[1];
    return { text: line, by: "record", ...(from !== undefined && { from }) };
  });
}

/** What the ledger knows, each with its message: the longest last, because it says the most. */
function placesOf(facts: Ledger): (readonly [string, number])[] {
  const places: (readonly [string, number])[] = [
    ...facts.files.map(({ path, last }) => [path, last] as const),
    ...facts.commands.map(({ command, at }) => [firstLine(command), at] as const),
    ...facts.instructions.map(({ text, at }) => [firstLine(text), at] as const),
    ...facts.errors.map(({ subject, at }) => [firstLine(subject), at] as const),
    ...facts.statements.map(({ text, at }) => [firstLine(text), at] as const),
  ];
  const telling = places.filter(([text]) => text.length >= TELLING);
  return telling.toSorted(([one], [other]) => one.length - other.length);
}

function firstLine(text: string): string {
  return (text.trim().split("\n", 1)[0] ?? "").slice(0, 80);
}
