import { sha256Hex } from "../archive/digest.ts";
import { startsTurn } from "../core/message/structure.ts";
import { planPrune } from "../core/prune/prune.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { scaledCounter } from "../core/tokens/calibrate.ts";
import { createMessageMeter, scaledMeter } from "../core/tokens/meter.ts";
import { type Advice, adviceOn } from "../core/contents/advice.ts";
import { count, percent } from "../core/text/figures.ts";
import {
  chooseWindow,
  type ChosenWindow,
  type Loaded,
  type LoadOptions,
  measureOptions,
  reservedWords,
  windowWarnings,
} from "./load.ts";
import { measureSession, type SessionSize } from "./measure-session.ts";
import {
  type ContentItem,
  type KindShare,
  largestItems,
  sharesByKind,
  sharesByTool,
  type ToolShare,
  windowContents,
} from "../core/contents/window-contents.ts";
import type { Message } from "../core/message/index.ts";
import type { Conversation } from "../transcripts/index.ts";

/** The contents of a session's window. */
export interface Inspection {
  /** As it was given. */
  readonly file: string;
  readonly loaded: Loaded;
  readonly turns: number;
  /** Outputs in the context that the agent itself replaced by placeholders. */
  readonly prunedBefore: number;
  readonly size: SessionSize;
  readonly chosen: ChosenWindow;
  /** The reason for what is kept free. */
  readonly reservedWords: string;
  /** They add up to `size.tokens`. */
  readonly kinds: readonly KindShare[];
  readonly tools: readonly ToolShare[];
  readonly largest: readonly ContentItem[];
  readonly growth: Growth;
  readonly prunable: readonly PrunablePieces[];
  /** Advice on what is large. */
  readonly advice: readonly Advice[];
  readonly warnings: readonly string[];
}

const LARGEST = 10;

export function inspect(file: string, loaded: Loaded, options: LoadOptions): Inspection {
  const { conversation } = loaded;
  const chosen = chooseWindow(options.window, conversation);
  const { format } = loaded.transcript;
  const measuring = measureOptions(options, chosen, format);
  const { size, messages: legal } = measureSession(conversation, measuring);
  const items = windowContents(conversation, size);
  const growth = growthOf(conversation);
  const tools = sharesByTool(items);
  return {
    file,
    loaded,
    turns: conversation.messages.filter(startsTurn).length,
    prunedBefore: prunedOutputs(conversation.messages),
    size,
    chosen,
    reservedWords: reservedWords(options, format, loaded.title),
    kinds: sharesByKind(items),
    tools,
    largest: largestItems(items, LARGEST),
    growth,
    prunable: prunablePieces(legal, size),
    advice: adviceOn(items, size.budget.usable).slice(0, MOST_ADVICE),
    warnings: [...loaded.warnings, ...windowWarnings(chosen)],
  };
}

/** Sentences that are shown; the page has more. */
const MOST_ADVICE = 4;

/** One piece of advice, of `all` tokens: names alike are told apart by their messages. */
export function adviceSentence(
  { subject, message, times, tokens, text }: Advice,
  all: number,
  shown = (whole: string): string => whole,
): string {
  const place = message === undefined ? "" : ` (#${message})`;
  const often = times > 1 ? `${count(times)} times, ` : "";
  return `${shown(subject)}${place}: ${often}${count(tokens)} tokens (${percent(tokens, all)}). ${text}`;
}

function prunedOutputs(messages: readonly Message[]): number {
  const results = messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "tool-result"),
  );
  return results.filter(({ time }) => time !== undefined).length;
}

export type InspectReport = ReturnType<typeof inspectJson>;

/** The JSON of `--json`; fields are only ever added. Token figures are whole numbers. */
export function inspectJson(inspection: Inspection) {
  const { loaded, size, prunable } = inspection;
  const { budget, tokens: total, most, source, estimated, factor, assumed, outside } = size;
  const { transcript, conversation } = loaded;
  const { title, model, cwd } = conversation;
  return {
    format: transcript.format,
    agentVersion: transcript.version,
    title,
    model,
    cwd,
    conversations: transcript.conversations.length,
    messages: conversation.messages.length,
    turns: inspection.turns,
    window: budget.window,
    windowFrom: inspection.chosen.from,
    reserved: budget.reserved,
    usable: budget.usable,
    overflow: size.isOver,
    tokens: { total, most, source, estimated, factor, assumed, outside },
    kinds: inspection.kinds,
    tools: inspection.tools,
    largest: inspection.largest,
    growth: inspection.growth,
    prunable: {
      tokens: prunable.reduce((total, piece) => total + piece.tokens, 0),
      pieces: prunable,
    },
    advice: inspection.advice.map((one) => adviceSentence(one, total)),
    counts: {
      compactions: transcript.compactions,
      prunedOutputs: inspection.prunedBefore,
      unparsableLines: transcript.unparsableLines,
    },
    warnings: inspection.warnings,
  };
}

/** The tokens in the window at one point. */
interface GrowthSample {
  readonly tokens: number;
  /** ms since the epoch, if recorded. */
  readonly time?: number;
}

/** The growth of the context. */
export interface Growth {
  /**
   * `reported`: one sample a step over the whole session, compactions included. `estimated`: one
   * sample a message of the effective context.
   */
  readonly source: "reported" | "estimated";
  readonly samples: readonly GrowthSample[];
}

/** From what the provider reported if there is enough of it, else added up message by message. */
function growthOf({ timeline, messages, instructions = "" }: Conversation): Growth {
  const reported = timeline.filter((sample) => sample.tokens > 0);
  if (reported.length > 1) return { source: "reported", samples: reported };
  const meter = createMessageMeter(estimator);
  let tokens = estimator.count(instructions);
  const samples = messages.map((message) => {
    tokens += meter.tokens(message);
    return { tokens, time: message.time };
  });
  return { source: "estimated", samples };
}

/** The kind of piece that pruning would take. */
export type PrunableKind = "duplicate" | "superseded" | "old output" | "old input";

interface PrunablePieces {
  readonly kind: PrunableKind;
  readonly pieces: number;
  /** Tokens that would come back. */
  readonly tokens: number;
}

const KINDS: readonly PrunableKind[] = ["duplicate", "superseded", "old output", "old input"];

/**
 * The tokens that pruning alone (T9) would bring back if everything that may go went, by kind.
 */
function prunablePieces(
  messages: readonly Message[],
  { budget, factor }: SessionSize,
): PrunablePieces[] {
  const pruned = planPrune(messages, {
    budget: { ...budget, minimumSaving: 0 },
    excess: Infinity,
    counter: scaledCounter(estimator, factor),
    meter: scaledMeter(createMessageMeter(estimator), factor),
    digest: sha256Hex,
    now: 0,
  });
  const kinds = pruned.map(({ edit, saving }) => {
    const isRepeat = edit.reason === "duplicate" || edit.reason === "superseded";
    const old = edit.type === "replace-input" ? "old input" : "old output";
    return { kind: isRepeat ? edit.reason : old, saving };
  });
  return KINDS.map((kind) => {
    const own = kinds.filter((piece) => piece.kind === kind);
    const saved = own.reduce((total, piece) => total + piece.saving, 0);
    return { kind, pieces: own.length, tokens: Math.round(saved) };
  }).filter(({ pieces }) => pieces > 0);
}
