import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { checkGrowth } from "./check-growth.ts";
import { checkRun, prepareSession, type Run } from "./check-run.ts";
import { readSessions, type Session } from "./sessions.ts";

/** Many runs added up. */

export const WINDOWS: readonly number[] = [8_000, 16_000, 32_000, 64_000, 128_000];
export const DIALECTS: readonly Dialect[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  aiSdk,
] as readonly Dialect[];

/** Plain JSON, so that a child process can hand it over. */
export interface Tally {
  readonly conversations: number;
  readonly runs: number;
  readonly actions: Readonly<Record<Run["action"], number>>;
  readonly fill: Run["fill"];
  readonly instructions: Run["instructions"];
  readonly handles: number;
  readonly failures: readonly string[];
  /** See {@link Run.misjudged}. */
  readonly misjudged: readonly string[];
  /** Requests of growing sessions; see `check-growth.ts`. */
  readonly requests: number;
  /** See {@link Growth.indirect}. */
  readonly indirect: readonly string[];
}

export interface Matrix {
  readonly windows: readonly number[];
  readonly dialects: readonly Dialect[];
  /** Which conversations, by number; all by default. */
  readonly only?: (session: Session, index: number) => boolean;
}

export function emptyTally(): Tally {
  return {
    conversations: 0,
    runs: 0,
    actions: { none: 0, prune: 0, compact: 0, refused: 0 },
    fill: { estimated: 0, exact: 0 },
    instructions: { verbatim: 0, recalled: 0 },
    handles: 0,
    failures: [],
    misjudged: [],
    requests: 0,
    indirect: [],
  };
}

/** All runs of one file. */
export async function figuresOf(file: string, { windows, dialects, only }: Matrix): Promise<Tally> {
  const sessions = (await readSessions(file)).filter(
    (session, index) =>
      session.conversation.messages.length > 0 && (only?.(session, index) ?? true),
  );
  let tally: Tally = { ...emptyTally(), conversations: sessions.length };
  for (const session of sessions) {
    const prepared = prepareSession(session);
    for (const window of windows) {
      for (const dialect of dialects) {
        const run = await checkRun(prepared, window, dialect);
        tally = merged(tally, tallyOf(run, nameOf(session, window, dialect)));
      }
    }
  }
  return tally;
}

/** All growing sessions of one file: every request of every long conversation, as it was made. */
export async function growthOf(file: string, { windows, dialects, only }: Matrix): Promise<Tally> {
  let tally = emptyTally();
  for (const [index, session] of (await readSessions(file)).entries()) {
    const isLong = session.conversation.messages.length >= LONG;
    if (!isLong || !(only?.(session, index) ?? true)) continue;
    const prepared = prepareSession(session);
    for (const window of windows) {
      for (const dialect of dialects) {
        const { requests, failures, indirect } = await checkGrowth(prepared, window, dialect);
        const name = `${nameOf(session, window, dialect)}, growing`;
        tally = merged(tally, {
          ...emptyTally(),
          requests,
          indirect: indirect.map((id) => `${name}: no handle in the output of ${id} gives it back`),
          failures: failures.map((failure) => `${name}: ${failure}`),
        });
      }
    }
  }
  return tally;
}

/** Messages; shorter conversations are compacted once at most. */
const LONG = 40;

function nameOf({ file, part }: Session, window: number, dialect: Dialect): string {
  return `${file.split("/").at(-1) ?? file} [${part}] ${window} ${dialect.name}`;
}

function tallyOf(run: Run, name: string): Tally {
  return {
    ...emptyTally(),
    runs: 1,
    actions: { ...emptyTally().actions, [run.action]: 1 },
    fill: run.fill,
    instructions: run.instructions,
    handles: run.handles,
    failures: run.failures.map((failure) => `${name}: ${failure}`),
    misjudged: run.misjudged.map((one) => `${name}: ${one}`),
  };
}

export function merged(a: Tally, b: Tally): Tally {
  return {
    conversations: a.conversations + b.conversations,
    runs: a.runs + b.runs,
    actions: {
      none: a.actions.none + b.actions.none,
      prune: a.actions.prune + b.actions.prune,
      compact: a.actions.compact + b.actions.compact,
      refused: a.actions.refused + b.actions.refused,
    },
    fill: {
      estimated: Math.max(a.fill.estimated, b.fill.estimated),
      exact: Math.max(a.fill.exact, b.fill.exact),
    },
    instructions: {
      verbatim: a.instructions.verbatim + b.instructions.verbatim,
      recalled: a.instructions.recalled + b.instructions.recalled,
    },
    handles: a.handles + b.handles,
    failures: [...a.failures, ...b.failures],
    misjudged: [...a.misjudged, ...b.misjudged],
    requests: a.requests + b.requests,
    indirect: [...a.indirect, ...b.indirect],
  };
}
