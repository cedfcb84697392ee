import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { list, number, records, text } from "../lenient.ts";
import { isSdkEvent } from "../signs.ts";
import { words } from "../../core/text/words.ts";

/** An event of OpenHands 0.x: an action (`action`, `args`) or an observation of its outcome. */
export interface OpenHandsEvent {
  readonly id?: string;
  readonly time?: number;
  readonly source?: string;
  readonly action?: string;
  readonly args: Fields;
  readonly observation?: string;
  readonly content: unknown;
  readonly extras: Fields;
  readonly cause?: string;
  readonly call?: RecordedCall;
}

/** The call that an event belongs to, as the model made it. */
interface RecordedCall {
  readonly toolName: string;
  readonly id: string;
  /** The model's whole reply; repeated in the event of each of its calls and in their results. */
  readonly response: Fields;
}

/**
 * The events in a list. Early files hold pairs of action and observation, which are unfolded;
 * `onOdd` is told the place of each value that is no event.
 */
export function parseEvents(
  values: readonly unknown[],
  onOdd: (at: number) => void,
): OpenHandsEvent[] {
  return values.flatMap((value, at) =>
    (Array.isArray(value) ? value : [fromSdk(value)]).flatMap((item: unknown) => {
      const event = isRecord(item) ? parseEvent(item) : undefined;
      if (event !== undefined && (event.action ?? event.observation) !== undefined) return [event];
      onOdd(at);
      return [];
    }),
  );
}

function parseEvent(native: Fields): OpenHandsEvent {
  const { function_name, tool_call_id, model_response } = fieldsOf(native["tool_call_metadata"]);
  const [toolName, id] = [text(function_name), text(tool_call_id)];
  const isCall = toolName !== undefined && id !== undefined;
  return {
    id: eventId(native["id"]),
    time: eventTime(native["timestamp"]),
    source: text(native["source"]),
    action: text(native["action"]),
    args: fieldsOf(native["args"]),
    observation: text(native["observation"]),
    content: native["content"],
    extras: fieldsOf(native["extras"]),
    cause: eventId(native["cause"]),
    call: isCall ? { toolName, id, response: fieldsOf(model_response) } : undefined,
  };
}

function eventId(id: unknown): string | undefined {
  return text(id) ?? number(id)?.toString();
}

/** Times without a zone are UTC. */
function eventTime(timestamp: unknown): number | undefined {
  if (typeof timestamp !== "string") return undefined;
  const isZoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp);
  return number(Date.parse(isZoned ? timestamp : `${timestamp}Z`));
}

/** Events as the model would have seen them next, and what stands for those that were forgotten. */
interface CondensedEvents {
  readonly before: readonly OpenHandsEvent[];
  /** The newest summary; it stands between `before` and `after`. */
  readonly summary?: string;
  readonly after: readonly OpenHandsEvent[];
}

/** Notes on the agent's state; OpenHands keeps them out of what it counts as history. */
const STATE = new Set(
  words(`agent_state_changed change_agent_state condensation_request initialize null pause resume start
  stop`),
);

export function isCondensation({ action }: OpenHandsEvent): boolean {
  return action === "condensation";
}

/** Whether an event belongs to the conversation: it is no note on the agent's own state. */
export function isConversation(event: OpenHandsEvent): boolean {
  return !isCondensation(event) && !STATE.has(event.action ?? event.observation ?? "");
}

/**
 * Honours the condensations: the events that any of them forgot are left out, and the summary of
 * the newest that has one goes to its `summary_offset` among the events that are left.
 */
export function condense(events: readonly OpenHandsEvent[]): CondensedEvents {
  const condensations = events.filter(isCondensation);
  const isForgotten = forgotten(condensations);
  const kept = events.filter((event) => isConversation(event) && !isForgotten(event));
  const newest = condensations.findLast(({ args }) => typeof args["summary"] === "string");
  const offset = Number(newest?.args["summary_offset"] ?? 0);
  const at =
    newest === undefined
      ? kept.length
      : Math.min(Math.max(0, Math.trunc(offset) || 0), kept.length);
  return {
    before: kept.slice(0, at),
    summary: text(newest?.args["summary"]),
    after: kept.slice(at),
  };
}

/** Condensations name what they forget one by one, or by the first and last id of a range. */
function forgotten(condensations: readonly OpenHandsEvent[]): (event: OpenHandsEvent) => boolean {
  const ids = new Set<string>();
  const ranges: (readonly [number, number])[] = [];
  for (const { args } of condensations) {
    for (const id of list(args["forgotten_event_ids"])) ids.add(String(id));
    const first = args["forgotten_events_start_id"];
    const last = args["forgotten_events_end_id"];
    if (typeof first === "number" && typeof last === "number") ranges.push([first, last]);
  }
  return ({ id }) =>
    id !== undefined &&
    (ids.has(id) || ranges.some(([first, last]) => Number(id) >= first && Number(id) <= last));
}

/** Notes of the shell beside an observation. */
export function shellNotes({ extras }: OpenHandsEvent): Fields {
  return fieldsOf(extras["metadata"]);
}

/** An event of SDK 1.x in the words of 0.x; any other value as it is. */
function fromSdk(value: unknown): unknown {
  if (!isSdkEvent(value)) return value;
  const event = fieldsOf(value);
  const { id, timestamp, source } = event;
  return { id, timestamp, source, ...translated(event) };
}

function translated(event: Fields): Fields {
  switch (event["kind"]) {
    case "SystemPromptEvent":
      return { action: "system", args: { content: fieldsOf(event["system_prompt"])["text"] } };
    case "MessageEvent": {
      const { content } = fieldsOf(event["llm_message"]);
      const image_urls = records(content).flatMap((piece) => list(piece["image_urls"]));
      return { action: "message", args: { content, image_urls } };
    }
    case "ActionEvent":
      return { action: "call", args: event["action"], tool_call_metadata: callOf(event) };
    case "ObservationEvent":
      return { ...answerOf(event), ...observed(fieldsOf(event["observation"])) };
    case "AgentErrorEvent":
      return { ...answerOf(event), observation: "error", content: text(event["error"]) };
    case "UserRejectObservation": {
      const content = text(event["rejection_reason"]);
      return { ...answerOf(event), observation: "user_rejected", content };
    }
    case "Condensation":
      return { action: "condensation", args: event };
    default:
      // Notes on the agent's state; they are no part of the conversation.
      return { action: "null" };
  }
}

function callOf(event: Fields): Fields {
  const { tool_name, tool_call_id, tool_call, llm_response_id, action } = event;
  const { function: named = tool_call } = fieldsOf(tool_call);
  const called = { name: tool_name, arguments: fieldsOf(named)["arguments"] ?? action };
  const message = {
    content: event["thought"],
    reasoning_content: event["reasoning_content"],
    tool_calls: [{ id: tool_call_id, function: called }],
  };
  const model_response = { id: llm_response_id, choices: [{ message }] };
  return { function_name: tool_name, tool_call_id, model_response };
}

function answerOf({ tool_name, tool_call_id, action_id }: Fields): Fields {
  return { cause: action_id, tool_call_metadata: { function_name: tool_name, tool_call_id } };
}

/** The answer of a tool: a list of content in newer versions, fields named by the tool in older. */
function observed(observation: Fields): Fields {
  const { content, output, message, exit_code, metadata } = observation;
  const said = [content, output, message].find(
    (field) => typeof field === "string" || Array.isArray(field),
  );
  return {
    observation: observation["is_error"] === true ? "error" : "call",
    content: said ?? JSON.stringify(observation),
    extras: { exit_code: exit_code ?? fieldsOf(metadata)["exit_code"] },
  };
}
