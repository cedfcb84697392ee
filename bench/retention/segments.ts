/**
 * What is looked at: stretches of recorded sessions between two compactions of the agent itself, with
 * all that its model saw. Reasoning, usage and files are taken out for everybody alike.
 */
import path from "node:path";
import { type Message, repairMessages } from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { plainMessages } from "../../src/simulate/index.ts";
import { readSessions, sessionFiles } from "../quality/sessions.ts";
import { exact, remembering } from "../tokens/exact.ts";

export interface Segment {
  /** `file#part`, as in the other benches. */
  readonly name: string;
  readonly format: string;
  /** The file: figures are means of sessions, and cuts of one session are not independent. */
  readonly session: string;
  readonly messages: readonly Message[];
  readonly cwd?: string;
}

/** A segment below this many o200k tokens overflows no window that is tried. */
const LEAST_TOKENS = 18_000;

const meter = createMessageMeter(remembering(exact));

/** o200k tokens of messages, for every contestant. */
export function tokensOf(messages: readonly Message[]): number {
  return meter.total(messages);
}

/** All segments of the recordings beside the checkout, or of a file or folder, and of our own. */
export async function readSegments(folder?: string): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  for (const file of sessionFiles(folder)) {
    // A conversation that goes on after a cut holds the cut part's tail only, so none is counted twice.
    for (const { part, format, conversation } of await readSessions(file)) {
      const { messages } = repairMessages(plainMessages(conversation.messages));
      if (tokensOf(messages) < LEAST_TOKENS) continue;
      const session = path.basename(file);
      const { cwd } = conversation;
      segments.push({ name: `${session}#${part}`, format, session, messages, cwd });
    }
  }
  return segments;
}
