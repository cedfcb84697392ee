import { type Archive, putOriginal } from "../archive/archive.ts";
import { sha256Hex } from "../archive/digest.ts";
import { extractLedger } from "../core/ledger/extract.ts";
import { createLedgerSum } from "../core/ledger/merge.ts";
import { namesIn } from "../core/ledger/names.ts";
import { estimator } from "../core/tokens/estimator.ts";
import type { Handle, Message } from "../core/message/index.ts";
import { linesOf, originalOfLines } from "../core/message/original.ts";
import { frameSummary } from "../core/summary/frame.ts";
import { writeSummary } from "../core/summary/summary.ts";
import { readSessionHistory, type SessionHistory } from "../transcripts/stretches.ts";
import type { Ledger } from "../core/ledger/index.ts";

/** The file of a session, and who writes it. */
export interface SessionFile {
  readonly path: string;
  readonly format: "claude-code" | "codex";
}

/** The record of a session from its first line on, whatever its agent compacted. */
export interface SessionState {
  readonly ledger: Ledger;
  readonly cwd: string | undefined;
  /** The messages from one compaction to the next, oldest first; the last is the open stretch. */
  readonly stretches: SessionHistory["stretches"];
}

/** Reads a session. Throws what reading throws. */
export async function readSessionState({ path, format }: SessionFile): Promise<SessionState> {
  const { stretches, cwd } = await readSessionHistory(path, { format });
  const sum = createLedgerSum({ cwd });
  for (const messages of stretches) {
    sum.add({ ...extractLedger(messages, { cwd }), names: namesIn(messages) });
  }
  return { ledger: sum.ledger(), cwd, stretches };
}

/**
 * Puts stretches into the archive, each as the head that a compaction took out of the window, and
 * returns their handles, newest first. One that the archive does not take has none.
 */
export async function keepHeads(
  stretches: SessionHistory["stretches"],
  archive: Archive,
): Promise<readonly Handle[]> {
  const heads: Handle[] = [];
  for (const messages of stretches) {
    const handle = await keepHead(messages, archive);
    if (handle !== undefined) heads.unshift(handle);
  }
  return heads;
}

async function keepHead(
  messages: readonly Message[],
  archive: Archive,
): Promise<Handle | undefined> {
  if (messages.length === 0) return undefined;
  const original = originalOfLines(linesOf(messages), sha256Hex);
  const { handle } = original;
  try {
    if (!(await archive.has(handle))) await putOriginal(archive, original);
    return handle;
  } catch {
    return undefined;
  }
}

/** An agent takes so many characters of what a hook says; of more it shows a file's name. */
const MOST_UNITS = 9_500;
const UNITS_A_TOKEN = 4;
/** The frame around it, its sentence and its attributes. */
const FRAME_UNITS = 500;

/**
 * The facts that must not be lost, for a context that somebody else just compacted: the recorded ones
 * of the whole session under the five headings, framed as a record.
 * @param heads Where it is word for word, newest first.
 */
export function stateBlock(
  { ledger, cwd, stretches }: SessionState,
  heads: readonly Handle[],
): string {
  const [headHandle, ...olderHandles] = heads;
  const { text } = writeSummary({
    ledger,
    cwd,
    headHandle,
    olderHandles,
    cap: Math.floor((MOST_UNITS - FRAME_UNITS) / UNITS_A_TOKEN),
    // Ids are more tokens than their length says, and every later request has them again.
    count: (line) => Math.max(Math.ceil(line.length / UNITS_A_TOKEN), estimator.count(line)),
  });
  const headMessages = stretches.reduce((total, { length }) => total + length, 0);
  return frameSummary(text, { headHandle, headMessages });
}

/**
 * Instructions for whoever writes the agent's own summary: it has to keep what the person
 * asked for, and what is changed, open or broken. A model that is told so leaves less of it out.
 */
export function summaryInstructions({ ledger, cwd }: SessionState): string {
  const { sections } = writeSummary({
    ledger,
    cwd,
    cap: INSTRUCTION_TOKENS,
    count: (line) => Math.ceil(line.length / UNITS_A_TOKEN),
  });
  return [
    "Keep what follows in the summary; it was recorded from the session without a model, and is right where you remember it otherwise. Keep the words of the user as they stand, paths and names in full, and handles (out_…, head_…) as they are: they get back what was left out.",
    "",
    ...KEPT.flatMap(([id, title]) => {
      const body = sections[id] ?? "";
      return body === "" ? [] : [`${title}:`, body, ""];
    }),
  ]
    .join("\n")
    .trim();
}

const INSTRUCTION_TOKENS = 1_500;
const KEPT = [
  ["instructions", "What the user said"],
  ["accomplished", "What was done, and what is still open"],
  ["discoveries", "What is broken or was found out"],
  ["relevantFiles", "Files"],
] as const;
