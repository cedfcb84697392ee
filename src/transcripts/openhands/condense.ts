import type { OpenHandsEvent } from "./event.ts";

/** Events as the model would have seen them next, and what stands for those that were forgotten. */
export interface CondensedEvents {
  readonly before: readonly OpenHandsEvent[];
  /** The newest summary; it stands between `before` and `after`. */
  readonly summary?: string;
  readonly after: readonly OpenHandsEvent[];
}

/** Notes on the agent's state; OpenHands keeps them out of what it counts as history. */
const STATE = new Set([
  "agent_state_changed",
  "change_agent_state",
  "condensation_request",
  "null",
  "pause",
  "resume",
  "start",
  "stop",
]);

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
  if (newest === undefined) return { before: kept, after: [] };
  const offset = Number(newest.args["summary_offset"] ?? 0);
  const at = Math.min(Math.max(0, Math.trunc(offset) || 0), kept.length);
  return {
    before: kept.slice(0, at),
    summary: String(newest.args["summary"]),
    after: kept.slice(at),
  };
}

/** Condensations name what they forget one by one, or by the first and last id of a range. */
function forgotten(condensations: readonly OpenHandsEvent[]): (event: OpenHandsEvent) => boolean {
  const ids = new Set<string>();
  const ranges: (readonly [number, number])[] = [];
  for (const { args } of condensations) {
    const named = args["forgotten_event_ids"];
    if (Array.isArray(named)) for (const id of named) ids.add(String(id));
    const first = args["forgotten_events_start_id"];
    const last = args["forgotten_events_end_id"];
    if (typeof first === "number" && typeof last === "number") ranges.push([first, last]);
  }
  return ({ id }) =>
    id !== undefined &&
    (ids.has(id) || ranges.some(([first, last]) => Number(id) >= first && Number(id) <= last));
}
