import { totalUsage } from "../../core/message/index.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { noteTime, reportedUsage } from "../content.ts";
import { instant, number, text } from "../lenient.ts";
import { isBareItem } from "../signs.ts";
import {
  type About,
  type ContextSample,
  createWarnings,
  type Reading,
  type RecordReader,
  type RequestUsage,
} from "../transcript.ts";
import { createHistory, type History } from "./history.ts";
import { neutralItem } from "./item.ts";

/** Rollout files of the Codex CLI: what the model saw as items, what the screen showed as events. */
export const codex = { open };

interface Rollout {
  readonly history: History;
  readonly timeline: ContextSample[];
  readonly requests: RequestUsage[];
  /** The texts of the prompts that events report. */
  readonly typed: Set<string>;
  readonly about: About;
  compactions: number;
  /** All tokens of the session so far. */
  total?: number;
  version?: string;
}

function open(): RecordReader {
  const rollout: Rollout = {
    history: createHistory(),
    timeline: [],
    requests: [],
    typed: new Set(),
    about: {},
    compactions: 0,
  };
  return {
    record: (value) => (isRecord(value) ? addLine(rollout, value) : undefined),
    finish: () => toReading(rollout),
  };
}

function addLine(rollout: Rollout, line: Fields): void {
  const { type, payload } = line;
  const time = instant(line["timestamp"]);
  noteTime(rollout.about, time);
  if (type === "response_item") rollout.history.add(neutralItem(payload), time);
  else if (isBareItem(line)) rollout.history.add(neutralItem(line), time);
  else if (type === "compacted") {
    rollout.compactions += 1;
    rollout.history.compact(fieldsOf(payload));
  } else if (type === "event_msg") addEvent(rollout, fieldsOf(payload), time);
  else if (isRecord(payload)) noteSession(rollout, type, payload);
  else if (type === undefined) noteSession(rollout, "session_meta", line);
}

/** An event is what the screen showed; only turns, tokens and rollbacks matter here. */
function addEvent(rollout: Rollout, event: Fields, time: number | undefined): void {
  const { type, message } = event;
  if (typeof type !== "string") return;
  const info = fieldsOf(event["info"]);
  const window = number(info["model_context_window"]) ?? number(event["model_context_window"]);
  rollout.about.window = window ?? rollout.about.window;
  if (type === "user_message" && typeof message === "string") rollout.typed.add(message);
  if (type === "thread_rolled_back") rollout.history.rollBack(number(event["num_turns"]) ?? 0);
  if (type === "token_count") addReport(rollout, info, time);
}

/** The same total again is the same report again. */
function addReport(rollout: Rollout, info: Fields, time: number | undefined): void {
  const last = fieldsOf(info["last_token_usage"]);
  const usage = reportedUsage({
    total: last["input_tokens"],
    cacheRead: last["cached_input_tokens"],
    output: last["output_tokens"],
  });
  if (usage === undefined) return;
  const tokens = number(last["total_tokens"]) ?? totalUsage(usage);
  const total = number(fieldsOf(info["total_token_usage"])["total_tokens"]);
  const isRepeated = total !== undefined && total === rollout.total;
  rollout.total = total;
  if (isRepeated || tokens === 0) return;
  rollout.history.report(usage);
  rollout.timeline.push({ tokens, time });
  rollout.requests.push({ usage, time, model: rollout.about.model });
}

function noteSession(rollout: Rollout, type: unknown, payload: Fields): void {
  const { about } = rollout;
  about.cwd ??= text(payload["cwd"]);
  if (type === "turn_context") about.model = text(payload["model"]) ?? about.model;
  if (type !== "session_meta") return;
  const base = payload["base_instructions"];
  rollout.version ??= text(payload["cli_version"]);
  about.id ??= text(payload["id"]);
  about.provider ??= text(payload["model_provider"]);
  about.instructions ??= text(isRecord(base) ? base["text"] : payload["instructions"]);
}

function toReading(rollout: Rollout): Reading {
  const { history, typed, about, version, compactions, timeline, requests } = rollout;
  const warnings = createWarnings();
  const gap = history.gap();
  if (gap !== undefined) warnings.missing(gap);
  return {
    version,
    conversations: [{ ...about, messages: history.messages(typed), timeline, requests }],
    compactions,
    warnings: warnings.list(),
  };
}
