import { createContext } from "../../src/context/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { type Misbehaviour, MISBEHAVIOURS } from "../../test/provider/index.ts";
import { type Trial, type TrialResult, tryMisbehaviour } from "./check-misbehaviour.ts";
import { contextOptions, type Prepared, prepareSession } from "./check-run.ts";
import { readSessions, type Session } from "./sessions.ts";
import { WINDOWS } from "./tally.ts";

/** Trials of one file, and what they add up to. */

const DIALECTS = [anthropic, openaiChat, openaiResponses] as readonly Dialect[];
/** The summarizer's window: one that needs chunks for long heads, and a usual one. */
const MODEL_WINDOWS = [16_000, 128_000];

/** Plain JSON, so that a child process can hand it over. */
export interface TrialTally {
  readonly runs: number;
  readonly sources: Readonly<Record<TrialResult["source"], number>>;
  /** The most calls of one run, and of how many chunks and merges. */
  readonly calls: number;
  readonly facts: number;
  readonly exceptions: readonly string[];
  readonly invalid: readonly string[];
  readonly over: readonly string[];
  readonly missing: readonly string[];
}

export type TrialTallies = Readonly<Partial<Record<Misbehaviour, TrialTally>>>;

export function emptyTrials(): TrialTally {
  return {
    runs: 0,
    sources: { model: 0, repaired: 0, extractive: 0, none: 0 },
    calls: 0,
    facts: 0,
    exceptions: [],
    invalid: [],
    over: [],
    missing: [],
  };
}

export function mergedTrials(a: TrialTally, b: TrialTally): TrialTally {
  const { sources } = a;
  const more = a.calls >= b.calls ? a : b;
  return {
    runs: a.runs + b.runs,
    sources: {
      model: sources.model + b.sources.model,
      repaired: sources.repaired + b.sources.repaired,
      extractive: sources.extractive + b.sources.extractive,
      none: sources.none + b.sources.none,
    },
    calls: more.calls,
    facts: a.facts + b.facts,
    exceptions: [...a.exceptions, ...b.exceptions],
    invalid: [...a.invalid, ...b.invalid],
    over: [...a.over, ...b.over],
    missing: [...a.missing, ...b.missing],
  };
}

export interface TrialMatrix {
  readonly misbehaviours?: readonly Misbehaviour[];
  /** Which sessions; all by default. */
  readonly only?: (session: Session, index: number) => boolean;
  /** How many windows of a session, the smallest and the largest first. @default 2 */
  readonly windows?: number;
  /** Starts the round of dialects, drivers and windows elsewhere. @default 0 */
  readonly turn?: number;
}

/** Every misbehaviour on every session of a file that needs a summary, the rest going round. */
export async function trialsOf(file: string, matrix: TrialMatrix = {}): Promise<TrialTallies> {
  const { misbehaviours = MISBEHAVIOURS, only, windows = 2 } = matrix;
  const sessions = (await readSessions(file)).filter((one, index) => only?.(one, index) ?? true);
  const tallies: Partial<Record<Misbehaviour, TrialTally>> = {};
  let turn = matrix.turn ?? 0;
  for (const session of sessions) {
    const prepared = prepareSession(session);
    for (const window of await compactingWindows(prepared, windows)) {
      for (const misbehaviour of misbehaviours) {
        for (const isStubborn of [true, false]) {
          const trial = trialFor(turn++, { misbehaviour, isStubborn, window });
          const result = await tryMisbehaviour(prepared, trial);
          const known = tallies[misbehaviour] ?? emptyTrials();
          tallies[misbehaviour] = mergedTrials(known, tallyOf(result, session, trial));
        }
      }
    }
  }
  return tallies;
}

function trialFor(
  turn: number,
  fixed: Pick<Trial, "misbehaviour" | "isStubborn" | "window">,
): Trial {
  const dialect = DIALECTS[Math.floor(turn / 2) % DIALECTS.length] ?? (anthropic as Dialect);
  // Numbers without a common part, so that all of them meet each other.
  const isAnthropic = Math.floor(turn / 3) % 2 === 0;
  const modelWindow = MODEL_WINDOWS[Math.floor(turn / 7) % MODEL_WINDOWS.length] ?? 0;
  return {
    ...fixed,
    dialect,
    driver: isAnthropic ? "anthropic" : "openai-compatible",
    stream: Math.floor(turn / 5) % 2 === 0,
    modelWindow,
  };
}

/** The windows at which a session needs a summary: the smallest, the largest, then the others. */
async function compactingWindows(
  { session, messages }: Prepared,
  most: number,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const window of WINDOWS) {
    const context = createContext(contextOptions(session, window));
    const action = await context.prepare(messages).then(
      ({ report }) => report.action,
      () => "refused",
    );
    if (action === "compact") found.push(window);
  }
  const [smallest, ...others] = found;
  return smallest === undefined ? [] : [smallest, ...others.toReversed()].slice(0, most);
}

function tallyOf(result: TrialResult, { file, part }: Session, trial: Trial): TrialTally {
  const { misbehaviour, isStubborn, window, dialect, driver, stream, modelWindow } = trial;
  const name = [
    `${file.split("/").at(-1) ?? file} [${part}]`,
    `${misbehaviour} ${isStubborn ? "always" : "once"}`,
    `${window} ${dialect.name}`,
    `${driver}${stream ? ", streaming" : ""} ${modelWindow}`,
  ].join(", ");
  const named = (texts: readonly string[]): readonly string[] =>
    texts.map((text) => `${name}: ${text}`);
  return {
    ...emptyTrials(),
    runs: 1,
    sources: { ...emptyTrials().sources, [result.source]: 1 },
    calls: result.calls,
    facts: result.facts,
    exceptions: named(result.exceptions),
    invalid: named(result.invalid),
    over: named(result.over),
    missing: named(result.missing),
  };
}
