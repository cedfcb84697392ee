import { clipLine } from "../core/text/index.ts";
import type { Message } from "../core/message/index.ts";
import { DEFAULT_WINDOW } from "../core/overflow/index.ts";
import {
  frameOf,
  liveInstruction,
  planPrompts,
  type PromptBudget,
  promptWithin,
  type SummaryInput,
} from "../core/summary/prompt/index.ts";
import type { CountTokens } from "../core/summary/index.ts";
import { messageTokens, valueTokens } from "../core/tokens/index.ts";
import { askInChunks, type ChunkedSummary } from "./ask-in-chunks.ts";
import { type Ask, type AskContext, askTwice } from "./ask-twice.ts";
import { startDeadline, untilAborted } from "./call-deadline.ts";
import { callFailure } from "./call-failure.ts";
import type { ModelSummary, SummaryCall } from "./model-summary.ts";
import type { LiveRequest, Summarizer } from "./summarizer.ts";

export interface AskOptions {
  readonly summarizer: Summarizer;
  readonly input: SummaryInput;
  /** Tokens of the head: a summary must be smaller. */
  readonly replaces: number;
  readonly count: CountTokens;
  /** For all calls together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The clock, in ms. */
  readonly now: () => number;
  /** What the agent itself would send next; used if the summarizer can reuse it and it fits. */
  readonly live?: LiveRequest;
}

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
const LONGEST_FAILURE = 300;

/**
 * Asks a model for the summary of a head: in one call if it fits, else in chunks whose summaries
 * are merged. At most two calls for each chunk and each merge; everything ends at the time limit,
 * whatever the summarizer does. Never throws: without a usable answer there is no text.
 */
export async function askForSummary(options: AskOptions): Promise<ModelSummary> {
  const { summarizer, timeoutMs, signal, now } = options;
  const calls: SummaryCall[] = [];
  const deadline = startDeadline({ timeoutMs, signal, now });
  try {
    const { input, budget } = fitted(options);
    const record = (call: SummaryCall): void => void calls.push(call);
    const { replaces } = options;
    const context = { summarizer, budget, deadline, now, replaces, record };
    const { text, problems } = await summarize(input, context, options.live);
    const hasGaps = text !== undefined && problems.length > 0;
    return { ...(text !== undefined && { text }), hasGaps, calls, ...failureOf(problems) };
  } catch (error) {
    return { hasGaps: false, calls, failure: callFailure(error, now()).message };
  } finally {
    deadline.end();
  }
}

/** The first problem; all of them stand at the calls. */
function failureOf(problems: readonly string[]): Pick<ModelSummary, "failure"> {
  const [first] = problems;
  if (first === undefined) return {};
  const more = problems.length === 1 ? "" : ` (${problems.length - 1} more)`;
  return { failure: `${clipLine(first, LONGEST_FAILURE)}${more}` };
}

/** The room of a prompt, and an input that asks for no more than the window can hold. */
function fitted({ summarizer, input, count, replaces }: AskOptions): {
  readonly input: SummaryInput;
  readonly budget: PromptBudget;
} {
  const { window = DEFAULT_WINDOW, maxTokens = Infinity } = summarizer;
  const most = Math.max(LEAST_CAP, Math.floor(replaces * MOST_OF_HEAD));
  const cap = Math.min(input.cap, Math.floor(window * MOST_ANSWER), most, maxTokens);
  const room = Math.floor(window * WINDOW_SHARE) - Math.ceil(cap * ANSWER_SHARE);
  return { input: { ...input, cap }, budget: { room, count } };
}

async function summarize(
  input: SummaryInput,
  context: AskContext,
  live: LiveRequest | undefined,
): Promise<ChunkedSummary> {
  const { budget, summarizer } = context;
  const within = (smaller: PromptBudget): ReturnType<typeof promptWithin> =>
    promptWithin(input, smaller);
  const reused = live && (await liveAsk(input, live, context));
  if (reused !== undefined) return askTwice({ ...reused, within }, context);
  const plan = planPrompts(input, budget);
  if (plan === undefined) {
    const { window = DEFAULT_WINDOW } = summarizer;
    return { problems: [`A window of ${window} tokens has no room for this template and a head.`] };
  }
  if (plan.type === "chunks") return askInChunks(plan, input, context);
  return askTwice({ purpose: "whole", input, prompt: plan.prompt, within }, context);
}

/** A call behind the agent's own messages, if the summarizer can do that and they fit. */
async function liveAsk(
  input: SummaryInput,
  live: LiveRequest,
  context: AskContext,
): Promise<Ask | undefined> {
  const { budget } = context;
  if (!(await canReuse(live, context))) return undefined;
  const instruction = liveInstruction(frameOf(input, budget));
  if (liveTokens(live, budget) + budget.count(instruction) > budget.room) return undefined;
  const prompt = promptWithin(input, budget);
  if (prompt === undefined) return undefined;
  return { purpose: "whole", input, prompt, live: { ...live, instruction } };
}

async function canReuse(live: LiveRequest, { summarizer, deadline }: AskContext): Promise<boolean> {
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
  return messages.reduce(
    (sum: number, message: Message) => sum + messageTokens(message, counter),
    count(system) + schemas,
  );
}
