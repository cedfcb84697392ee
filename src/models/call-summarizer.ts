import { type Deadline, untilAborted } from "./call-deadline.ts";
import { callFailure, type CallFailure } from "./call-failure.ts";
import { checkedUsage } from "./call-usage.ts";
import type { SummaryAnswer, SummaryFinish, Summarizer, SummaryRequest } from "./summarizer.ts";

/** How a call ended. */
export type CallEnd =
  | { readonly type: "answer"; readonly answer: SummaryAnswer }
  | { readonly type: "failure"; readonly failure: CallFailure }
  /** The time was over, or the caller gave up. */
  | { readonly type: "ended"; readonly reason: string };

/**
 * Calls a summarizer once. Never throws, and returns when the deadline's signal aborts even if the
 * summarizer does not care.
 */
export async function callSummarizer(
  summarizer: Summarizer,
  request: Omit<SummaryRequest, "signal">,
  { deadline, now }: { readonly deadline: Deadline; readonly now: () => number },
): Promise<CallEnd> {
  const { signal } = deadline;
  const ended = (): CallEnd => ({ type: "ended", reason: deadline.reason() ?? "It was aborted." });
  if (signal.aborted) return ended();
  const call = async (): Promise<unknown> => summarizer.summarize({ ...request, signal });
  try {
    const answer = await untilAborted(call(), signal);
    return answer ? { type: "answer", answer: checkedAnswer(answer.value) } : ended();
  } catch (error) {
    return signal.aborted ? ended() : { type: "failure", failure: callFailure(error, now()) };
  }
}

const FINISHES: readonly SummaryFinish[] = [
  "stop",
  "length",
  "tool-calls",
  "content-filter",
  "error",
  "other",
];

/** Whatever a summarizer gave as an answer; what is no text is an empty one. */
function checkedAnswer(value: unknown): SummaryAnswer {
  if (typeof value === "string") return { text: value };
  if (typeof value !== "object" || value === null) return { text: "" };
  const { text, usage, finish, toolCalls } = value as Readonly<Record<string, unknown>>;
  const known = FINISHES.find((one) => one === finish);
  const tokens = checkedUsage(usage);
  return {
    text: typeof text === "string" ? text : "",
    ...(tokens !== undefined && { usage: tokens }),
    ...(finish !== undefined && { finish: known ?? "other" }),
    ...(typeof toolCalls === "number" && { toolCalls }),
  };
}
