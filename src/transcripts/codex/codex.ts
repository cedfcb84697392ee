import { isRecord } from "../../core/text/json.ts";
import { z } from "zod";
import type { Usage } from "../../core/message/index.ts";
import { fields, instant, list, number, text } from "../lenient.ts";
import {
  type ContextSample,
  createWarnings,
  type Reading,
  type RecordReader,
} from "../transcript.ts";
import { isBareItem } from "../signs.ts";
import { compactedPayload, createHistory, type History } from "./history.ts";
import { neutralItem } from "./item.ts";

/** Rollout files of the Codex CLI: what the model saw as items, what the screen showed as events. */
export const codex = { open };

type Fields = Readonly<Record<string, unknown>>;

/** What is read so far. */
interface Rollout {
  readonly history: History;
  readonly timeline: ContextSample[];
  /** The texts of the prompts that events report. */
  readonly typed: Set<string>;
  compactions: number;
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
    timeline: [],
    typed: new Set(),
    compactions: 0,
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
  rollout.history.add(neutralItem(payload), time);
}

function addCompaction(rollout: Rollout, payload: unknown): void {
  rollout.compactions += 1;
  rollout.history.compact(compactedPayload(payload));
}

function addEvent(rollout: Rollout, payload: unknown, time: number | undefined): void {
  const event = rolloutEvent(payload);
  if (event === undefined) return;
  const window = event.info?.model_context_window ?? event.model_context_window;
  if (window !== undefined) rollout.window = window;
  if (event.type === "user_message" && event.message !== undefined) {
    rollout.typed.add(event.message);
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
  rollout.timeline.push({ tokens: reported.tokens, time });
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
  const warnings = createWarnings();
  const gap = rollout.history.gap();
  if (gap !== undefined) warnings.missing(gap);
  return {
    version,
    conversations: [{ ...about, messages, timeline: rollout.timeline }],
    compactions: rollout.compactions,
    warnings: warnings.list(),
  };
}

const tokenUsage = fields({
  input_tokens: number,
  cached_input_tokens: number,
  output_tokens: number,
  total_tokens: number,
});

const eventShape = z.looseObject({
  type: z.string(),
  message: text,
  images: list,
  num_turns: number,
  model_context_window: number,
  info: fields({
    last_token_usage: tokenUsage,
    total_token_usage: tokenUsage,
    model_context_window: number,
  }),
});

/** An `event_msg`: what the screen showed. Only turns, tokens and rollbacks matter here. */
type RolloutEvent = z.infer<typeof eventShape>;

/** The event in a payload; `undefined` when it is none. */
function rolloutEvent(payload: unknown): RolloutEvent | undefined {
  return eventShape.safeParse(payload).data;
}

/** What the provider reported with a `token_count` event. */
interface Reported {
  readonly usage: Usage;
  readonly tokens: number;
  /** All tokens of the session so far; the same number again is the same report again. */
  readonly total: number | undefined;
}

/** The report in an event, if it has one. Input counts what came from the cache, too. */
function reportedUsage({ info }: RolloutEvent): Reported | undefined {
  const last = info?.last_token_usage;
  if (last?.input_tokens === undefined || last.output_tokens === undefined) return undefined;
  const cached = last.cached_input_tokens ?? 0;
  const usage: Usage = {
    input: Math.max(0, last.input_tokens - cached),
    output: last.output_tokens,
    cacheRead: last.cached_input_tokens,
  };
  const tokens = last.total_tokens ?? last.input_tokens + last.output_tokens;
  return { usage, tokens, total: info?.total_token_usage?.total_tokens };
}
