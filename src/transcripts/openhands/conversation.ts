import { type Message, totalUsage } from "../../core/message/index.ts";
import { createCounter, type FormatCounts } from "../counts.ts";
import { textParts, isRecord } from "../content.ts";
import type { ContextSample, Conversation } from "../transcript.ts";
import type { Warnings } from "../warnings.ts";
import { condense, isCondensation, isConversation } from "./condense.ts";
import { parseEvents, type OpenHandsEvent } from "./event.ts";
import { isFinish, toMessages } from "./messages.ts";
import { replyOf } from "./reply.ts";
import { fromSdk } from "./sdk.ts";

/** One run: the conversation, what its events count, and the version that wrote them. */
export interface Run {
  readonly conversation: Conversation;
  readonly counts: FormatCounts;
  readonly version?: string;
}

export interface RunOptions {
  /** Facts that stand beside the events. */
  readonly about?: Partial<Conversation>;
  readonly warnings: Warnings;
  /** 1-based line of the file, where a run is one line. */
  readonly line?: number;
}

/** The conversation that a list of events records. */
export function readRun(values: readonly unknown[], options: RunOptions): Run {
  const { about = {}, warnings, line } = options;
  const events = parseEvents(values.map(fromSdk), (at) => {
    warnings.add(`Entry ${at + 1} of the history is no event; it was left out.`, line);
  });
  const all = toMessages(events);
  const messages = events.some(isCondensation) ? condensed(events) : all;
  const timeline = samples(all);
  return {
    conversation: { ...modelOf(events), ...times(all), ...about, messages, timeline },
    counts: countRun(events, all),
    ...versionOf(events),
  };
}

function condensed(events: readonly OpenHandsEvent[]): Message[] {
  const { before, summary, after } = condense(events);
  if (summary === undefined) return toMessages(before);
  const message: Message = { role: "user", kind: "summary", parts: textParts(summary) };
  return [...toMessages(before), message, ...toMessages(after)];
}

/**
 * Counts a run. Messages are its events, so a `recall` counts although nothing of it was sent.
 * `finish` is a call that by its nature has no result, hence not one without. An error that answers
 * no call is the failed result of a reply whose call was so wrong that it was not recorded; it names
 * no call, hence it is none whose call is missing.
 */
function countRun(events: readonly OpenHandsEvent[], messages: readonly Message[]): FormatCounts {
  const counter = createCounter();
  for (const message of messages) counter.add(message);
  for (const event of events) if (isCondensation(event)) counter.compaction();
  const counts = counter.counts();
  const finished = events.filter((event) => isFinish(event) && event.tool_call_metadata).length;
  const refused = events.filter(isRefusedCall).length;
  return {
    ...counts,
    messages: events.filter(isConversation).length,
    toolCalls: counts.toolCalls + finished,
    toolCallIdsUnique: counts.toolCallIdsUnique + finished,
    toolResults: counts.toolResults + refused,
    failedResults: counts.failedResults + refused,
  };
}

function isRefusedCall({ observation, cause, tool_call_metadata }: OpenHandsEvent): boolean {
  return observation === "error" && cause === undefined && tool_call_metadata === undefined;
}

function samples(messages: readonly Message[]): ContextSample[] {
  return messages.flatMap(({ usage, time }): ContextSample[] => {
    if (usage === undefined) return [];
    const tokens = totalUsage(usage);
    return [time === undefined ? { tokens } : { time, tokens }];
  });
}

function modelOf(events: readonly OpenHandsEvent[]): Partial<Conversation> {
  const model = events.findLast((event) => event.tool_call_metadata !== undefined);
  const name = model === undefined ? undefined : replyOf(model).model;
  const cwd = events.map(workingDirectory).findLast((directory) => directory !== undefined);
  return { ...(name === undefined ? {} : { model: name }), ...(cwd === undefined ? {} : { cwd }) };
}

function workingDirectory({ extras }: OpenHandsEvent): string | undefined {
  const shell = extras["metadata"];
  const directory = isRecord(shell) ? shell["working_dir"] : undefined;
  return typeof directory === "string" && directory !== "" ? directory : undefined;
}

function times(messages: readonly Message[]): Partial<Conversation> {
  const known = messages.flatMap(({ time }) => (time === undefined ? [] : [time]));
  const startedAt = known[0];
  const updatedAt = known.at(-1);
  return startedAt === undefined || updatedAt === undefined ? {} : { startedAt, updatedAt };
}

function versionOf(events: readonly OpenHandsEvent[]): { readonly version?: string } {
  const version = events.find(({ action }) => action === "system")?.args["openhands_version"];
  return typeof version === "string" ? { version } : {};
}
