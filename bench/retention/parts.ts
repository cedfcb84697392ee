/** What each section of our summaries is worth. */
import { holds, textsOf } from "../../src/simulate/index.ts";
import type { Kept } from "../../src/simulate/index.ts";
import { exact } from "../tokens/exact.ts";
import type { Cut } from "./cuts.ts";

/** One section of one summary, in sums. */
export interface PartTally {
  readonly part: string;
  readonly tokens: number;
  readonly lines: number;
  readonly usedLines: number;
  readonly onlyHere: number;
}

/** Looks at the summary of a result; nothing where there is none. */
export function partsOf({ uses }: Cut, { messages }: Kept): readonly PartTally[] {
  const summary = messages.find(({ kind }) => kind === "summary");
  if (summary === undefined) return [];
  const sections = sectionsOf(textsOf(summary).join("\n"));
  const tail = messages.filter((message) => message !== summary).flatMap(textsOf);
  const names = uses.map(({ text }) => text);
  return sections.map(({ part, text }) => {
    const elsewhere = [...tail, ...sections.filter((one) => one.part !== part).map(textOf)];
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const own = names.filter((name) => holds(text, name));
    return {
      part,
      tokens: exact.count(text),
      lines: lines.length,
      usedLines: lines.filter((line) => own.some((name) => holds(line, name))).length,
      onlyHere: own.filter((name) => !elsewhere.some((other) => holds(other, name))).length,
    };
  });
}

interface Section {
  readonly part: string;
  readonly text: string;
}

function textOf({ text }: Section): string {
  return text;
}

/** The text below each heading of the second level; what stands above the first is the frame. */
function sectionsOf(summary: string): readonly Section[] {
  const [frame = "", ...rest] = summary.split(/^## /m);
  const sections = rest.map((one): Section => {
    const end = one.indexOf("\n");
    return { part: one.slice(0, end), text: one.slice(end + 1) };
  });
  return [{ part: "(frame)", text: frame }, ...sections];
}
