import {
  type PromptBudget,
  retryPrompt,
  retryText,
  type SummaryInput,
  type SummaryPrompt,
} from "../core/summary/prompt/index.ts";
import { describeProblem, judgeSummary } from "../core/summary/index.ts";
import { type Deadline, pause } from "./call-deadline.ts";
import type { CallFailure } from "./call-failure.ts";
import { callSummarizer } from "./call-summarizer.ts";
import type { SummaryCall } from "./model-summary.ts";
import type { LiveRequest, SummaryAnswer, Summarizer, SummaryRequest } from "./summarizer.ts";

/** What all calls for one summary have in common. */
export interface AskContext {
  readonly summarizer: Summarizer;
  readonly budget: PromptBudget;
  readonly deadline: Deadline;
  readonly now: () => number;
  /** Tokens of what the summary of the whole replaces. */
  readonly replaces: number;
  /** Takes every call when it has ended. */
  readonly record: (call: SummaryCall) => void;
}

/** One thing to be summarized by one call, and a second one if the first fails. */
export interface Ask {
  readonly purpose: SummaryCall["purpose"];
  readonly input: SummaryInput;
  readonly prompt: SummaryPrompt;
  /** The request behind which `prompt.user` can stand instead. */
  readonly live?: LiveRequest & { readonly instruction: string };
  /** The same in less room, for a model whose window is smaller than it said. */
  readonly within?: ((budget: PromptBudget) => SummaryPrompt | undefined) | undefined;
}

/** What came of it. */
export interface Asked {
  readonly text?: string;
  /** What is wrong with `text`, or why there is none; empty when it was accepted. */
  readonly problems: readonly string[];
  /** Whether no other call can succeed either. */
  readonly isHopeless: boolean;
}

/** Without a word from the server, so long before the second call. */
const PAUSE_MS = 250;
/** A prompt that was too large is made so much smaller; an estimate was wrong by less. */
const SMALLER = 0.6;
/** What of a limit that an error names is used. */
const OF_LIMIT = 0.85;

/** Names may take this part of a summary; the facts have those that do not fit. */
const MOST_NAMES_SHARE = 0.5;

/** How one call ended. */
interface Attempt {
  readonly request: Sent;
  readonly judged?: ReturnType<typeof judgeSummary>;
  readonly failure?: CallFailure;
  readonly problems: readonly string[];
}

/** What a call sends. */
type Sent = Pick<SummaryRequest, "prompt" | "live">;

/**
 * Asks for a summary, and once more if that makes sense: with what was wrong, in less room, or the
 * same again after a fault of the server. The better answer wins. Never throws.
 */
export async function askTwice(ask: Ask, context: AskContext): Promise<Asked> {
  const { deadline } = context;
  const over = deadline.reason();
  if (over !== undefined) return { problems: [over], isHopeless: false };
  const first = await attempt({ prompt: ask.prompt, live: ask.live }, 1, { ask, context });
  if (first.judged?.problems.length === 0) return outcome([first]);
  const second = secondTry(first, { ask, context });
  if (second === undefined || deadline.left() <= second.waitMs) return outcome([first]);
  await pause(second.waitMs, deadline.signal);
  if (deadline.signal.aborted) return outcome([first]);
  return outcome([first, await attempt(second.request, 2, { ask, context })]);
}

interface Place {
  readonly ask: Ask;
  readonly context: AskContext;
}

async function attempt(request: Sent, number: 1 | 2, { ask, context }: Place): Promise<Attempt> {
  const { summarizer, deadline, now } = context;
  const { head, previousSummary, ledger, template, cap } = ask.input;
  const startedAt = now();
  const sent = { ...request, head, previousSummary, ledger, template, cap };
  const end = await callSummarizer(summarizer, sent, { deadline, now });
  const answer = end.type === "answer" ? end.answer : undefined;
  const judged = answer && judge(answer, ask, context);
  const failure = end.type === "failure" ? end.failure : undefined;
  const why = end.type === "ended" ? end.reason : (failure?.message ?? "");
  const problems = judged?.problems.map(describeProblem) ?? [why];
  const { live, prompt } = request;
  const usage = answer?.usage ?? failure?.usage;
  context.record({
    summarizer: summarizer.name,
    purpose: ask.purpose,
    attempt: number,
    prompt: live === undefined ? prompt : { system: live.system ?? "", user: live.instruction },
    reusedPrompt: live !== undefined,
    ...(usage !== undefined && { usage }),
    durationMs: now() - startedAt,
    isAnswered: answer !== undefined,
    problems,
  });
  return { request, problems, ...(judged && { judged }), ...(failure && { failure }) };
}

function judge(
  answer: SummaryAnswer,
  { input }: Ask,
  { budget, replaces }: AskContext,
): ReturnType<typeof judgeSummary> {
  const { cap, ledger, known, template } = input;
  const { text, finish, toolCalls } = answer;
  const given = {
    text,
    ...(finish !== undefined && { finish }),
    ...(toolCalls !== undefined && { toolCalls }),
  };
  return judgeSummary(given, { cap, replaces, ledger, known, count: budget.count, template });
}

interface SecondTry {
  readonly request: Sent;
  readonly waitMs: number;
}

/** What a second call would send, and when; `undefined` where it could not do better. */
function secondTry(
  { request, judged, failure, problems }: Attempt,
  { ask, context }: Place,
): SecondTry | undefined {
  const { budget } = context;
  if (judged !== undefined) {
    if (isBeyondCap(judged, ask, budget)) return undefined;
    const { live } = request;
    // Who called a tool or went on with the chat does so less when the chat is only data.
    if (live === undefined || judged.isFatal) {
      return { request: { prompt: retryPrompt(ask.prompt, problems, budget) }, waitMs: 0 };
    }
    const instruction = retryText(live.instruction, problems);
    return { request: { ...request, live: { ...live, instruction } }, waitMs: 0 };
  }
  if (failure === undefined || failure.kind === "hopeless") return undefined;
  if (failure.kind === "transient") return { request, waitMs: failure.retryAfterMs ?? PAUSE_MS };
  // The agent's own request may be too long, or lack what the provider wants with its messages.
  if (request.live !== undefined) return { request: { prompt: ask.prompt }, waitMs: 0 };
  if (failure.kind !== "overflow") return undefined;
  const prompt = ask.within?.(smallerBudget(budget, ask.input.cap, failure.limit));
  return prompt && { request: { prompt }, waitMs: 0 };
}

/** Whether nothing is missing but names of files for which no summary under the cap has room. */
function isBeyondCap(
  { problems }: ReturnType<typeof judgeSummary>,
  { input }: Ask,
  { count }: PromptBudget,
): boolean {
  return problems.every(
    (problem) =>
      problem.code === "unnamed-files" &&
      count(problem.paths.join("\n")) > input.cap * MOST_NAMES_SHARE,
  );
}

function smallerBudget(
  { room, count }: PromptBudget,
  cap: number,
  limit: number | undefined,
): PromptBudget {
  const named = limit === undefined ? Infinity : Math.floor(limit * OF_LIMIT) - cap;
  return { room: Math.max(0, Math.min(Math.floor(room * SMALLER), named)), count };
}

/** The answer with the fewest problems, the newer one of two that are equal. */
function outcome(attempts: readonly Attempt[]): Asked {
  const last = attempts.at(-1);
  const usable = attempts
    .filter(({ judged }) => judged?.isFatal === false)
    .toSorted(
      (a, b) => a.problems.length - b.problems.length || attempts.indexOf(b) - attempts.indexOf(a),
    );
  const isHopeless = last?.failure?.kind === "hopeless";
  const [best] = usable;
  if (best?.judged === undefined) return { problems: last?.problems ?? [], isHopeless };
  return { text: best.judged.text, problems: best.problems, isHopeless };
}
