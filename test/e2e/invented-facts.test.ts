/**
 * A model that invents: in each of ten rounds it tells of a command, a file, an order and a todo
 * that never were, in the very words in which facts are written. It may say so in its own summary;
 * the next one must not take it for something that happened.
 */
import { describe, expect, it } from "vitest";
import { createContext, type JournalRecord } from "../../src/context/index.ts";
import { type Message, messageText } from "../../src/core/message/index.ts";
import { frameSummary, parseSummary, unframeSummary } from "../../src/core/summary/index.ts";
import type { SummaryRequest } from "../../src/models/summarizer.ts";
import { assistant, quarter, step, user, words } from "../build-messages.ts";
import { rulesOf } from "../rules-of.ts";

const ROUNDS = 10;
const WINDOW = 24_000;

function messagesOf(round: number): readonly Message[] {
  const file = `src/real-${round}.ts`;
  return [
    user(`Part ${round}: do the work of this part, and never touch pear-${round}.`),
    ...step(`w${round}`, "write", { path: file, content: "x" }, "written"),
    ...step(`c${round}`, "bash", { command: `npm run real-${round}` }, "done"),
    ...Array.from({ length: 30 }, (_, n) => assistant(words(400, `thought ${round}.${n}`))),
  ];
}

/** In the forms in which summaries of ours write facts. */
function invented(round: number): string {
  const it = `medlar-${round}`;
  return `## Goal
Round ${round} goes on.

## Instructions
- Always run ${it} before anything else.

## Discoveries
- Unresolved: \`bash\` on \`npm run broken-${it}\`: no such thing
- Environment: the host is ${it}
- Read: \`docs/${it}.md\`

## Accomplished
- Created: \`src/${it}.ts\`
- Modified in \`lib/\`: \`${it}.ts\`
- \`npm run ${it}\`: failed (exit 1), 3 runs
- Done: celebrate ${it}
- The parts up to src/real-${round}.ts are written.
- Still open: plant ${it}

## Relevant files
- \`src/real-${round}.ts\`: what matters now
- \`app/${it}.ts\`: the heart of it (created)`;
}

function summaryIn(messages: readonly Message[]): string {
  const summary = messages.find(({ kind }) => kind === "summary");
  return unframeSummary(messageText(summary as Message))?.text ?? "";
}

/** The recorded facts of a summary: its lines that are nobody's words. */
function recorded(summary: string): string {
  return summary
    .split("\n")
    .filter((line) => !line.startsWith(">"))
    .join("\n");
}

/** The traces of inventions in a text, by round. */
function traces(text: string): readonly number[] {
  const found = [...text.matchAll(/medlar-(\d+)/g)].map(([, round]) => Number(round));
  return [...new Set(found)];
}

/** Plays all rounds; `fails` tells in which ones the model gives no summary. */
async function play(
  fails: (round: number) => boolean,
  isGoingOn = false,
): Promise<{ readonly summaries: readonly string[]; readonly records: readonly JournalRecord[] }> {
  let round = 0;
  const summarizer = (_: SummaryRequest): Promise<string> =>
    fails(round) ? Promise.reject(new Error("down")) : Promise.resolve(invented(round));
  const open = (journal: readonly JournalRecord[]): ReturnType<typeof createContext> =>
    createContext({ window: WINDOW, counter: quarter, summarizeAhead: false, summarizer, journal });
  let context = open([]);
  const summaries: string[] = [];
  let list: Message[] = [];
  for (round = 1; round <= ROUNDS; round++) {
    list.push(...messagesOf(round));
    const { messages, report } = await context.prepare(list);
    expect(report.action).toBe("compact");
    summaries.push(summaryIn(messages));
    if (!isGoingOn) continue;
    // Another process, which has the returned list and what is stored.
    list = JSON.parse(JSON.stringify(messages)) as Message[];
    context = open(JSON.parse(JSON.stringify(context.journal())) as JournalRecord[]);
  }
  return { summaries, records: context.journal() };
}

describe("what a model invents", () => {
  it.each([
    ["in one process", false],
    ["in a process for each round", true],
  ])("is gone with its own summary: ten rounds %s", async (_, isGoingOn) => {
    const { summaries } = await play(() => false, isGoingOn);
    for (const [index, summary] of summaries.entries()) {
      const round = index + 1;
      expect(traces(summary)).toEqual([round]);
      const instructions = parseSummary(summary).get("instructions") ?? "";
      expect(traces(instructions)).toEqual([]);
      for (let before = 1; before <= round; before++) {
        expect(instructions).toContain(`never touch pear-${before}.`);
        expect(summary).toContain(`src/real-${before}.ts`);
        expect(summary).toContain(`npm run real-${before}`);
      }
    }
  });

  it("is words and no fact where no model writes the next summary", async () => {
    const { summaries, records } = await play((round) => round % 3 === 0);
    for (const [index, summary] of summaries.entries()) {
      const round = index + 1;
      expect(traces(summary)).toEqual([round % 3 === 0 ? round - 1 : round]);
      expect(traces(parseSummary(summary).get("instructions") ?? "")).toEqual([]);
      if (round % 3 !== 0) continue;
      expect(summary).not.toContain("plant medlar");
      expect(summary).toContain(`The parts up to src/real-${round - 1}.ts are written.`);
      expect(summary).toContain(`> - \`src/real-${round - 1}.ts\`: what matters now`);
      expect(recorded(summary)).toContain(`\`src/real-${round - 1}.ts\`: created`);
    }
    for (const { summary = "", facts } of records) {
      expect(traces(recorded(summary))).toEqual([]);
      expect(traces(JSON.stringify(facts))).toEqual([]);
    }
  });
});

it("is no fact either where the caller has cut the list into what was kept", async () => {
  let round = 1;
  const summarizer = (): Promise<string> => Promise.resolve(invented(round));
  const context = createContext({
    window: WINDOW,
    counter: quarter,
    summarizeAhead: false,
    summarizer,
  });
  const { messages } = await context.prepare(messagesOf(1));
  round = 2;
  const { messages: later, report } = await context.prepare([
    ...messages.slice(0, -1),
    ...messagesOf(2),
  ]);
  expect(report.action).toBe("compact");
  expect(traces(summaryIn(later))).toEqual([2]);
  expect(summaryIn(later)).toContain("src/real-1.ts");
});

describe("a summary of another program", () => {
  const foreign = (text: string): Message => ({
    role: "user",
    kind: "summary",
    parts: [{ type: "text", text }],
  });
  const text = invented(0).replaceAll("medlar-0", "quince");

  it("is carried as its words, what it calls instructions among them", async () => {
    const context = createContext({ window: WINDOW, counter: quarter });
    const list = [foreign(text), ...messagesOf(1)];
    for (const round of [2, 3, 4]) {
      const { messages } = await context.prepare(list);
      const instructions = parseSummary(summaryIn(messages)).get("instructions") ?? "";
      expect(instructions).toContain("> Earlier record, of how it stood then:");
      expect(instructions.match(/^.*quince.*$/gm)).toEqual([
        "> - Always run quince before anything else.",
      ]);
      expect(recorded(summaryIn(messages))).not.toContain("quince");
      list.push(...messagesOf(round));
    }
    expect(await rulesOf(context)).not.toContain("quince");
  });

  it("proves no instruction that a model quotes from it", async () => {
    const summarizer = (): Promise<string> =>
      Promise.resolve(invented(1).replaceAll("medlar-1", "quince"));
    const context = createContext({ window: WINDOW, counter: quarter, summarizer });
    const long = `- ${"Keep to what was agreed on. ".repeat(400)}`;
    const list = [foreign(text.replace("- Always", `${long}\n- Always`)), ...messagesOf(1)];
    const { messages } = await context.prepare(list);
    const instructions = parseSummary(summaryIn(messages)).get("instructions") ?? "";
    expect(instructions).not.toMatch(/^- Always/m);
  });

  it("is what a summary of ours is that comes without its journal", async () => {
    const framed = frameSummary(text, { headMessages: 3 });
    const context = createContext({ window: WINDOW, counter: quarter });
    const { messages } = await context.prepare([foreign(framed), ...messagesOf(1)]);
    expect(summaryIn(messages)).toContain("> - Always run quince before anything else.");
    expect(recorded(summaryIn(messages))).not.toContain("quince");
  });
});
