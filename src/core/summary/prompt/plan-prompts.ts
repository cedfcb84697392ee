import { EMPTY_LEDGER, extractLedger, type Ledger } from "../../ledger/index.ts";
import type { Message } from "../../message/index.ts";
import { extractiveSummary } from "../index.ts";
import { balance } from "./balance.ts";
import { factsText } from "./facts-text.ts";
import {
  bothEnds,
  joinUnits,
  type MeasuredUnit,
  newestUnits,
  type UnitLimits,
} from "./fit-units.ts";
import { type Detail, DETAILS } from "./head-text.ts";
import { conversationPrompt, type Place, type PromptFrame } from "./prompts.ts";
import type { PromptBudget, SummaryInput, SummaryPrompt } from "./request.ts";

/** One call summarizes everything. */
export interface WholePlan {
  readonly type: "whole";
  readonly prompt: SummaryPrompt;
}

/** A stretch of the head that is summarized on its own. */
export interface SummaryChunk {
  /** Index into the head. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The facts of these messages. */
  readonly ledger: Ledger;
  /** Absent where the head is so long that its oldest part is left to the ledger. */
  readonly prompt?: SummaryPrompt;
}

/** The head is summarized in chunks, and their summaries are merged; see `planMerge`. */
export interface ChunksPlan {
  readonly type: "chunks";
  /** In order, without gaps: every message is in exactly one. */
  readonly chunks: readonly SummaryChunk[];
  /** The most tokens that the summary of a chunk, or of several merged ones, may have. */
  readonly cap: number;
}

export type PromptPlan = WholePlan | ChunksPlan;

/** Details in which one prompt may hold the whole head; coarser ones say too little of each step. */
const WHOLE_DETAILS = DETAILS.slice(0, 4);
/** Details for chunks: where there are many, no output is worth more. */
const CHUNK_DETAILS = DETAILS.slice(3);
/** Calls cost time and money, so a longer head is left to the ledger in its oldest part. */
export const MOST_CHUNKS = 8;

/** The parts of a room for what is not conversation. */
const FACTS_SHARE = 0.12;
const MOST_FACTS = 2_000;
const PREVIOUS_SHARE = 0.25;
/** So that a retry can say what was wrong. */
const RETRY_SHARE = 0.06;
const MOST_RETRY = 240;
/** Joined texts can cost more than their sum. */
const SLACK = 0.97;
/** Less than this of a conversation is not worth a call. */
const LEAST_DATA = 200;
/** A merge must be able to hold two summaries of at least this size. */
const LEAST_PARTIAL = 160;
/** No summary of a chunk gets less than this, or this part of the cap, if two still fit. */
const USUAL_PARTIAL = 400;
const PARTIAL_SHARE = 0.25;
/** What the element around a summary costs. */
const ELEMENT_TOKENS = 16;

/**
 * Whether the head fits into one prompt (its outputs clipped, if need be) or is summarized in
 * chunks, with the prompts. Pure: the same input gives the same bytes. `undefined` when the room is
 * too small for any of it.
 */
export function planPrompts(input: SummaryInput, budget: PromptBudget): PromptPlan | undefined {
  const fitted = fitInput(input, budget);
  const prompt = wholePrompt(fitted, budget);
  if (prompt !== undefined) return { type: "whole", prompt };
  return planChunks(fitted, budget);
}

/**
 * One prompt for all of the head, however small the room: where no detail is coarse enough, its
 * middle is left out. `undefined` when the room is too small for the instruction itself.
 */
export function promptWithin(
  input: SummaryInput,
  budget: PromptBudget,
  place?: Place,
): SummaryPrompt | undefined {
  const fitted = fitInput(input, budget);
  const whole = wholePrompt(fitted, budget, place);
  if (whole !== undefined) return whole;
  const room = dataRoom(fitted, budget);
  if (room < LEAST_DATA) return undefined;
  const limits = { room, most: Infinity, count: budget.count };
  const units = newestUnits(fitted.head, coarsest(), limits);
  const texts = units.map(({ text }) => text).filter((text) => text !== "");
  const { text } = bothEnds(texts, { room, count: budget.count });
  return conversationPrompt(text, frameOf(fitted, budget), place);
}

/** What stands around the conversation: the facts under their share of the room. */
export function frameOf(input: SummaryInput, { room, count }: PromptBudget): PromptFrame {
  const { previousSummary, template, cap } = input;
  const facts = factsText(input.ledger, { tokens: factsRoom(room), count });
  return { previousSummary, facts, template, cap };
}

function factsRoom(room: number): number {
  return Math.min(MOST_FACTS, Math.floor(room * FACTS_SHARE));
}

/** Tokens that a plan leaves free for what a retry adds. */
export function retryRoom(room: number): number {
  return Math.min(MOST_RETRY, Math.floor(room * RETRY_SHARE));
}

/** A summary under a size; facts that have no room are counted, oldest first. */
export function fitSummary(
  text: string,
  tokens: number,
  { template, count }: Pick<SummaryInput, "template"> & Pick<PromptBudget, "count">,
): string {
  if (count(text) <= tokens) return text;
  const previousSummary = text;
  return extractiveSummary({ ledger: EMPTY_LEDGER, previousSummary, cap: tokens, count, template });
}

/** The input with a previous summary that leaves room for the conversation. */
function fitInput(input: SummaryInput, budget: PromptBudget): SummaryInput {
  const { previousSummary = "" } = input;
  if (previousSummary === "") return input;
  const tokens = Math.floor(budget.room * PREVIOUS_SHARE);
  const { count } = budget;
  return { ...input, previousSummary: fitSummary(previousSummary, tokens, { ...input, count }) };
}

function wholePrompt(
  input: SummaryInput,
  budget: PromptBudget,
  place?: Place,
): SummaryPrompt | undefined {
  const room = dataRoom(input, budget);
  if (room < LEAST_DATA) return undefined;
  for (const detail of WHOLE_DETAILS) {
    const limits = { room, most: room, count: budget.count };
    const units = newestUnits(input.head, detail, limits);
    if (total(units) > room) continue;
    const prompt = conversationPrompt(joinUnits(units), frameOf(input, budget), place);
    if (promptTokens(prompt, budget) + retryRoom(budget.room) <= budget.room) return prompt;
  }
  return undefined;
}

function planChunks(input: SummaryInput, budget: PromptBudget): ChunksPlan | undefined {
  // The previous summary waits for the last merge, so that it is summarized again only once.
  const own = { ...input, previousSummary: undefined };
  const room = dataRoom(own, budget);
  if (room < LEAST_DATA) return undefined;
  const units = chunkUnits(input.head, { room, most: room * MOST_CHUNKS, count: budget.count });
  const first = units[0]?.from ?? 0;
  const stretches = balance(tokensOf(units), room);
  const of = stretches.length + (first > 0 ? 1 : 0);
  const cap = partialCap(input, of, budget);
  if (cap === undefined) return undefined;
  const chunks = stretches.map(({ from, to }, index) => {
    const place = { part: of - stretches.length + index + 1, of };
    return chunkOf({ ...own, cap }, units.slice(from, to), { budget, place });
  });
  const oldest = { from: 0, to: first, ledger: ledgerOf(input, 0, first) };
  return { type: "chunks", chunks: first > 0 ? [oldest, ...chunks] : chunks, cap };
}

/** The newest units at the finest detail at which they do not need more chunks than there may be. */
function chunkUnits(head: readonly Message[], limits: UnitLimits): readonly MeasuredUnit[] {
  let units: readonly MeasuredUnit[] = [];
  for (const detail of CHUNK_DETAILS) {
    units = newestUnits(head, detail, limits);
    if (balance(tokensOf(units), limits.room).length <= MOST_CHUNKS) return units;
  }
  const backwards = balance(tokensOf(units.toReversed()), limits.room);
  return units.slice(units.length - (backwards[MOST_CHUNKS - 1]?.to ?? 0));
}

interface ChunkPlace {
  readonly budget: PromptBudget;
  readonly place: Place;
}

function chunkOf(
  input: SummaryInput,
  units: readonly MeasuredUnit[],
  { budget, place }: ChunkPlace,
): SummaryChunk {
  const from = units[0]?.from ?? 0;
  const to = units.at(-1)?.to ?? from;
  const ledger = ledgerOf(input, from, to);
  const frame = frameOf({ ...input, ledger }, budget);
  return { from, to, ledger, prompt: conversationPrompt(joinUnits(units), frame, place) };
}

function ledgerOf({ head, ledgerOf: given }: SummaryInput, from: number, to: number): Ledger {
  const stretch = head.slice(from, to);
  return given?.(stretch, from) ?? extractLedger(stretch, { offset: from });
}

/** Small enough that all summaries fit into one merge, if that leaves each of them enough. */
function partialCap(input: SummaryInput, chunks: number, budget: PromptBudget): number | undefined {
  const room = dataRoom(input, budget);
  const half = Math.floor(room / 2) - ELEMENT_TOKENS;
  if (half < LEAST_PARTIAL) return undefined;
  const share = Math.floor(room / Math.max(1, chunks)) - ELEMENT_TOKENS;
  const least = Math.max(USUAL_PARTIAL, Math.ceil(input.cap * PARTIAL_SHARE));
  return Math.min(input.cap, half, Math.max(share, least));
}

/** What is left for the conversation, or for summaries to be merged. */
function dataRoom(input: SummaryInput, budget: PromptBudget): number {
  const { room } = budget;
  const { previousSummary, template, cap } = input;
  const frame = { previousSummary, template, cap, facts: "" };
  const empty = conversationPrompt("", frame, { part: MOST_CHUNKS, of: MOST_CHUNKS });
  // The facts of a chunk differ from those of the whole, so their full share is set aside.
  const facts = factsRoom(room) + ELEMENT_TOKENS;
  const left = room - promptTokens(empty, budget) - facts - retryRoom(room);
  return Math.floor(left * SLACK);
}

function promptTokens({ system, user }: SummaryPrompt, { count }: PromptBudget): number {
  return count(system) + count(user);
}

function coarsest(): Detail {
  return DETAILS.at(-1) as Detail;
}

function tokensOf(units: readonly MeasuredUnit[]): readonly number[] {
  return units.map(({ tokens }) => tokens);
}

function total(units: readonly MeasuredUnit[]): number {
  return units.reduce((sum, { tokens }) => sum + tokens, 0);
}
