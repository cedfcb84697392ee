import { z } from "zod";

const record = z.record(z.string(), z.unknown()).default({}).catch({});
const eventId = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);
const text = z.string().optional().catch(undefined);

const metadata = z.looseObject({
  function_name: z.string(),
  tool_call_id: z.string(),
  /** The model's whole reply; repeated in the event of each of its calls and in their results. */
  model_response: record,
});

/** An event of OpenHands 0.x: an action (`action`, `args`) or an observation of its outcome. */
const event = z.looseObject({
  id: eventId,
  timestamp: text,
  source: text,
  action: text,
  args: record,
  observation: text,
  content: z.unknown().optional(),
  extras: record,
  /** The id of the action that an observation answers. */
  cause: eventId,
  tool_call_metadata: metadata.optional().catch(undefined),
});

export type OpenHandsEvent = z.infer<typeof event>;

/**
 * The events in a list. Early files hold pairs of action and observation, which are unfolded;
 * `onOdd` is told the place of each value that is no event.
 */
export function parseEvents(
  values: readonly unknown[],
  onOdd: (at: number) => void,
): OpenHandsEvent[] {
  return values.flatMap((value, at) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.flatMap((item) => {
      const { data } = event.safeParse(item);
      const known = data?.action !== undefined || data?.observation !== undefined;
      if (data === undefined || !known) onOdd(at);
      return data === undefined || !known ? [] : [data];
    });
  });
}

/** When an event happened, in ms since the epoch. Times without a zone are UTC. */
export function eventTime({ timestamp }: OpenHandsEvent): number | undefined {
  if (timestamp === undefined) return undefined;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp) ? timestamp : `${timestamp}Z`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}

/** Events as the model would have seen them next, and what stands for those that were forgotten. */
interface CondensedEvents {
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
  "initialize",
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
