import { isRecord } from "../../core/text/json.ts";
import { totalUsage, type Message } from "../../core/message/message.ts";
import { textParts } from "../content.ts";
import { numberOf } from "../../dialects/wire.ts";
import { isOpenHandsEvent } from "../signs.ts";
import {
  type ContextSample,
  type Conversation,
  createWarnings,
  type DocumentReader,
  type Reading,
  type RecordReader,
  type Warnings,
} from "../transcript.ts";
import { condense, isCondensation, type OpenHandsEvent, parseEvents } from "./event.ts";
import { replyOf, toMessages } from "./messages.ts";
import { fromSdk } from "./sdk.ts";

/**
 * OpenHands by lines: `output.jsonl` of 0.x (a task and its whole `history` a line, each line a
 * conversation), or one event a line (0.x or SDK 1.x, all of them one conversation). Condensations
 * are honoured: forgotten events are left out, the newest summary stands for them.
 */
export const openhandsLines = { open: openReader };

/** The same as one JSON document: a list of events, or one task with its `history`. */
export const openhandsDocument: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const warnings = createWarnings();
    const values = Array.isArray(document) ? (document as unknown[]) : history(document);
    const whole = isTorn ? values.slice(0, -1) : values;
    return toReading([readRun(whole, { about: aboutTask(document), warnings })], warnings);
  },
};

function history(value: unknown): readonly unknown[] {
  const events = isRecord(value) ? value["history"] : undefined;
  return Array.isArray(events) ? events : [];
}

function openReader(): RecordReader {
  const warnings = createWarnings();
  const runs: Run[] = [];
  const events: unknown[] = [];
  return {
    record(value, line) {
      if (isRecord(value) && Array.isArray(value["history"])) {
        runs.push(readRun(history(value), { about: aboutTask(value), warnings, line }));
      } else if (isOpenHandsEvent(value)) events.push(value);
      else warnings.add("This line is neither a task with a history nor an event.", line);
    },
    finish() {
      if (events.length > 0) runs.push(readRun(events, { warnings }));
      return toReading(runs, warnings);
    },
  };
}

/** What a task says about its run: its name, and the model with its window. */
function aboutTask(task: unknown): Partial<Conversation> {
  if (!isRecord(task)) return {};
  const { instance_id, metadata } = task;
  const config = isRecord(metadata) ? metadata["llm_config"] : undefined;
  const { model, max_input_tokens } = isRecord(config) ? config : {};
  return {
    id: typeof instance_id === "string" ? instance_id : undefined,
    model: typeof model === "string" ? model : undefined,
    window: numberOf(max_input_tokens) || undefined,
  };
}

function toReading(runs: readonly Run[], warnings: Warnings): Reading {
  const version = runs.find((run) => run.version !== undefined)?.version;
  return {
    version,
    conversations: runs.map(({ conversation }) => conversation),
    compactions: runs.reduce((total, run) => total + run.compactions, 0),
    warnings: warnings.list(),
  };
}

/** One run: the conversation, how often it was condensed, and the version that wrote them. */
interface Run {
  readonly conversation: Conversation;
  readonly compactions: number;
  readonly version?: string;
}

interface RunOptions {
  /** Facts that stand beside the events. */
  readonly about?: Partial<Conversation>;
  readonly warnings: Warnings;
  /** 1-based line of the file, where a run is one line. */
  readonly line?: number;
}

/** The conversation that a list of events records. */
function readRun(values: readonly unknown[], options: RunOptions): Run {
  const { about = {}, warnings, line } = options;
  const events = parseEvents(values.map(fromSdk), (at) => {
    warnings.add(`Entry ${at + 1} of the history is no event; it was left out.`, line);
  });
  const all = toMessages(events);
  const messages = events.some(isCondensation) ? condensed(events) : all;
  const timeline = samples(all);
  const { model, cwd } = modelOf(events);
  return {
    conversation: { ...times(all), ...about, model: about.model ?? model, cwd, messages, timeline },
    compactions: events.filter(isCondensation).length,
    ...versionOf(events),
  };
}

function condensed(events: readonly OpenHandsEvent[]): Message[] {
  const { before, summary, after } = condense(events);
  if (summary === undefined) return toMessages(before);
  const message: Message = { role: "user", kind: "summary", parts: textParts(summary) };
  return [...toMessages(before), message, ...toMessages(after)];
}

function samples(messages: readonly Message[]): ContextSample[] {
  return messages.flatMap(({ usage, time }): ContextSample[] => {
    if (usage === undefined) return [];
    return [{ time, tokens: totalUsage(usage) }];
  });
}

function modelOf(events: readonly OpenHandsEvent[]): Partial<Conversation> {
  const model = events.findLast((event) => event.tool_call_metadata !== undefined);
  const name = model === undefined ? undefined : replyOf(model).model;
  const cwd = events.map(workingDirectory).findLast((directory) => directory !== undefined);
  return { model: name, cwd };
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
