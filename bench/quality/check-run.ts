/** Everything that must hold for one session, compacted for one window and one dialect. */
import { memoryArchive } from "../../src/archive/index.ts";
import { type ContextOptions, type ContextReport, createContext } from "../../src/context/index.ts";
import { isContextError } from "../../src/core/error.ts";
import { checkMessages, type Message, repairMessages } from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter, type MessageMeter } from "../../src/core/tokens/index.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { exact as exactCounter } from "../tokens/exact.ts";
import { checkRecovery } from "./check-recovery.ts";
import { checkSummary } from "./check-summary.ts";
import { readSession, type SessionReading } from "./reading/read-session.ts";
import { contextOf, type Session } from "./sessions.ts";

/** Tokens that a summary has at least, so that less room than this is none. */
const LEAST_SUMMARY = 800;

/** Clock of all runs. */
const NOW = 1_700_000_000_000;

/** A session made ready: legal, read independently. */
export interface Prepared {
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly reading: SessionReading;
}

/** What one run came to. */
export interface Run {
  readonly action: ContextReport["action"] | "refused";
  readonly tokens: number;
  /** Tokens of the result as a share of usable. */
  readonly fill: { readonly estimated: number; readonly exact: number };
  /** How many instructions of the user stand word for word, and how many behind a handle. */
  readonly instructions: { readonly verbatim: number; readonly recalled: number };
  /** How many handles the result names. */
  readonly handles: number;
  readonly failures: readonly string[];
  /** Over by the tokenizer's count although the estimate, which decided, was below. */
  readonly misjudged: readonly string[];
}

/** Counts; both remember what they have counted. */
const estimated: MessageMeter = createMessageMeter(estimator);
const exact: MessageMeter = createMessageMeter(exactCounter);

export function prepareSession(session: Session): Prepared {
  const { messages } = repairMessages(contextOf(session.conversation));
  const reading = readSession(messages, session.conversation.cwd ?? "");
  return { session, messages, reading };
}

/** What every context of a session is created with. */
export function contextOptions({ conversation }: Session, window: number): ContextOptions {
  const { cwd } = conversation;
  return { window, now: () => NOW, ...(cwd !== undefined && { cwd }) };
}

export async function checkRun(
  { session, messages, reading }: Prepared,
  window: number,
  dialect: Dialect,
): Promise<Run> {
  const archive = memoryArchive();
  const options = { ...contextOptions(session, window), traits: dialect.traits, archive };
  const failures: string[] = [];
  const misjudged: string[] = [];
  const fail = (text: string): void => void failures.push(text);
  const context = createContext(options);
  try {
    const { messages: result, report } = await context.prepare(messages);
    const wire = dialect.encode(result);
    const decoded = dialect.decode(wire);
    const bytes = JSON.stringify(wire);

    for (const failure of report.failures) fail(`reported failure: ${failure.message}`);
    const fill = checkSize(result, decoded, { report, fail, misjudged });
    checkLegal(result, wire, { dialect, fail });
    const again = await createContext(options).prepare(messages);
    if (JSON.stringify(dialect.encode(again.messages)) !== bytes) fail("two runs give other bytes");
    const replayed = await context.prepare(messages);
    if (JSON.stringify(dialect.encode(replayed.messages)) !== bytes) {
      fail(`the journal does not replay: ${replayed.report.action}`);
    }
    const second = await createContext(options).prepare(result);
    if (second.report.action !== "none") fail(`a second run does ${second.report.action}`);
    const third = await createContext(options).prepare(decoded);
    if (third.report.action !== "none")
      fail(`a run on the decoded result does ${third.report.action}`);
    if (JSON.stringify(dialect.encode(third.messages)) !== bytes)
      fail("encode, decode and encode differ");

    const recovery = await checkRecovery({ source: messages, result, report, archive, fail });
    const instructions = checkSummary({
      reading,
      source: messages,
      result,
      report,
      recovery,
      fail,
    });
    const tokens = estimated.total(result);
    return {
      action: report.action,
      tokens,
      fill,
      instructions,
      handles: recovery.handles,
      failures,
      misjudged,
    };
  } catch (error) {
    return refused(error, messages, window);
  }
}

export interface SizeContext {
  readonly report: ContextReport;
  readonly fail: (text: string) => void;
  readonly misjudged: string[];
}

/** Promise 1, by our own count and by the tokenizer's, for what we return and for what is sent. */
export function checkSize(
  result: readonly Message[],
  decoded: readonly Message[],
  { report, fail, misjudged }: SizeContext,
): Run["fill"] {
  const { usable } = report;
  const own = Math.max(estimated.total(result), report.tokens.after);
  const sent = report.action === "none" ? 0 : exact.total(decoded);
  const real = Math.max(exact.total(result), sent);
  if (own >= usable) fail(`${own} tokens by the estimator, ${usable} usable`);
  if (real >= usable)
    misjudged.push(`${real} tokens by o200k (${own} estimated), ${usable} usable`);
  return { estimated: own / usable, exact: real / usable };
}

/** Promise 2. */
function checkLegal(
  result: readonly Message[],
  wire: unknown,
  { dialect, fail }: { readonly dialect: Dialect; readonly fail: (text: string) => void },
): void {
  for (const issue of checkMessages(result)) fail(`checkMessages: ${issue.message}`);
  for (const issue of dialect.check(wire)) fail(`${dialect.name}: ${issue.message}`);
}

/** A refusal is right only where the part that may not be removed is too large by itself. */
function refused(error: unknown, messages: readonly Message[], window: number): Run {
  const run = { action: "refused" as const, tokens: 0, handles: 0, misjudged: [] };
  const fill = { estimated: 0, exact: 0 };
  const instructions = { verbatim: 0, recalled: 0 };
  const text = error instanceof Error ? error.message : String(error);
  if (!isContextError(error) || error.code !== "irreducible") {
    return { ...run, fill, instructions, failures: [`throws: ${text}`] };
  }
  const first = messages.findIndex(({ role }) => role !== "system");
  const fixed = estimated.total(messages.slice(0, first < 0 ? messages.length : first));
  const isRight = fixed + LEAST_SUMMARY >= contextBudget({ window }).usable;
  return { ...run, fill, instructions, failures: isRight ? [] : [`refuses: ${text}`] };
}
