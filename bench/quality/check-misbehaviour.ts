/** Everything that must hold for one session whose summary is asked from a model that misbehaves. */
import { memoryArchive } from "../../src/archive/index.ts";
import { type ContextReport, createContext } from "../../src/context/index.ts";
import { isContextError } from "../../src/core/error.ts";
import type { Ledger } from "../../src/core/ledger/index.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import {
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  type Summarizer,
} from "../../src/models/index.ts";
import {
  type Misbehaviour,
  type Script,
  startUpstream,
  type Upstream,
} from "../../test/provider/index.ts";
import { checkFacts } from "./check-facts.ts";
import { checkRecovery } from "./check-recovery.ts";
import { checkSize, contextOptions, type Prepared } from "./check-run.ts";
import { checkSummary } from "./check-summary.ts";
import { fairSummary, isRetry } from "./scripted-model.ts";

export interface Trial {
  readonly misbehaviour: Misbehaviour;
  /** Whether the model goes wrong every time, or only on the first try of each prompt. */
  readonly isStubborn: boolean;
  /** The agent's window. */
  readonly window: number;
  readonly dialect: Dialect;
  readonly driver: "anthropic" | "openai-compatible";
  readonly stream: boolean;
  /** The summarizer's own window; the server refuses what does not fit. */
  readonly modelWindow: number;
}

/** What one run came to; plain JSON. */
export interface TrialResult {
  readonly action: ContextReport["action"] | "refused";
  readonly source: "model" | "repaired" | "extractive" | "none";
  readonly calls: number;
  readonly facts: number;
  /** What was thrown at the caller. */
  readonly exceptions: readonly string[];
  /** Rules of messages, dialect, archive or report that are broken. */
  readonly invalid: readonly string[];
  readonly over: readonly string[];
  readonly missing: readonly string[];
}

/** For the server that never answers; everything else gets the default. */
const HANG_MS = 300;
const NOTHING: TrialResult = {
  action: "none",
  source: "none",
  calls: 0,
  facts: 0,
  exceptions: [],
  invalid: [],
  over: [],
  missing: [],
};

export async function tryMisbehaviour(prepared: Prepared, trial: Trial): Promise<TrialResult> {
  const upstream = await startUpstream({ window: trial.modelWindow, script: scriptOf(trial) });
  try {
    return await compacted(prepared, trial, upstream);
  } catch (error) {
    if (isContextError(error) && error.code === "irreducible") {
      return { ...NOTHING, action: "refused" };
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...NOTHING, exceptions: [text] };
  } finally {
    await upstream.close();
  }
}

function scriptOf({ misbehaviour, isStubborn }: Trial): Script {
  const asked = new Set<string>();
  return ({ lastUserText }) => {
    const isSecond = isRetry(lastUserText) || asked.has(lastUserText);
    asked.add(lastUserText);
    const text = fairSummary(lastUserText);
    return isSecond && !isStubborn ? text : { misbehave: misbehaviour, text, retryAfter: 0 };
  };
}

function summarizerFor({ driver, stream, modelWindow }: Trial, url: string): Summarizer {
  const options = { model: "scripted", apiKey: "key", stream, window: modelWindow, env: {} };
  return driver === "anthropic"
    ? anthropicSummarizer({ ...options, baseURL: url })
    : openaiCompatibleSummarizer({ ...options, baseURL: `${url}/v1` });
}

async function compacted(
  { session, messages, reading }: Prepared,
  trial: Trial,
  upstream: Upstream,
): Promise<TrialResult> {
  const { dialect, window, misbehaviour } = trial;
  const archive = memoryArchive();
  const cwd = session.conversation.cwd ?? "";
  const context = createContext({
    ...contextOptions(session, window),
    traits: dialect.traits,
    archive,
    summarizer: summarizerFor(trial, upstream.url),
    ...(misbehaviour === "hang" && { summarizerTimeoutMs: HANG_MS, now: Date.now }),
  });
  const invalid: string[] = [];
  const over: string[] = [];
  const missing: string[] = [];
  const fail = (text: string): void => void invalid.push(text);
  const { messages: result, report } = await context.prepare(messages);
  const wire = dialect.encode(result);
  checkSize(result, dialect.decode(wire), {
    report,
    fail: (text) => over.push(text),
    misjudged: over,
  });
  for (const issue of checkMessages(result)) fail(`checkMessages: ${issue.message}`);
  for (const issue of dialect.check(wire, { asRequest: isRequest(messages) })) {
    fail(`${dialect.name}: ${issue.message}`);
  }
  checkCalls(report, upstream, { misbehaviour, fail });
  const replayed = await context.prepare(messages);
  if (JSON.stringify(dialect.encode(replayed.messages)) !== JSON.stringify(wire)) {
    fail(`the journal does not replay: ${replayed.report.action}`);
  }
  const summary = result.find(({ metadata }) => metadata?.["head"] !== undefined);
  const text = summary === undefined ? "" : messageText(summary);
  const recovery = await checkRecovery({ source: messages, result, report, archive, fail });
  checkSummary({
    reading,
    source: messages,
    result,
    report,
    recovery,
    fail: (one) => missing.push(one),
  });
  const handles = new Set<string>((await archive.list()).map(({ handle }) => handle));
  const ledger = report.ledger && beforeTail(report.ledger, recovery.head.to);
  const facts =
    report.action === "compact" && ledger !== undefined
      ? checkFacts({
          text,
          ledger,
          calls: callsOf(result),
          cwd,
          recovers: (handle) => handles.has(handle),
        })
      : { facts: 0, missing: [] };
  return {
    ...NOTHING,
    action: report.action,
    source: report.summary?.source ?? "none",
    calls: report.summary?.calls.length ?? 0,
    facts: facts.facts,
    invalid,
    over,
    missing: [...missing, ...facts.missing],
  };
}

function callsOf(messages: readonly Message[]): string {
  const inputs = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : [])),
  );
  return JSON.stringify(inputs).replaceAll('\\"', '"');
}

/** What the tail shows itself is no matter of the summary, nor is what happened there once more. */
function beforeTail(ledger: Ledger, end: number): Ledger {
  const isBefore = ({ at }: { readonly at: number }): boolean => at < end;
  const isTodoOfTail = (ledger.todosAt ?? 0) >= end;
  const again = new Set(ledger.commands.filter((run) => !isBefore(run)).map((run) => run.command));
  return {
    ...ledger,
    files: ledger.files.filter(({ last }) => last < end),
    commands: ledger.commands.filter((run) => isBefore(run) && !again.has(run.command)),
    todos: isTodoOfTail ? [] : ledger.todos,
    errors: ledger.errors.filter(isBefore),
  };
}

/** A session that ends with an answer is no request: the user speaks next. */
function isRequest(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role !== "assistant";
}

interface CallsContext {
  readonly misbehaviour: Misbehaviour;
  readonly fail: (text: string) => void;
}

/** At most two calls for a summary, the report knows of all, and none was refused. */
function checkCalls(
  { summary, action }: ContextReport,
  upstream: Upstream,
  { misbehaviour, fail }: CallsContext,
): void {
  const calls = summary?.calls ?? [];
  if (calls.length > 2) fail(`${calls.length} calls for one summary`);
  if (action === "compact" && calls.length === 0) fail("no model was asked");
  if (upstream.rejected > 0) fail(`refused: ${upstream.refusals.join("; ")}`);
  // A call that ends with the time limit may end before the server has heard of it.
  const { length } = upstream.requests;
  if (misbehaviour !== "hang" && length !== calls.length) {
    fail(`${length} requests, ${calls.length} calls in the report`);
  }
}
