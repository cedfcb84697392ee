import { isRecord } from "../content.ts";
import { createCounter, type FormatCounts } from "../counts.ts";
import type {
  Conversation,
  DocumentFormat,
  Reading,
  RecordReader,
  RecordsFormat,
} from "../transcript.ts";
import { createWarnings, type Warnings } from "../warnings.ts";
import { readRun, type Run } from "./conversation.ts";
import { isEvent } from "./event.ts";
import { isSdkEvent } from "./sdk.ts";

const NAME = "openhands";
const TITLE = "OpenHands run";
const NO_EVENTS = 'there is no "history" of events, and no event with "action" or "observation"';

/**
 * OpenHands by lines: `output.jsonl` of 0.x (a task and its whole `history` a line, each line a
 * conversation), or one event a line (0.x or SDK 1.x, all of them one conversation). Condensations
 * are honoured: forgotten events are left out, the newest summary stands for them.
 */
export const openhands: RecordsFormat = {
  name: NAME,
  title: TITLE,
  location: "evaluation outputs …/output.jsonl",
  shape: "records",
  detect: (records) => records.some((value) => isTask(value) || isAnyEvent(value)) || NO_EVENTS,
  open: openReader,
};

/** The same as one JSON document: a list of events, or one task with its `history`. */
export const openhandsDocument: DocumentFormat = {
  name: NAME,
  title: TITLE,
  location: "~/.openhands/sessions/…",
  shape: "document",
  detect: (document) =>
    isTask(document) || (Array.isArray(document) && document.some(isAnyEvent)) || NO_EVENTS,
  read(document, { isTorn = false } = {}) {
    const warnings = createWarnings();
    const values = Array.isArray(document) ? (document as unknown[]) : history(document);
    const whole = isTorn ? values.slice(0, -1) : values;
    return toReading([readRun(whole, { about: aboutTask(document), warnings })], warnings);
  },
};

function isAnyEvent(value: unknown): boolean {
  return isEvent(value) || isSdkEvent(value);
}

function isTask(value: unknown): boolean {
  const events = history(value);
  return events.slice(0, 10).some(isAnyEvent);
}

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
      } else if (isAnyEvent(value)) events.push(value);
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
    ...(typeof instance_id === "string" ? { id: instance_id } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof max_input_tokens === "number" && max_input_tokens > 0
      ? { window: max_input_tokens }
      : {}),
  };
}

function toReading(runs: readonly Run[], warnings: Warnings): Reading {
  const version = runs.find((run) => run.version !== undefined)?.version;
  return {
    ...(version === undefined ? {} : { version }),
    conversations: runs.map(({ conversation }) => conversation),
    counts: runs.map(({ counts }) => counts).reduce(addCounts, createCounter().counts()),
    warnings: warnings.list(),
  };
}

/** Ids are unique within a run only, so each run's are counted by themselves. */
function addCounts(left: FormatCounts, right: FormatCounts): FormatCounts {
  const sum = Object.entries(left).map(([name, count]) => [
    name,
    count + right[name as keyof FormatCounts],
  ]);
  return Object.fromEntries(sum) as FormatCounts;
}
