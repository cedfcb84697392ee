import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileState } from "../../../../src/core/summary/facts/facts.ts";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  extractiveSummary,
  frameSummary,
  judgeSummary,
  mergeSummary,
  parseSummary,
  unframeSummary,
  validateSummary,
} from "../../../../src/core/summary/index.ts";
import { summaryFacts } from "../../../../src/core/summary/facts/summary-facts.ts";
import { isHandle } from "../../../../src/core/message/index.ts";
import type { Ledger } from "../../../../src/core/ledger/index.ts";
import { busyLedger, count, head, ledger } from "../build-ledger.ts";

const ROUNDS = 10;

/** How the summary of a round is written: by no model, or by one that tells these parts of the facts. */
type Writer =
  | "extractive"
  | { readonly tells: readonly number[]; readonly oddity: string; readonly drops: number };

const ODDITIES = [
  "",
  "Label:",
  "```\n## Goal\n```",
  "### Deeper\n- heading",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "A paragraph\nof two lines.\n\nAnd another one.",
  "- … and 7 more (commands): recall head_00000000000000ff",
  "- nested\n  - once\n    - twice",
  "* star\n+ plus\n1) one",
  "```ts\nnever closed",
];

const writer: fc.Arbitrary<Writer> = fc.oneof(
  fc.constant<Writer>("extractive"),
  fc.record({
    tells: fc.array(fc.nat(5), { maxLength: 6 }),
    oddity: fc.constantFrom(...ODDITIES),
    drops: fc.nat(8),
  }),
);

function factsOf(round: number): Ledger {
  return { ...busyLedger(6, `r${round}`), todos: [] };
}

/** A model's answer that tells some of the facts in prose and drops a section, or none. */
function answer(round: number, { tells, oddity, drops }: Exclude<Writer, string>): string {
  const facts = factsOf(round);
  const some = <T>(values: readonly T[]): readonly T[] =>
    values.filter((_, at) => tells.includes(at));
  const bodies: Readonly<Record<string, string>> = {
    Goal: `Round ${round} goes on.\n${oddity}`,
    Instructions: `- Something nobody typed in round ${round}.\n${oddity}`,
    Discoveries: `${oddity}\n${some(facts.errors)
      .map(({ text }) => `- Saw ${text}`)
      .join("\n")}`,
    Accomplished: `${some(facts.files)
      .map(({ path }) => `- Changed \`${path}\``)
      .join("\n")}\n${oddity}\n${some(facts.commands)
      .map(({ command }) => `- Ran \`${command}\``)
      .join("\n")}\n- Still open: finish round ${round}`,
    "Relevant files": `${oddity}\n${some(facts.files)
      .map(({ path }) => `- ${path}: part of ${round}`)
      .join("\n")}`,
  };
  return Object.entries(bodies)
    .filter((_, at) => at !== drops)
    .map(([heading, body]) => `## ${heading}\n${body}`)
    .join("\n\n");
}

interface Round {
  readonly summary: string;
  /** As it stands in the context. */
  readonly framed: string;
  /** What the archive has under the round's handle: the messages and the summary before them. */
  readonly archived: string;
}

function play(writers: readonly Writer[], cap: number): readonly Round[] {
  const rounds: Round[] = [];
  for (const [index, how] of writers.entries()) {
    const round = index + 1;
    const previous = rounds.at(-1)?.framed ?? "";
    const facts = factsOf(round);
    const input = { ledger: facts, previousSummary: previous, cap, count, headHandle: head(round) };
    const summary =
      how === "extractive"
        ? extractiveSummary(input)
        : mergeSummary({ ...input, model: answer(round, how) }).text;
    const framed = frameSummary(summary, { headHandle: head(round), headMessages: 9 });
    rounds.push({ summary, framed, archived: `${previous}\n${JSON.stringify(facts)}` });
  }
  return rounds;
}

/** Everything that can be read from a context: what stands there, and what is behind its handles. */
function reachable(rounds: readonly Round[]): string {
  const seen = new Set<string>();
  const texts = [rounds.at(-1)?.framed ?? ""];
  for (const text of texts) {
    for (const handle of text.match(/\bhead_[0-9a-f]{16}\b/g) ?? []) {
      const at = rounds.findIndex((_, index) => head(index + 1) === handle);
      if (!isHandle(handle) || seen.has(handle) || at < 0) continue;
      seen.add(handle);
      texts.push(rounds[at]?.archived ?? "");
    }
  }
  return texts.join("\n");
}

describe("T12: ten rounds, some by a model, some without", () => {
  const writers = fc.array(writer, { minLength: ROUNDS, maxLength: ROUNDS });

  it("stay under the cap and in five sections, and lose nothing from reach", () => {
    fc.assert(
      fc.property(writers, fc.integer({ min: 500, max: 4_000 }), (writers, cap) => {
        const rounds = play(writers, cap);
        for (const { summary, framed } of rounds) {
          expect(count(summary)).toBeLessThanOrEqual(cap);
          expect(validateSummary(summary).valid).toBe(true);
          expect([...parseSummary(summary).keys()]).toHaveLength(5);
          expect(unframeSummary(framed)?.text).toBe(summary);
        }
        const all = reachable(rounds);
        const first = factsOf(1);
        for (const { text } of first.instructions) expect(all).toContain(text);
        for (const { path } of first.files) expect(all).toContain(path);
        for (const { command } of first.commands) expect(all).toContain(command);
        for (const { subject } of first.errors) expect(all).toContain(subject);
      }),
      { numRuns: 40 },
    );
  });

  it("keep every instruction, changed file and unresolved error in the text while there is room", () => {
    fc.assert(
      fc.property(writers, (writers) => {
        const rounds = play(writers, 60_000);
        const { summary } = rounds.at(-1) ?? { summary: "" };
        const { facts } = summaryFacts(summary, DEFAULT_COMPACTION_TEMPLATE);
        const states = new Map(facts.files.map(({ path, ops }) => [path, fileState(ops)]));
        for (let round = 1; round <= ROUNDS; round++) {
          const { instructions, files, errors } = factsOf(round);
          for (const { text } of instructions) expect(summary).toContain(`- ${text}`);
          for (const { path, ops } of files) {
            if (ops.at(-1) !== "read") expect(states.get(path)).toBe(ops.at(-1));
          }
          for (const { subject, resolved } of errors) {
            if (!resolved) expect(summary).toContain(`Unresolved: \`bash\` on \`${subject}\``);
          }
        }
        const instructions = parseSummary(summary).get("instructions");
        expect(instructions).not.toContain("nobody typed");
        expect(instructions?.split("\n")).toHaveLength(ROUNDS * 6);
      }),
      { numRuns: 40 },
    );
  });

  it("are judged as what they are: nothing wrong but what had no room", () => {
    fc.assert(
      fc.property(writers, (writers) => {
        const rounds = play(writers, 60_000);
        for (const [index, { summary }] of rounds.entries()) {
          const gate = { cap: 60_000, replaces: 90_000, ledger: factsOf(index + 1), count };
          const answer = { text: summary, finish: "stop" };
          expect(judgeSummary(answer, gate).problems).toEqual([]);
        }
      }),
      { numRuns: 20 },
    );
  });
});

it("counts what had no room through rounds of both kinds", () => {
  let previousSummary = extractiveSummary({
    ledger: busyLedger(300, "a"),
    cap: 900,
    count,
    headHandle: head(1),
  });
  for (let round = 2; round < 6; round++) {
    const model =
      "## Goal\nGo on.\n\n## Instructions\n(none)\n\n## Discoveries\n- x\n\n## Accomplished\n- y\n\n## Relevant files\n- `z.ts`: z";
    const input = { ledger: ledger({}), previousSummary, cap: 900, count, headHandle: head(round) };
    previousSummary =
      round % 2 === 0 ? mergeSummary({ ...input, model }).text : extractiveSummary(input);
    const hidden = /and (\d+) more \(instructions\): recall (head_\w+)/.exec(previousSummary);
    const shown = previousSummary.match(/^- a: rule number/gm)?.length ?? 0;
    expect(Number(hidden?.[1]) + shown).toBe(300);
  }
});
