import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createLedgerSum, type Ledger } from "../../../src/core/ledger/index.ts";
import { parseSummary, writeSummary } from "../../../src/core/summary/index.ts";
import { createTypedIndex } from "../../../src/core/summary/typed.ts";
import { runs } from "../../property/runs.ts";
import { busyLedger, count, HEAD, ledger } from "./build-ledger.ts";

/** Words of a person, each text once; the round and its place make them differ. */
const said = fc.array(
  fc.array(fc.constantFrom("keep", "the", "old", "Ordner", "рядом", "表"), {
    minLength: 4,
    maxLength: 120,
  }),
  { maxLength: 6 },
);
const conversations = fc.record({
  rounds: fc.array(said, { minLength: 1, maxLength: 12 }),
  cap: fc.integer({ min: 600, max: 12_000 }),
  facts: fc.integer({ min: 0, max: 100 }),
});

function roundOf(texts: readonly (readonly string[])[], round: number, facts: number): Ledger {
  const instructions = texts.map((words, at) => `Rule ${round}.${at}. ${words.join(" ")}`);
  const names = Array.from({ length: facts * 3 }, (_, at) => ({ name: `name_${round}_${at}` }));
  const typed = ledger({ instructions }).instructions;
  return { ...busyLedger(facts, `r${round}`), instructions: typed, names };
}

it("what a person typed has half of a summary before any list, and is counted where that is too little", () => {
  fc.assert(
    fc.property(conversations, ({ rounds, cap, facts }) => {
      const sum = createLedgerSum();
      for (const [round, texts] of rounds.entries()) sum.add(roundOf(texts, round, facts));
      const all = sum.ledger();
      const typed = all.instructions.map(({ text }) => text);
      const narrative = { discoveries: "A word of a model.\n".repeat(400) };
      const input = { cap, count, headHandle: HEAD };
      const { text } = writeSummary({ ...input, ledger: all, narrative });
      const frame = count(writeSummary({ ...input, ledger: ledger({}) }).text);
      const { instructions = "" } = Object.fromEntries(parseSummary(text));
      const whole = typed.filter((one) => instructions.includes(one)).length;
      const needed = typed.reduce((total, one) => total + count(`- ${one}\n`), 0);
      // The rest is for the line that says which of two holds.
      if (needed + 20 <= (cap - frame) / 2) expect(whole).toBe(typed.length);
      const shown = typed.filter((_, at) => instructions.includes(startOf(typed[at])));
      const more = /^- … and (\d+) more \(instructions\): .*head_\w{16}/m.exec(instructions)?.[1];
      expect(shown.length + Number(more ?? 0)).toBe(typed.length);
      const clipped = instructions.match(/\[clipped, \d+ characters in all: .*head_\w{16}/g) ?? [];
      expect(whole + clipped.length).toBe(shown.length);
    }),
    { numRuns: runs(30, 500) },
  );
});

const forms = [
  "<uploaded_files>",
  "</uploaded_files>",
  '<issue number="7">',
  "/workspace/some__repo__0.1",
  "src/core/parser.ts",
  "Here's the text:",
  "ISSUE:",
  "下面是问题：",
];
const shells = fc.record({
  above: fc.array(fc.constantFrom(...forms), { maxLength: 8 }),
  lead: fc.constantFrom("", "We solve this in our repository. Here it is: "),
  between: fc.array(fc.constantFrom(...forms), { maxLength: 4 }),
  ask: fc.constantFrom(
    "The parser loses the last line",
    "- make it port 8080, please",
    "修复解析器",
  ),
});

it("the goal is what was asked for, whatever form it was put into", () => {
  fc.assert(
    fc.property(shells, ({ above, lead, between, ask }) => {
      const text = [...above, lead, ...between, ask, "</uploaded_files>"].join("\n");
      const { sections } = writeSummary({
        ledger: ledger({ instructions: [text] }),
        cap: 4_000,
        count,
      });
      const said = lead === "" ? "" : "We solve this in our repository. ";
      expect(sections["goal"]).toBe(
        `- Request: ${said}${lead === "" ? ask.replace("- ", "") : ask}`,
      );
      expect(sections["instructions"]).toContain(ask);
    }),
    { numRuns: runs(60, 2_000) },
  );
});

it("a message that is nothing but a form is the goal all the same", () => {
  const goals = ["Fix this:", "src/core/parser.ts", "<go>"].map((text) => {
    const all = ledger({ instructions: [text, "ok"] });
    return writeSummary({ ledger: all, cap: 4_000, count }).sections["goal"];
  });
  expect(goals).toEqual(
    ["Fix this:", "src/core/parser.ts", "<go>"].map((text) => expect.stringContaining(text)),
  );
});

it("the first and the newest request are the same however often somebody asked before", () => {
  const texts = fc.constantFrom(
    "",
    "ok",
    "go on",
    ...forms,
    "- fix the parser, please",
    "修复解析器里的错误",
  );
  const rounds = fc.array(fc.array(texts, { maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(rounds, (all) => {
      const [often, once] = [createTypedIndex(), createTypedIndex()];
      for (const { instructions } of all.map((round) => ledger({ instructions: round }))) {
        often.add(instructions);
        often.requests();
        once.add(instructions);
      }
      expect(often.requests()).toEqual(once.requests());
    }),
    { numRuns: runs(300, 5_000) },
  );
});

it("asking again for the requests reads only what was typed since", () => {
  const index = createTypedIndex();
  const instructions = Array.from({ length: 20_000 }, (_, at) => `step ${at}`);
  index.add(ledger({ instructions }).instructions);
  const timed = (): number => {
    const start = performance.now();
    expect(index.requests()).toEqual(["First request: step 0", "Newest request: step 19999"]);
    return performance.now() - start;
  };
  const first = timed();
  expect(Math.min(...Array.from({ length: 9 }, timed))).toBeLessThan(first / 5);
});

/** By which a text is known also where it is clipped. */
function startOf(text = ""): string {
  return text.slice(0, text.indexOf(" ", "Rule ".length));
}
