import type { Message, Part, ToolResultPart } from "../core/message/index.ts";
import type { TranscriptCounts } from "./transcript.ts";

/** The counts a format can state; the unparsable lines are counted by the reader. */
export type FormatCounts = Omit<TranscriptCounts, "unparsableLines">;

/**
 * Counts what a whole file holds from its neutral messages: every one the file has, also those
 * that the effective context lacks. A format whose `messages` or turns come about otherwise
 * spreads `counts()` and states its own number.
 */
export interface TranscriptCounter {
  /** A whole message. A user message without a kind that holds more than results is a turn. */
  add(message: Message): void;
  /** Parts of a message that is counted elsewhere, e.g. a reply that is spread over lines. */
  addParts(parts: readonly Part[]): void;
  compaction(): void;
  counts(): FormatCounts;
}

interface Tally {
  messages: number;
  turns: number;
  calls: number;
  results: number;
  parallel: number;
  failed: number;
  pruned: number;
  thinking: number;
  images: number;
  compactions: number;
  /** By call id: calls minus results. Ids may repeat, so pairs are counted, not remembered. */
  readonly open: Map<string, number>;
  readonly callIds: Set<string>;
}

/** A counter at zero. */
export function createCounter(): TranscriptCounter {
  const tally: Tally = {
    messages: 0,
    turns: 0,
    calls: 0,
    results: 0,
    parallel: 0,
    failed: 0,
    pruned: 0,
    thinking: 0,
    images: 0,
    compactions: 0,
    open: new Map(),
    callIds: new Set(),
  };
  const addParts = (parts: readonly Part[]): void => {
    for (const part of parts) countPart(tally, part);
  };
  return {
    add(message) {
      tally.messages += 1;
      if (isTypedTurn(message)) tally.turns += 1;
      if (countCalls(message.parts) > 1) tally.parallel += 1;
      addParts(message.parts);
    },
    addParts,
    compaction() {
      tally.compactions += 1;
    },
    counts: () => toCounts(tally),
  };
}

/** Whether a person typed this message: the role says so, no kind denies it, it is not all results. */
export function isTypedTurn(message: Message): boolean {
  if (message.role !== "user" || message.kind !== undefined) return false;
  return message.parts.some((part) => part.type !== "tool-result");
}

function countCalls(parts: readonly Part[]): number {
  return parts.reduce((calls, part) => calls + (part.type === "tool-call" ? 1 : 0), 0);
}

function countPart(tally: Tally, part: Part): void {
  switch (part.type) {
    case "tool-call":
      tally.calls += 1;
      tally.callIds.add(part.toolCallId);
      tally.open.set(part.toolCallId, (tally.open.get(part.toolCallId) ?? 0) + 1);
      break;
    case "tool-result":
      countResult(tally, part);
      break;
    case "reasoning":
      tally.thinking += 1;
      break;
    case "file":
      if (part.mediaType.startsWith("image/")) tally.images += 1;
      break;
    default:
  }
}

function countResult(tally: Tally, result: ToolResultPart): void {
  tally.results += 1;
  tally.open.set(result.toolCallId, (tally.open.get(result.toolCallId) ?? 0) - 1);
  if (result.isError === true) tally.failed += 1;
  if (result.time !== undefined) tally.pruned += 1;
  for (const part of result.output) {
    if (part.type === "file" && part.mediaType.startsWith("image/")) tally.images += 1;
  }
}

function toCounts(tally: Tally): FormatCounts {
  let callsWithoutResult = 0;
  let resultsWithoutCall = 0;
  for (const balance of tally.open.values()) {
    if (balance > 0) callsWithoutResult += balance;
    else resultsWithoutCall -= balance;
  }
  return {
    messages: tally.messages,
    typedUserTurns: tally.turns,
    toolCalls: tally.calls,
    toolCallIdsUnique: tally.callIds.size,
    toolResults: tally.results,
    callsWithoutResult,
    resultsWithoutCall,
    messagesWithParallelCalls: tally.parallel,
    failedResults: tally.failed,
    thinkingBlocks: tally.thinking,
    images: tally.images,
    compactions: tally.compactions,
    prunedOutputs: tally.pruned,
  };
}
