import { z } from "zod";
import { isRecord } from "../content.ts";

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

/** Whether a value has the shape of a 0.x event, or of a pair of them. */
export function isEvent(value: unknown): boolean {
  const item: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(item)) return false;
  if (typeof item["action"] === "string") return isRecord(item["args"]);
  return typeof item["observation"] === "string" && "content" in item && isRecord(item["extras"]);
}

/** When an event happened, in ms since the epoch. Times without a zone are UTC. */
export function eventTime({ timestamp }: OpenHandsEvent): number | undefined {
  if (timestamp === undefined) return undefined;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp) ? timestamp : `${timestamp}Z`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? undefined : time;
}
