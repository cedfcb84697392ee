import { isRecord } from "../content.ts";
import {
  createCounter,
  isTypedTurn,
  type FormatCounts,
  type TranscriptCounter,
} from "../counts.ts";
import { defined, instant } from "../lenient.ts";
import type {
  ContextSample,
  Detection,
  Reading,
  RecordReader,
  RecordsFormat,
} from "../transcript.ts";
import { reportedUsage, rolloutEvent, type RolloutEvent } from "./event.ts";
import { compactedPayload, createHistory, type History } from "./history.ts";
import { isItemType, neutralItem, type Item } from "./item.ts";

/** Rollout files of the Codex CLI: what the model saw as items, what the screen showed as events. */
export const codex: RecordsFormat = {
  name: "codex",
  title: "Codex CLI rollout",
  location: "~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl",
  shape: "records",
  detect,
  open,
};

const LINE_TYPES = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
]);

type Fields = Readonly<Record<string, unknown>>;

function detect(records: readonly unknown[]): Detection {
  const lines = records.filter(isRecord);
  const isRollout = lines.some(
    ({ type, payload }) => LINE_TYPES.has(String(type)) && isRecord(payload),
  );
  const isOld = lines.some(({ record_type: type }) => type === "state") && lines.some(isBareItem);
  return isRollout || isOld || "no line has the type and payload of a rollout line";
}

/** Before August 2025 items stood in the file without a wrapping. */
function isBareItem({ type, payload }: Fields): boolean {
  return payload === undefined && isItemType(type);
}

/** What is read so far. */
interface Rollout {
  readonly history: History;
  readonly counter: TranscriptCounter;
  readonly timeline: ContextSample[];
  /** The texts of the prompts that events report. */
  readonly typed: Set<string>;
  messages: number;
  turns: number;
  /** Turns by the messages themselves, for files without events. */
  typedMessages: number;
  parallel: number;
  /** Calls since the last output. */
  callsInRow: number;
  total?: number;
  id?: string;
  cwd?: string;
  version?: string;
  instructions?: string;
  model?: string;
  window?: number;
  startedAt?: number;
  updatedAt?: number;
}

function open(): RecordReader {
  const rollout: Rollout = {
    history: createHistory(),
    counter: createCounter(),
    timeline: [],
    typed: new Set(),
    messages: 0,
    turns: 0,
    typedMessages: 0,
    parallel: 0,
    callsInRow: 0,
  };
  return {
    record(value) {
      if (!isRecord(value)) return;
      const { type, payload } = value;
      const time = instant(value["timestamp"]);
      noteTime(rollout, time);
      if (type === "response_item") addItem(rollout, payload, time);
      else if (isBareItem(value)) addItem(rollout, value, time);
      else if (type === "compacted") addCompaction(rollout, payload);
      else if (type === "event_msg") addEvent(rollout, payload, time);
      else if (isRecord(payload)) noteSession(rollout, type, payload);
      else if (type === undefined) noteSession(rollout, "session_meta", value);
    },
    finish: () => toReading(rollout),
  };
}

function addItem(rollout: Rollout, payload: unknown, time: number | undefined): void {
  const item = neutralItem(payload);
  rollout.messages += 1;
  rollout.history.add(item, time);
  countItem(rollout, item);
}

/** Calls in a row before the first output are parallel ones. */
function countItem(rollout: Rollout, item: Item): void {
  if (item.type === "reply") {
    rollout.counter.addParts(item.parts);
    rollout.callsInRow += item.parts.filter(({ type }) => type === "tool-call").length;
    return;
  }
  if (item.type === "nothing") return;
  if (rollout.callsInRow > 1) rollout.parallel += 1;
  rollout.callsInRow = 0;
  if (item.type === "result") rollout.counter.addParts([item.part]);
  else {
    rollout.counter.addParts(item.message.parts);
    if (isTypedTurn(item.message)) rollout.typedMessages += 1;
  }
}

function addCompaction(rollout: Rollout, payload: unknown): void {
  rollout.counter.compaction();
  rollout.history.compact(compactedPayload(payload));
}

function addEvent(rollout: Rollout, payload: unknown, time: number | undefined): void {
  const event = rolloutEvent(payload);
  if (event === undefined) return;
  const window = event.info?.model_context_window ?? event.model_context_window;
  if (window !== undefined) rollout.window = window;
  if (event.type === "user_message") {
    rollout.turns += 1;
    if (event.message !== undefined) rollout.typed.add(event.message);
  }
  if (event.type === "thread_rolled_back") rollout.history.rollBack(event.num_turns ?? 0);
  if (event.type === "token_count") addReport(rollout, event, time);
}

function addReport(rollout: Rollout, event: RolloutEvent, time: number | undefined): void {
  const reported = reportedUsage(event);
  if (reported === undefined) return;
  const isRepeated = reported.total !== undefined && reported.total === rollout.total;
  rollout.total = reported.total;
  if (isRepeated || reported.tokens === 0) return;
  rollout.history.report(reported.usage);
  rollout.timeline.push({ tokens: reported.tokens, ...defined({ time }) });
}

function noteSession(rollout: Rollout, type: unknown, payload: Fields): void {
  const { cwd, model } = payload;
  if (typeof cwd === "string") rollout.cwd ??= cwd;
  if (type === "turn_context" && typeof model === "string") rollout.model = model;
  if (type !== "session_meta") return;
  const base = payload["base_instructions"];
  const instructions = isRecord(base) ? base["text"] : payload["instructions"];
  const { id, cli_version: version } = payload;
  if (typeof id === "string") rollout.id ??= id;
  if (typeof version === "string") rollout.version ??= version;
  if (typeof instructions === "string") rollout.instructions ??= instructions;
}

function noteTime(rollout: Rollout, time: number | undefined): void {
  if (time === undefined) return;
  rollout.startedAt = Math.min(rollout.startedAt ?? time, time);
  rollout.updatedAt = Math.max(rollout.updatedAt ?? time, time);
}

function toReading(rollout: Rollout): Reading {
  const { id, cwd, model, window, instructions, startedAt, updatedAt, version } = rollout;
  const messages = rollout.history.messages(rollout.typed);
  const about = { id, cwd, model, window, instructions, startedAt, updatedAt };
  return {
    ...defined({ version }),
    conversations: [{ ...defined(about), messages, timeline: rollout.timeline }],
    counts: countsOf(rollout),
    warnings: [],
  };
}

/** Every item is a message; a turn is a prompt that an event reports. */
function countsOf(rollout: Rollout): FormatCounts {
  return {
    ...rollout.counter.counts(),
    messages: rollout.messages,
    typedUserTurns: rollout.turns > 0 ? rollout.turns : rollout.typedMessages,
    messagesWithParallelCalls: rollout.parallel + (rollout.callsInRow > 1 ? 1 : 0),
  };
}
