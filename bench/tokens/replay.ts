/**
 * Replays a recorded conversation request by request, before a provider that reports exact o200k
 * counts of what it was sent, and of a system prompt and tools that are not in the recording.
 */
import { createGauge } from "../../src/context/measure.ts";
import type { Message } from "../../src/core/message/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { exact, remembering } from "./exact.ts";

export interface Scenario {
  readonly name: string;
  /** Tokens of the system prompt and tools, and what the meter is told of them. */
  readonly fixed: number;
  readonly told: number;
  /** The provider's tokens for one of o200k. */
  readonly scale: number;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "told", fixed: 8_000, told: 8_000, scale: 1 },
  { name: "told 25 % too little", fixed: 8_000, told: 6_000, scale: 1 },
  { name: "told nothing", fixed: 8_000, told: 0, scale: 1 },
];

/** The share of a view's messages that an edit leaves, its newest, and the least it starts from. */
const KEPT = 0.3;
const MIN_EDITED_TOKENS = 8_000;

/** Errors of predicted sizes of whole requests, as shares of the true ones. */
export interface Predictions {
  /** Of every request after the first report. */
  readonly next: readonly number[];
  /** Of the request right after an edit, for which no report counts; tried at every step. */
  readonly edited: readonly number[];
}

const truth = createMessageMeter(remembering(exact));
/** A window that limits nothing. */
const ROOMY = 10_000_000;

/** What the usage meter predicts, and how far off it is. */
export function replay(messages: readonly Message[], scenario: Scenario): Predictions {
  const { fixed, told, scale } = scenario;
  const gauge = createGauge({ window: ROOMY, fixedTokens: told }, remembering(estimator));
  const measure = (list: readonly Message[], since: number): number =>
    gauge.measure({ messages: list, from: 0, since }).tokens;
  const sizeOf = (tokens: number): number => Math.round(scale * (fixed + tokens));
  const next: number[] = [];
  const edited: number[] = [];
  const sent: Message[] = [];
  let tokens = 0;
  let reports = 0;
  for (const message of messages) {
    const own = truth.tokens(message);
    if (message.role !== "assistant" || sent.length === 0) sent.push(message);
    else {
      const input = sizeOf(tokens);
      const predicted = measure(sent, 0);
      if (reports > 0) next.push(predicted / input - 1);
      if (reports > 1 && tokens >= MIN_EDITED_TOKENS) {
        const view = sent.slice(Math.floor(sent.length * (1 - KEPT)));
        edited.push(measure(view, view.length) / sizeOf(truth.total(view)) - 1);
      }
      reports += 1;
      sent.push({ ...message, usage: { input, output: Math.round(scale * own) } });
    }
    tokens += own;
  }
  return { next, edited };
}
