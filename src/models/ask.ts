import { DEFAULT_WINDOW } from "../core/overflow/budget.ts";
import { describeProblem, gateAnswer } from "../core/summary/gate.ts";
import {
  liveInstruction,
  type PromptBudget,
  retryPrompt,
  summaryPrompt,
  type SummaryPrompt,
  type SummaryTask,
} from "../core/summary/prompt.ts";
import { readWords, type Words } from "../core/summary/words.ts";
import { clipLine, type CountTokens } from "../core/text/clip.ts";
import { fieldsOf } from "../core/text/json.ts";
import { messageTokens, valueTokens } from "../core/tokens/count.ts";
import { type Deadline, pause, startDeadline, untilAborted } from "./bounds.ts";
import { type CallFailure, callFailure } from "./failure.ts";
import {
  checkedUsage,
  type LiveRequest,
  type ModelSummary,
  type Summarizer,
  type SummaryAnswer,
  type SummaryCall,
  SUMMARY_FINISHES,
  type SummaryRequest,
} from "./summarizer.ts";

export interface AskOptions {
  readonly summarizer: Summarizer;
  readonly task: SummaryTask;
  /** Tokens of the head: a summary must be smaller. */
  readonly replaces: number;
  readonly count: CountTokens;
  /** For both calls together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The clock, in ms. */
  readonly now: () => number;
  /** The next request of the agent itself; used if the summarizer can reuse it and it fits. */
  readonly live?: LiveRequest;
}

/**
 * Asks a model for the summary of a head: one call, and a second one if the first gave no summary.
 * Everything ends at the time limit, whatever the summarizer does. Never throws: without a usable
 * answer there are no words.
 */
export async function askForSummary(options: AskOptions): Promise<ModelSummary> {
  const { timeoutMs, signal, now } = options;
  const calls: SummaryCall[] = [];
  const deadline = startDeadline({ timeoutMs, signal, now });
  try {
    const ask = { ...options, ...fitted(options), deadline, calls };
    const { words, problem } = await askTwice(ask);
    return { words, calls, failure: problem && clipLine(problem, LONGEST_FAILURE) };
  } catch (error) {
    return { calls, failure: callFailure(error, now()).message };
  } finally {
    deadline.end();
  }
}

const LONGEST_FAILURE = 300;
/** The rest is for what estimates are off by, and for what providers add. */
const WINDOW_SHARE = 0.92;
/** Models do not count what they write exactly. */
const ANSWER_SHARE = 1.2;
/** The part of the window that the answer may have. */
const MOST_ANSWER = 0.25;
/** A summary that is hardly smaller than the head is not worth a call … */
const MOST_OF_HEAD = 0.9;
/** … but five sections need room to say anything. */
const LEAST_CAP = 200;

interface Ask extends AskOptions {
  readonly budget: PromptBudget;
  readonly deadline: Deadline;
  readonly calls: SummaryCall[];
}

/** The room of a prompt, and a task that asks for no more than the window can hold. */
function fitted({ summarizer, task, count, replaces }: AskOptions): Pick<Ask, "task" | "budget"> {
  const { window = DEFAULT_WINDOW, maxTokens = Infinity } = summarizer;
  const most = Math.max(LEAST_CAP, Math.floor(replaces * MOST_OF_HEAD));
  const cap = Math.min(task.cap, Math.floor(window * MOST_ANSWER), most, maxTokens);
  const room = Math.floor(window * WINDOW_SHARE) - Math.ceil(cap * ANSWER_SHARE);
  return { task: { ...task, cap }, budget: { room, count } };
}

interface Outcome {
  readonly words?: Words;
  readonly problem?: string;
}

/** Once, and once more if that makes sense: with what was wrong, in less room, or after a pause. */
async function askTwice(ask: Ask): Promise<Outcome> {
  const { deadline, summarizer } = ask;
  const prompt = summaryPrompt(ask.task, ask.budget);
  if (prompt === undefined) {
    const { window = DEFAULT_WINDOW } = summarizer;
    return { problem: `A window of ${window} tokens has no room for this template and a head.` };
  }
  const live = ask.live && (await liveRequest(ask.live, ask));
  const over = deadline.reason();
  if (over !== undefined) return { problem: over };
  const first = await attempt({ prompt, live }, 1, ask);
  if (first.words !== undefined) return first;
  const second = secondTry(first, prompt, ask);
  if (second === undefined || deadline.left() <= second.waitMs) return first;
  await pause(second.waitMs, deadline.signal);
  return deadline.signal.aborted ? first : attempt(second.request, 2, ask);
}

type Sent = Pick<SummaryRequest, "prompt" | "live">;

interface Attempt extends Outcome {
  readonly request: Sent;
  /** Present where the call failed; where it did not, the answer is to blame. */
  readonly failure?: CallFailure;
}

async function attempt(request: Sent, number: 1 | 2, ask: Ask): Promise<Attempt> {
  const { summarizer, deadline, now, calls, task } = ask;
  const { head, previousSummary, ledger, template, cap } = task;
  const startedAt = now();
  const sent = { ...request, head, previousSummary, ledger, template, cap };
  const { answer, failure, ended } = await callOnce(summarizer, sent, { deadline, now });
  const gated = answer && readAnswer(answer, ask);
  const problem = gated?.problem ?? ended ?? failure?.message;
  const { live, prompt } = request;
  calls.push({
    summarizer: summarizer.name,
    attempt: number,
    prompt: live === undefined ? prompt : { system: live.system ?? "", user: live.instruction },
    reusedPrompt: live !== undefined,
    usage: answer?.usage ?? failure?.usage,
    durationMs: now() - startedAt,
    isAnswered: answer !== undefined,
    problems: problem === undefined ? [] : [problem],
  });
  return { request, words: gated?.words, problem, failure };
}

/** Exactly one of the three. */
interface CallEnd {
  readonly answer?: SummaryAnswer;
  readonly failure?: CallFailure;
  /** The time was over, or the caller gave up. */
  readonly ended?: string;
}

/** Never throws, and returns when the deadline's signal aborts even if the summarizer does not care. */
async function callOnce(
  summarizer: Summarizer,
  request: Omit<SummaryRequest, "signal">,
  { deadline, now }: Pick<Ask, "deadline" | "now">,
): Promise<CallEnd> {
  const { signal } = deadline;
  const ended = (): CallEnd => ({ ended: deadline.reason() ?? "It was aborted." });
  if (signal.aborted) return ended();
  const call = async (): Promise<unknown> => summarizer.summarize({ ...request, signal });
  try {
    const answer = await untilAborted(call(), signal);
    return answer ? { answer: checkedAnswer(answer.value) } : ended();
  } catch (error) {
    return signal.aborted ? ended() : { failure: callFailure(error, now()) };
  }
}

/** A summarizer's answer; anything but a text is an empty one. */
function checkedAnswer(value: unknown): SummaryAnswer {
  if (typeof value === "string") return { text: value };
  const { text, usage, finish, toolCalls } = fieldsOf(value);
  return {
    text: typeof text === "string" ? text : "",
    usage: checkedUsage(usage),
    finish:
      finish === undefined ? undefined : (SUMMARY_FINISHES.find((f) => f === finish) ?? "other"),
    toolCalls: typeof toolCalls === "number" ? toolCalls : undefined,
  };
}

function readAnswer(answer: SummaryAnswer, { replaces, count, task }: Ask): Outcome {
  const { template } = task;
  const { text, problem } = gateAnswer(answer, { replaces, count, template });
  if (problem !== undefined) return { problem: describeProblem(problem) };
  return { words: readWords(text, template) };
}

/** Without a word from the server, so long before the second call. */
const PAUSE_MS = 250;
/** A prompt that was too large is made so much smaller; an estimate was wrong by less. */
const SMALLER = 0.6;
/** The share of a limit named by an error that is used. */
const OF_LIMIT = 0.85;

/** The second call and the pause before it; `undefined` where it could not do better. */
function secondTry(
  { request, failure, problem }: Attempt,
  prompt: SummaryPrompt,
  { task, budget }: Ask,
): { readonly request: Sent; readonly waitMs: number } | undefined {
  if (failure === undefined) {
    // A model that called a tool or went on with the chat does so less when the chat is only data.
    return { request: { prompt: retryPrompt(prompt, problem ?? "", budget) }, waitMs: 0 };
  }
  if (failure.kind === "hopeless") return undefined;
  if (failure.kind === "transient") return { request, waitMs: failure.retryAfterMs ?? PAUSE_MS };
  // The agent's own request may be too long, or lack what the provider wants with its messages.
  if (request.live !== undefined) return { request: { prompt }, waitMs: 0 };
  if (failure.kind !== "overflow") return undefined;
  const { limit = Infinity } = failure;
  const named = Math.floor(limit * OF_LIMIT) - task.cap;
  const room = Math.max(0, Math.min(Math.floor(budget.room * SMALLER), named));
  const smaller = summaryPrompt(task, { ...budget, room });
  return smaller && { request: { prompt: smaller }, waitMs: 0 };
}

/** The agent's own request with the instruction, if the summarizer can send it and it fits. */
async function liveRequest(live: LiveRequest, ask: Ask): Promise<SummaryRequest["live"]> {
  const { task, budget } = ask;
  if (!(await canReuse(live, ask))) return undefined;
  const instruction = liveInstruction(task, budget);
  const fits = liveTokens(live, budget) + budget.count(instruction) <= budget.room;
  return fits ? { ...live, instruction } : undefined;
}

async function canReuse(live: LiveRequest, { summarizer, deadline }: Ask): Promise<boolean> {
  if (summarizer.reusesPrompt !== true) return false;
  const ask = async (): Promise<boolean> => (await summarizer.canReuse?.(live)) ?? true;
  const answer = await untilAborted(
    ask().catch(() => false),
    deadline.signal,
  );
  return answer?.value === true;
}

function liveTokens(
  { system = "", tools, messages }: LiveRequest,
  { count }: PromptBudget,
): number {
  const counter = { name: "given", count };
  const schemas = tools === undefined ? 0 : valueTokens(tools, counter);
  const fixed = count(system) + schemas;
  return messages.reduce((sum, message) => sum + messageTokens(message, counter), fixed);
}
