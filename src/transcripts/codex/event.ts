import { z } from "zod";
import type { Usage } from "../../core/message/index.ts";
import { defined, fields, list, number, text } from "../lenient.ts";

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
export type RolloutEvent = z.infer<typeof eventShape>;

/** The event in a payload; `undefined` when it is none. */
export function rolloutEvent(payload: unknown): RolloutEvent | undefined {
  return eventShape.safeParse(payload).data;
}

/** What the provider reported with a `token_count` event. */
export interface Reported {
  readonly usage: Usage;
  readonly tokens: number;
  /** All tokens of the session so far; the same number again is the same report again. */
  readonly total: number | undefined;
}

/** The report in an event, if it has one. Input counts what came from the cache, too. */
export function reportedUsage({ info }: RolloutEvent): Reported | undefined {
  const last = info?.last_token_usage;
  if (last?.input_tokens === undefined || last.output_tokens === undefined) return undefined;
  const cached = last.cached_input_tokens ?? 0;
  const usage: Usage = {
    input: Math.max(0, last.input_tokens - cached),
    output: last.output_tokens,
    ...defined({ cacheRead: last.cached_input_tokens }),
  };
  const tokens = last.total_tokens ?? last.input_tokens + last.output_tokens;
  return { usage, tokens, total: info?.total_token_usage?.total_tokens };
}
