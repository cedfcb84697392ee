import type { Message } from "../../core/message/message.ts";
import { fieldsOf, isRecord } from "../../core/text/json.ts";
import { numberOf } from "../../dialects/wire.ts";
import { spanOf, textParts, timelineOf } from "../content.ts";
import { list, text } from "../lenient.ts";
import { isOpenHandsEvent } from "../signs.ts";
import {
  type Conversation,
  createWarnings,
  type DocumentReader,
  type Reading,
  type RecordsReader,
  type Warnings,
} from "../transcript.ts";
import { condense, isCondensation, type OpenHandsEvent, parseEvents, shellNotes } from "./event.ts";
import { replyOf, toMessages } from "./messages.ts";

/**
 * OpenHands by lines: `output.jsonl` of 0.x (a task and its whole `history` a line, each line a
 * conversation), or one event a line (0.x or SDK 1.x, all of them one conversation). Condensations
 * are honoured: forgotten events are left out, the newest summary stands for them.
 */
export const openhandsLines: RecordsReader = {
  open() {
    const warnings = createWarnings();
    const runs: Run[] = [];
    const events: unknown[] = [];
    return {
      record(value, line) {
        const { history } = fieldsOf(value);
        if (Array.isArray(history)) runs.push(readRun(history, { task: value, warnings, line }));
        else if (isOpenHandsEvent(value)) events.push(value);
        else warnings.add("This line is neither a task with a history nor an event.", line);
      },
      finish() {
        if (events.length > 0) runs.push(readRun(events, { warnings }));
        return toReading(runs, warnings);
      },
    };
  },
};

/** The same as one JSON document: a list of events, or one task with its `history`. */
export const openhandsDocument: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const warnings = createWarnings();
    const values = list(isRecord(document) ? document["history"] : document);
    const whole = isTorn ? values.slice(0, -1) : values;
    return toReading([readRun(whole, { task: document, warnings })], warnings);
  },
};

function toReading(runs: readonly Run[], warnings: Warnings): Reading {
  return {
    version: runs.find((run) => run.version !== undefined)?.version,
    conversations: runs.map(({ conversation }) => conversation),
    compactions: runs.reduce((total, run) => total + run.compactions, 0),
    warnings: warnings.list(),
  };
}

interface Run {
  readonly conversation: Conversation;
  readonly compactions: number;
  readonly version?: string;
}

interface RunOptions {
  /** The fields around the events, with the run's name and the model with its window. */
  readonly task?: unknown;
  readonly warnings: Warnings;
  /** 1-based line of the file, where a run is one line. */
  readonly line?: number;
}

function readRun(values: readonly unknown[], { task, warnings, line }: RunOptions): Run {
  const events = parseEvents(values, (at) => {
    warnings.add(`Entry ${at + 1} of the history is no event; it was left out.`, line);
  });
  const all = toMessages(events);
  const { instance_id, metadata } = fieldsOf(task);
  const { model, max_input_tokens } = fieldsOf(fieldsOf(metadata)["llm_config"]);
  const newest = events.findLast((event) => event.call !== undefined);
  const system = events.find(({ action }) => action === "system");
  const conversation: Conversation = {
    ...spanOf(all),
    id: text(instance_id),
    model: text(model) ?? (newest && replyOf(newest).model),
    window: numberOf(max_input_tokens) || undefined,
    cwd: events.flatMap((event) => text(shellNotes(event)["working_dir"]) || []).at(-1),
    messages: events.some(isCondensation) ? condensed(events) : all,
    timeline: timelineOf(all),
  };
  const compactions = events.filter(isCondensation).length;
  return { conversation, compactions, version: text(system?.args["openhands_version"]) };
}

function condensed(events: readonly OpenHandsEvent[]): Message[] {
  const { before, summary, after } = condense(events);
  if (summary === undefined) return toMessages(before);
  const message: Message = { role: "user", kind: "summary", parts: textParts(summary) };
  return [...toMessages(before), message, ...toMessages(after)];
}
