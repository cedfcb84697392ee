import { describe, expect, it } from "vitest";
import { createLedgerBook, extractLedger } from "../../../../src/core/ledger/index.ts";
import { type Message, messageText } from "../../../../src/core/message/index.ts";
import { fileState } from "../../../../src/core/summary/facts/facts.ts";
import { summaryFacts } from "../../../../src/core/summary/facts/summary-facts.ts";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  judgeSummary,
  mergeSummary,
  parseSummary,
  validateSummary,
} from "../../../../src/core/summary/index.ts";
import { findContradictions } from "../../../../src/core/summary/judge/contradictions.ts";
import { estimateTokens } from "../../../../src/core/tokens/estimator.ts";
import { readTranscript } from "../../../../src/transcripts/index.ts";
import { RECORDED_FILES, recording } from "../../../recordings.ts";
import { HEAD } from "../build-ledger.ts";

async function messagesOf(bytes: Buffer): Promise<readonly Message[]> {
  const { conversations } = await readTranscript(bytes);
  return conversations.flatMap(({ messages }) => messages);
}

/** Files in which a model summarized, and the record of it, up to which the rest was summarized. */
const SUMMARIZED: readonly (readonly [string, RegExp])[] = [
  ["claude-code/cc-2.1.17-microcompact-and-compact.jsonl.gz", /"subtype":"compact_boundary"/],
  ["pi/pi-v1-two-compactions.jsonl.gz", /^\{"type":"compaction"/],
  ["pi/pi-v3-compaction.jsonl", /^\{"type":"compaction"/],
];

interface Summarized {
  readonly messages: readonly Message[];
  readonly summary: string;
}

/** What stood before the last compaction of a file, and what the model made of it. */
async function summarized(file: string, mark: RegExp): Promise<Summarized> {
  const bytes = recording(file);
  const lines = bytes.toString("utf8").split("\n");
  const cut = lines.findLastIndex((line) => mark.test(line));
  const summary = (await messagesOf(bytes)).filter(({ kind }) => kind === "summary");
  const messages = await messagesOf(Buffer.from(`${lines.slice(0, cut).join("\n")}\n`));
  return { messages, summary: summary.map(messageText).join("\n\n") };
}

describe.skipIf(RECORDED_FILES.length === 0)(
  "a summary that a model of another agent wrote",
  () => {
    it.each(SUMMARIZED)("%s denies no fact, in whatever section it stands", async (file, mark) => {
      const { messages, summary } = await summarized(file, mark);
      const body = summary.replace(/^#+ /gm, "#### ");
      expect(body.length).toBeGreaterThan(3_000);
      const text = `## Accomplished\n${body}\n\n## Relevant files\n${body}`;
      expect(
        findContradictions(text, extractLedger(messages), DEFAULT_COMPACTION_TEMPLATE),
      ).toEqual([]);
    });

    it.each(SUMMARIZED)("%s is completed under every cap, and read back", async (file, mark) => {
      const { messages, summary } = await summarized(file, mark);
      const ledger = extractLedger(messages);
      for (const cap of [800, 2_000, 12_000, 100_000]) {
        const input = { ledger, cap, count: estimateTokens, headHandle: HEAD };
        const { text } = mergeSummary({ ...input, model: summary });
        expect(estimateTokens(text)).toBeLessThanOrEqual(cap);
        expect(validateSummary(text).valid).toBe(true);
        expect([...parseSummary(text).keys()]).toHaveLength(5);
        if (cap < 100_000) continue;
        const { facts } = summaryFacts(text, DEFAULT_COMPACTION_TEMPLATE);
        // Of the commands the newest are enough beside what the model says.
        expect([...facts.hidden.keys()].filter((noun) => noun !== "commands")).toEqual([]);
        const known = new Map(facts.files.map(({ path, ops }) => [path, fileState(ops)]));
        for (const { path, ops } of ledger.files) {
          if (fileState(ops) !== "read")
            expect([path, known.get(path)]).toEqual([path, fileState(ops)]);
        }
        const gate = { ...input, replaces: 200_000 };
        expect(judgeSummary({ text }, gate).problems).toEqual([]);
      }
    });
  },
);

describe.skipIf(RECORDED_FILES.length === 0)(
  "what agents say of their work while they do it",
  () => {
    it.each(RECORDED_FILES)("%s: denies no fact so far", async (file) => {
      const found: unknown[] = [];
      const book = createLedgerBook();
      for (const message of await messagesOf(recording(file))) {
        const text = messageText(message).replace(/^#+ /gm, "#### ");
        const isProse = message.role === "assistant" || message.kind === "summary";
        if (isProse && /deleted|removed|created|added|pass|succe|done|\[x\]|`: ok/i.test(text)) {
          const said = `## Accomplished\n${text}`;
          found.push(...findContradictions(said, book.ledger(), DEFAULT_COMPACTION_TEMPLATE));
        }
        book.add(message);
      }
      expect(found).toEqual([]);
    });
  },
);
