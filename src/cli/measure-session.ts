import { createGauge, type AssumedFactor } from "../context/measure.ts";
import { isPruned } from "../core/message/edit.ts";
import { totalUsage, type Message, withoutUsage } from "../core/message/message.ts";
import { type Repair, repairMessages } from "../core/message/repair.ts";
import { budgetOf, type ContextBudget } from "../core/overflow/budget.ts";
import {
  type CalibrationSample,
  isPlausible,
  MAX_FACTOR,
  MAX_OUTSIDE,
  MIN_FACTOR,
  type Scale,
} from "../core/tokens/calibrate.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { modelFamily } from "../core/tokens/family.ts";
import { createMessageMeter, type MessageMeter } from "../core/tokens/meter.ts";
import type { ContextOptions } from "../context/index.ts";
import type { BudgetOptions } from "../core/overflow/index.ts";
import type { Conversation } from "../transcripts/index.ts";
import { count } from "../core/text/figures.ts";

/** Tokens of a session's next request, and how they are known. */
export interface SessionSize {
  /** In the provider's tokens where it reported some. */
  readonly tokens: number;
  /** The same with the margin of what is only estimated: that decides. */
  readonly most: number;
  /** T7. */
  readonly isOver: boolean;
  readonly budget: ContextBudget;
  /** `reported`: usage of the last request plus an estimate of what is newer. */
  readonly source: "reported" | "estimated";
  /** The factor of the estimate where nothing was reported, if it is not 1. */
  readonly assumed?: AssumedFactor;
  /** The estimate of what the session itself holds. */
  readonly estimated: number;
  /** The provider's tokens for one of the estimate. */
  readonly factor: number;
  /** Tokens of what the session does not hold: system prompt, tools. 0 where nobody says. */
  readonly outside: number;
}

/** A session as a context takes it, and what that measures: the one size for every command. */
export interface MeasuredSession {
  readonly size: SessionSize;
  /** Repaired; of what was reported only what still counts is in them. */
  readonly messages: readonly Message[];
  readonly repairs: readonly Repair[];
  /** With these, a context gives `messages` the same size. */
  readonly settings: ContextOptions;
}

/** Options that a person gives about a session. */
export interface MeasureOptions extends BudgetOptions {
  /** Tokens of system prompt and tools that the session does not hold. */
  readonly fixedTokens?: number;
}

/**
 * Measures the effective context of a session as a context measures it, with what all its reports
 * show: how the model counts, and how much stands outside of the file. The newest one counts, with an
 * estimate of what came after it. Without any, the model's family says how it counts.
 */
export function measureSession(
  conversation: Conversation,
  { fixedTokens = 0, ...options }: MeasureOptions = {},
): MeasuredSession {
  const { instructions = "", model } = conversation;
  const meter = createMessageMeter(estimator);
  const { messages: legal, repairs } = repairMessages(conversation.messages);
  const beside = estimator.count(instructions);
  const reports = believedReports(legal, meter, beside + fixedTokens);
  const budget = budgetOf({ ...options, model });
  const last = reports.at(-1);
  const expected = options.tokenFactor ?? modelFamily(model ?? "")?.factor ?? 1;
  const { factor, outside } = scaleOf(reports, expected);
  const settings: ContextOptions = {
    ...options,
    ...(model !== undefined && { model }),
    ...(last !== undefined && { tokenFactor: factor }),
    instructions,
    fixedTokens: fixedTokens + outside / factor,
  };
  const messages = legal.map((one) => (one === last?.message ? one : withoutUsage(one)));
  const gauge = createGauge({ ...settings, meter }, estimator);
  const measured = gauge.measure({ messages, from: 0, since: 0 });
  const { tokens, most, source, assumed } = measured;
  const estimated = beside + meter.total(legal);
  // Rounding must not look as if something stood outside where nothing says so.
  const isOutsideKnown = last !== undefined || fixedTokens > 0;
  const size: SessionSize = {
    tokens,
    most,
    isOver: gauge.isOver({ messages, measured }),
    budget,
    source,
    ...(last === undefined && { assumed }),
    estimated,
    factor,
    outside: isOutsideKnown ? Math.max(0, Math.round(tokens - estimated * factor)) : 0,
  };
  return { size, messages, repairs, settings };
}

/** The provider's report on a message, and the estimate of what was sent for it. */
interface Report {
  readonly message: Message;
  readonly sample: CalibrationSample;
}

/**
 * A report from before the last compaction or pruning says nothing about the context of now, and
 * what is far from the estimate is about another one.
 */
function believedReports(
  messages: readonly Message[],
  meter: MessageMeter,
  beside: number,
): readonly Report[] {
  const summaryAt = messages.findLastIndex((message) => message.kind === "summary");
  const editedAt = messages
    .flatMap(prunedTimes)
    .reduce((last, time) => Math.max(last, time), messages[summaryAt]?.time ?? 0);
  const reports: Report[] = [];
  let estimated = beside;
  for (const [index, message] of messages.entries()) {
    const isNewer = index > summaryAt && (editedAt === 0 || (message.time ?? 0) >= editedAt);
    const reported = message.usage === undefined ? 0 : totalUsage({ ...message.usage, output: 0 });
    const sample = { estimated, reported };
    if (reported > 0 && isNewer && isBelievable(sample)) reports.push({ message, sample });
    estimated += meter.tokens(message);
  }
  return reports;
}

/** A line through fewer reports, or over a narrower range, says nothing about the provider. */
const MIN_REPORTS = 8;
const MIN_GROWTH = 1.2;

/**
 * A request is a fixed part and the messages, so that the slope of the reports over their estimates
 * (least squares) is the provider's tokens for one estimated; what it leaves of the newest report is
 * outside of the file. Never more is given to the messages than was reported.
 */
function scaleOf(reports: readonly Report[], expected: number): Scale {
  const samples = reports.map(({ sample }) => sample);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return { factor: expected, outside: 0 };
  const isLine =
    samples.length >= MIN_REPORTS && last.estimated >= MIN_GROWTH * Math.max(1, first.estimated);
  const slope = isLine ? clampedFactor(slopeOf(samples)) : expected;
  const factor = clampedFactor(Math.min(slope, last.reported / Math.max(1, last.estimated)));
  return { factor, outside: Math.max(0, last.reported - factor * last.estimated) };
}

function slopeOf(samples: readonly CalibrationSample[]): number {
  const meanX = mean(samples.map(({ estimated }) => estimated));
  const meanY = mean(samples.map(({ reported }) => reported));
  let xy = 0;
  let xx = 0;
  for (const { estimated, reported } of samples) {
    xy += (estimated - meanX) * (reported - meanY);
    xx += (estimated - meanX) ** 2;
  }
  return xx > 0 ? xy / xx : 1;
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / Math.max(1, values.length);
}

function clampedFactor(factor: number): number {
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor));
}

function isBelievable(sample: CalibrationSample): boolean {
  return isPlausible(sample) && sample.reported <= MAX_FACTOR * sample.estimated + MAX_OUTSIDE;
}

function prunedTimes({ parts }: Message): number[] {
  return parts.flatMap((part) =>
    part.type === "tool-result" && isPruned(part) ? (part.time?.compacted ?? 0) : [],
  );
}

/** The source of a size, for people. */
export function sourceWords({ source, factor, assumed, outside }: SessionSize): string {
  const by = assumed?.factor ?? factor;
  const times = by === 1 ? "" : `\u00A0×\u00A0${Number(by.toFixed(2))}`;
  if (source === "reported") {
    return `reported by the provider for the last step, what came since estimated${times}`;
  }
  const whose = assumed?.family === undefined ? "" : ` for ${assumed.family}`;
  const beside = outside > 0 ? "" : "; system prompt and tools are not in it (--fixed-tokens)";
  return `estimated${times}${whose}${beside}`;
}

/** The room that is left, for people; the margin is told where it decides. */
export function roomWords({ tokens, most, isOver, budget }: SessionSize): string {
  const room = budget.usable - tokens;
  if (room <= 0) return `${count(-room)} over`;
  if (!isOver) return `${count(room)} free`;
  return `${count(room)} free, but what is estimated counts 5 % more: up to ${count(most)} in it`;
}
