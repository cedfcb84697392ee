import { type Message, totalUsage } from "../../core/message/index.ts";
import {
  calibrate,
  type Calibration,
  createCalibration,
  estimatedTokens,
  expectedTokens,
  fittedTokens,
  type MessageMeter,
} from "../../core/tokens/index.ts";

/** How many tokens a request held, and how that is known. */
export interface Measured {
  /** In the provider's tokens. */
  readonly tokens: number;
  /** `reported`: usage of the last request plus an estimate of what is newer. */
  readonly source: "reported" | "estimated";
  /** How many of them nobody has counted yet. */
  readonly estimatedPart: number;
}

/** Measures a conversation step by step; remembers what it has measured. */
export interface UsageMeter {
  /**
   * The tokens of a request with this view. Only messages from `since` on may carry usage that
   * counts: what was reported before the last edit says nothing about the view of now.
   */
  measure(view: readonly Message[], since: number): Measured;
  /** Learns from a provider that counted a view itself, e.g. when it refused it. */
  observe(view: readonly Message[], reported: number): void;
  /** After an edit: what was counted before says nothing about the view of now. */
  forget(): void;
  /** The provider's tokens for one of the estimator, leaving aside what is outside of estimates. */
  readonly factor: number;
  /**
   * What the provider will count for a request of so many estimated tokens (messages and the fixed
   * part), with what no estimate holds.
   */
  expected(estimated: number): number;
  /** The provider's tokens that so many were made to fit into: the reverse of `estimated`. */
  fitted(estimated: number): number;
  /** How many estimated tokens a request may have to hold so many of the provider's. */
  estimated(tokens: number): number;
}

/** A sum over a list of messages that remembers where it was. */
export interface RunningTotal {
  of(list: readonly Message[]): number;
  forget(): void;
}

/**
 * The running sum over a list that only grows: a step costs only the new messages. Whether the list
 * is still the same is seen by its ends and by a slice of the rest that moves on with every step.
 */
export function createRunningTotal(meter: MessageMeter): RunningTotal {
  let counted: Message[] = [];
  let total = 0;
  let cursor = 0;
  const isKnown = (list: readonly Message[]): boolean => {
    const length = counted.length;
    if (list.length < length || list[0] !== counted[0]) return false;
    for (let index = Math.max(0, length - CHECKED_END); index < length; index++) {
      if (list[index] !== counted[index]) return false;
    }
    cursor = cursor >= length ? 0 : cursor;
    const end = Math.min(length, cursor + CHECKED_REST);
    for (; cursor < end; cursor++) if (list[cursor] !== counted[cursor]) return false;
    return true;
  };
  const forget = (): void => {
    counted = [];
    total = 0;
    cursor = 0;
  };
  return {
    forget,
    of(list) {
      if (!isKnown(list)) forget();
      for (let index = counted.length; index < list.length; index++) {
        const message = list[index] as Message;
        counted.push(message);
        total += meter.tokens(message);
      }
      return total;
    },
  };
}

/** How many messages at the end are looked at in a step, and how many of the rest. */
const CHECKED_END = 128;
const CHECKED_REST = 48;

/** A usage meter; `fixedTokens` is the estimate of what requests now carry beside messages. */
export function createUsageMeter(meter: MessageMeter, fixedTokens: () => number): UsageMeter {
  const runningTotal = createRunningTotal(meter);
  let calibration: Calibration = createCalibration();
  let seen: Message | undefined;

  /** From the input alone: output may hold thinking that the message does not. */
  const learn = (message: Message, estimated: number): void => {
    if (message === seen || message.usage === undefined) return;
    seen = message;
    const reported = totalUsage({ ...message.usage, output: 0 });
    calibration = calibrate(calibration, { estimated, reported });
  };

  return {
    get factor() {
      return calibration.factor;
    },
    expected: (estimated) => expectedTokens(calibration, estimated),
    fitted: (estimated) => fittedTokens(calibration, estimated),
    estimated: (tokens) => estimatedTokens(calibration, tokens),
    observe(view, reported) {
      const estimated = fixedTokens() + runningTotal.of(view);
      calibration = calibrate(calibration, { estimated, reported });
    },
    forget: () => runningTotal.forget(),
    measure(view, since) {
      const estimated = fixedTokens() + runningTotal.of(view);
      const index = newestReport(view, since);
      const message = view[index];
      if (message?.usage === undefined) {
        const tokens = Math.ceil(expectedTokens(calibration, estimated));
        return { tokens, source: "estimated", estimatedPart: tokens };
      }
      const newer = meter.total(view.slice(index + 1));
      learn(message, estimated - newer - meter.tokens(message));
      const estimatedPart = newer * calibration.factor;
      const tokens = totalUsage(message.usage) + estimatedPart;
      return { tokens: Math.ceil(tokens), source: "reported", estimatedPart };
    },
  };
}

/** The newest message from `since` on that carries usage, or -1. */
function newestReport(view: readonly Message[], since: number): number {
  const end = Math.max(since, view.length - LOOK_BACK);
  for (let index = view.length - 1; index >= end; index--) {
    const usage = view[index]?.usage;
    if (usage !== undefined && totalUsage(usage) > 0) return index;
  }
  return -1;
}

/** A provider that reports usage does so on every reply; further back nothing is to be found. */
const LOOK_BACK = 128;
