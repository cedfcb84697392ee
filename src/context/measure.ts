import type { BudgetOptions } from "../core/overflow/index.ts";
import { toJson } from "../core/text/json.ts";
import { totalUsage, type Message, type Usage } from "../core/message/message.ts";
import {
  ESTIMATE_MARGIN,
  isOverflow,
  type ContextBudget,
  type NamedModel,
  wholeTokens,
} from "../core/overflow/budget.ts";
import { scaledCounter, scaleFor, type Scale } from "../core/tokens/calibrate.ts";
import { createMessageMeter, scaledMeter, type MessageMeter } from "../core/tokens/meter.ts";
import { isEstimator, valueTokens, type TokenCounter } from "../core/tokens/count.ts";
import { modelFamily } from "../core/tokens/family.ts";
import type { RequestLimits } from "../core/plan/index.ts";
import type { ProviderOverflow } from "../core/overflow/provider-error.ts";
import { createReports, type Doubt, type Report } from "./provider-reports.ts";
import { createWindow, type LearnedWindow } from "./window.ts";

/** The rest of a request beside its messages. */
export interface SentBeside {
  /** The system prompt; counted, never changed. */
  readonly instructions?: string;
  /** The tool schemas; counted as JSON. */
  readonly tools?: unknown;
  /**
   * The model binds its reasoning to the messages before it, where that differs from model to
   * model.
   * @default what the context's `traits` say
   */
  readonly boundReasoning?: boolean;
  /**
   * The most that the answer may have, in tokens. Without the option `reserved`, no more than that
   * is kept free.
   */
  readonly maxOutput?: number;
}

/** A request's size in the provider's tokens, and its source. */
export interface Measured {
  readonly tokens: number;
  /** The same with the margin of what nobody has counted yet. */
  readonly most: number;
  /** `reported`: usage of the last request plus an estimate of what is newer. */
  readonly source: "reported" | "estimated";
  /** The factor of estimates while nothing was reported, where that is not 1. */
  readonly assumed?: AssumedFactor;
  /** The newest report, where it is not believed. */
  readonly doubt?: Doubt;
}

/** The provider's tokens for one estimated token, before the provider has reported any. */
export interface AssumedFactor {
  readonly factor: number;
  /** The family that it is known of; absent for a factor that the caller gave. */
  readonly family?: string;
}

/** Counters in the provider's tokens, by its reports so far. */
export interface ProviderTokens {
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  /** Every request's load beside its messages, also what nobody named. */
  readonly fixedTokens: number;
}

export interface MeasuredList {
  readonly messages: readonly Message[];
  /** The first `from` of them are those of the list before. */
  readonly from: number;
  /**
   * Only messages from here on may carry usage that counts: what was reported before the last edit
   * says nothing about the list of now.
   */
  readonly since: number;
}

/** The measure of a window: the budget, the load of requests, the provider's reports of them. */
export interface Gauge {
  /** Changes when a provider names another limit than the one that was known. */
  readonly budget: ContextBudget;
  /** The newest load of requests beside their messages. */
  readonly beside: SentBeside;
  /** A load that changes from now on; a field that is not named stays as it was. */
  readonly note: (sent: SentBeside) => void;
  readonly measure: (list: MeasuredList) => Measured;
  /** T7, and the limits on bytes and images. */
  readonly isOver: (list: Pick<MeasuredList, "messages"> & { measured: Measured }) => boolean;
  /** These are sent, with what stands beside them; without a list the one that was measured last. */
  sends(messages?: readonly Message[]): void;
  /** The provider refused the list that was measured last, and says what it knows of it. */
  refuse(refused: ProviderOverflow): void;
  readonly window: Pick<LearnedWindow, "settle" | "learned" | "restore">;
  readonly tokens: () => ProviderTokens;
  readonly forget: (message: Message) => void;
}

export interface GaugeOptions extends BudgetOptions, NamedModel {
  readonly instructions?: string;
  readonly tools?: unknown;
  readonly fixedTokens?: number;
  readonly requestLimits?: RequestLimits;
  /** By the same counter; one that knows the messages already saves counting them again. */
  readonly meter?: MessageMeter;
}

export function createGauge(options: GaugeOptions, counter: TokenCounter): Gauge {
  const { meter = createMessageMeter(counter) } = options;
  const beside = createBeside(options, counter);
  const margin = isEstimator(counter) ? ESTIMATE_MARGIN : 0;
  const window = createWindow(options);
  const assumed = assumedFactor(options, counter);
  const reports = createReports(assumed?.factor, window.accept);
  /** Of the list before: what its beginnings hold, one for each length, as it was counted. */
  const totals = [0];
  const counted = (): number => beside.tokens() + (totals.at(-1) ?? 0);
  const scale = (): Scale => scaleFor(reports.scale(counted()), window.budget().usable);
  const estimate = (): Measured => {
    const measured = estimatedAs(scale(), counted(), margin);
    return !reports.hasAny && assumed !== undefined ? { ...measured, assumed } : measured;
  };

  return {
    get budget() {
      return window.budget();
    },
    window,
    get beside() {
      return beside.sent;
    },
    note(sent) {
      beside.note(sent);
      window.note(sent);
    },
    isOver: ({ measured, messages }) =>
      isOverflow(measured.most, window.budget()) ||
      isBeyond(options.requestLimits, messages, meter),
    measure({ messages, from, since }) {
      addUp(totals, messages, { from, meter });
      const index = newestReport(messages, since);
      const message = messages[index];
      if (message?.usage === undefined) return estimate();
      const upTo = beside.tokens() + (totals[index + 1] ?? 0);
      const report = reportOf(message.usage, upTo, meter.tokens(message));
      const doubt = reports.take(report);
      if (doubt !== undefined) return { ...estimate(), doubt };
      return reportedAs(report, scale().factor, counted(), margin);
    },
    sends(messages) {
      reports.sends(messages ? beside.tokens() + meter.total(messages) : counted());
    },
    refuse({ limit, tokens }) {
      if (tokens !== undefined) reports.observe({ estimated: counted(), reported: tokens });
      window.refuse({ limit, tokens: Math.max(estimate().tokens, tokens ?? 0) });
    },
    tokens() {
      const { factor, outside } = scale();
      return {
        counter: scaledCounter(counter, factor),
        meter: scaledMeter(meter, factor),
        fixedTokens: Math.max(0, wholeTokens(outside + factor * beside.tokens())),
      };
    },
    forget: (message) => meter.forget(message),
  };
}

/** Bytes and images are only counted where somebody set a limit on them. */
function isBeyond(
  { maxBytes = Infinity, maxImages = Infinity }: RequestLimits = {},
  messages: readonly Message[],
  meter: MessageMeter,
): boolean {
  if (maxBytes === Infinity && maxImages === Infinity) return false;
  const size = meter.totalSize(messages);
  return size.bytes > maxBytes || size.images > maxImages;
}

/** The first `from` messages are those of the totals; the others are measured. */
function addUp(
  totals: number[],
  messages: readonly Message[],
  { from, meter }: { readonly from: number; readonly meter: MessageMeter },
): void {
  totals.length = Math.min(totals.length, from + 1);
  for (let at = totals.length - 1; at < messages.length; at++) {
    totals.push((totals[at] ?? 0) + meter.tokens(messages[at] as Message));
  }
}

function reportOf(usage: Usage, upTo: number, answer: number): Report {
  const reported = totalUsage(usage);
  const input = totalUsage({ ...usage, output: 0 });
  return { reported, input, estimated: upTo - answer, upTo };
}

/** An exact counter is taken for the model's own. */
function assumedFactor(
  { model, tokenFactor }: GaugeOptions,
  counter: TokenCounter,
): AssumedFactor | undefined {
  if (tokenFactor !== undefined) return { factor: tokenFactor };
  const family = isEstimator(counter) ? modelFamily(model ?? "") : undefined;
  return family && { factor: family.factor, family: family.name };
}

function estimatedAs({ factor, outside }: Scale, counted: number, margin: number): Measured {
  const tokens = Math.max(0, outside + factor * counted);
  return { tokens: wholeTokens(tokens), most: withMargin(0, tokens, margin), source: "estimated" };
}

/**
 * The report and an estimate of what is newer. A report that a stream makes at its start knows
 * nothing of the answer, which stands in the list: that is newer, then.
 */
function reportedAs(
  { reported, input, estimated, upTo }: Report,
  factor: number,
  counted: number,
  margin: number,
): Measured {
  const isShort = reported < input + factor * (upTo - estimated);
  const known = isShort ? input : reported;
  const newer = factor * (counted - (isShort ? estimated : upTo));
  const most = withMargin(known, newer, margin);
  return { tokens: wholeTokens(known + newer), most, source: "reported" };
}

/** The most that so many tokens may be, of which a part is only estimated. */
function withMargin(known: number, estimated: number, margin: number): number {
  return wholeTokens(known + estimated / (1 - margin));
}

/** The newest message from `since` on that carries usage, or -1. */
function newestReport(messages: readonly Message[], since: number): number {
  const end = Math.max(since, messages.length - LOOK_BACK);
  for (let index = messages.length - 1; index >= end; index--) {
    const usage = messages[index]?.usage;
    if (usage !== undefined && totalUsage(usage) > 0) return index;
  }
  return -1;
}

/** A provider that reports usage does so on every reply; further back nothing is to be found. */
const LOOK_BACK = 128;

interface Beside {
  readonly sent: SentBeside;
  readonly note: (sent: SentBeside) => void;
  readonly tokens: () => number;
}

/** Counts only what has changed, and only when somebody asks. */
function createBeside(options: GaugeOptions, counter: TokenCounter): Beside {
  const { fixedTokens = 0 } = options;
  let sent: SentBeside = { instructions: options.instructions, tools: options.tools };
  let words: number | undefined;
  let schemas: number | undefined;
  return {
    get sent() {
      return sent;
    },
    note({ instructions = sent.instructions, boundReasoning = sent.boundReasoning, ...given }) {
      const tools = isSame(given.tools ?? sent.tools, sent.tools) ? sent.tools : given.tools;
      if (instructions !== sent.instructions) words = undefined;
      if (tools !== sent.tools) schemas = undefined;
      sent = { instructions, tools, boundReasoning };
    },
    tokens() {
      words ??= counter.count(sent.instructions ?? "");
      schemas ??= valueTokens(sent.tools, counter);
      return fixedTokens + words + schemas;
    },
  };
}

/** SDKs make the list of tools anew for every request. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (other !== undefined && toJson(one) === toJson(other));
}
