import { isPruned } from "../core/message/edit.ts";
import { totalUsage, type Message } from "../core/message/message.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter, type MessageMeter } from "../core/tokens/meter.ts";
import type { Conversation } from "../transcripts/index.ts";

/** How many tokens a session's next request holds, and how that is known. */
export interface SessionSize {
  /** In the provider's tokens where it reported some. */
  readonly tokens: number;
  /** `reported`: usage of the last request plus an estimate of what is newer. */
  readonly source: "reported" | "estimated";
  /** The estimate of what the session itself holds. */
  readonly estimated: number;
  /** The provider's tokens for one of the estimate. */
  readonly factor: number;
  /** Tokens of what the session does not hold: system prompt, tools. 0 where nobody says. */
  readonly outside: number;
}

/** One request: the estimate of what the session holds of it, and what the provider reported. */
interface Report {
  readonly estimated: number;
  readonly reported: number;
}

/** Clamp of the factor, as for the calibration of a running conversation. */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2.5;
/** A line through fewer reports, or over a narrower range, says nothing about the provider. */
const MIN_REPORTS = 8;
const MIN_GROWTH = 1.2;
/** What a request may hold beside the messages; more than that is usage of another context. */
const MAX_OUTSIDE = 50_000;

/** Measures the effective context of a session. */
export function measureSession(conversation: Conversation): SessionSize {
  const meter = createMessageMeter(estimator);
  const instructions = estimator.count(conversation.instructions ?? "");
  const estimated = instructions + meter.total(conversation.messages);
  const reports = usableReports(conversation.messages, meter, instructions);
  const last = reports.at(-1);
  if (last === undefined || last.reported > MAX_FACTOR * last.estimated + MAX_OUTSIDE) {
    return { tokens: estimated, source: "estimated", estimated, factor: 1, outside: 0 };
  }
  const factor = Math.min(slope(reports), last.reported / Math.max(1, last.estimated));
  const tokens = Math.round(last.reported + (estimated - last.estimated) * factor);
  const outside = Math.max(0, Math.round(tokens - estimated * factor));
  return { tokens, source: "reported", estimated, factor, outside };
}

/** What was reported before the last compaction or pruning says nothing about the context of now. */
function usableReports(
  messages: readonly Message[],
  meter: MessageMeter,
  instructions: number,
): Report[] {
  const summaryAt = messages.findLastIndex((message) => message.kind === "summary");
  const editedAt = messages
    .flatMap(prunedTimes)
    .reduce((last, time) => Math.max(last, time), messages[summaryAt]?.time ?? 0);
  const reports: Report[] = [];
  let estimated = instructions;
  for (const [index, message] of messages.entries()) {
    estimated += meter.tokens(message);
    const reported = message.usage === undefined ? 0 : totalUsage(message.usage);
    const isNewer = index > summaryAt && (editedAt === 0 || (message.time ?? 0) >= editedAt);
    if (reported > 0 && isNewer) reports.push({ estimated, reported });
  }
  return reports;
}

function prunedTimes({ parts }: Message): number[] {
  return parts.flatMap((part) =>
    part.type === "tool-result" && isPruned(part) ? (part.time?.compacted ?? 0) : [],
  );
}

/**
 * How fast the reports grow against the estimates (least squares): a request is a fixed part plus
 * the messages, so that the slope is the provider's tokens for one estimated token.
 */
function slope(reports: readonly Report[]): number {
  const first = reports[0]?.estimated ?? 0;
  const isWide = (reports.at(-1)?.estimated ?? 0) >= MIN_GROWTH * first;
  if (reports.length < MIN_REPORTS || !isWide) return 1;
  const meanX = mean(reports.map((report) => report.estimated));
  const meanY = mean(reports.map((report) => report.reported));
  let xy = 0;
  let xx = 0;
  for (const { estimated, reported } of reports) {
    xy += (estimated - meanX) * (reported - meanY);
    xx += (estimated - meanX) ** 2;
  }
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, xx > 0 ? xy / xx : 1));
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / Math.max(1, values.length);
}
