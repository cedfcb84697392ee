import type { Message } from "../core/message/index.ts";
import { createMessageMeter } from "../core/tokens/meter.ts";
import { valueTokens } from "../core/tokens/count.ts";
import { isWireObject, type WireObject } from "../dialects/wire.ts";
import type { LiveRequest, SummaryRequest } from "./summarizer.ts";

export type Live = NonNullable<SummaryRequest["live"]>;

/** The instruction as the message that is sent behind the agent's own. */
export function instructionMessage({ instruction }: Live): Message {
  return { role: "user", kind: "injected", parts: [{ type: "text", text: instruction }] };
}

/**
 * The agent's tools, if they are a list of what this API takes; empty when there are none.
 * `undefined` when they are something else: such a request is no prefix that the provider knows.
 */
export function wireTools(
  { tools }: LiveRequest,
  isTool: (tool: WireObject) => boolean,
): readonly WireObject[] | undefined {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) return undefined;
  const known = tools.filter((tool: unknown) => isWireObject(tool) && isTool(tool));
  return known.length === tools.length ? (known as WireObject[]) : undefined;
}

/** An estimate of what a request costs, in tokens. */
export async function inputTokens(
  { prompt }: SummaryRequest,
  live: Live | undefined,
): Promise<number> {
  const { estimator } = await import("../core/tokens/estimator.ts");
  if (live === undefined) return estimator.count(prompt.system) + estimator.count(prompt.user);
  const fixed = estimator.count(live.system ?? "") + valueTokens(live.tools, estimator);
  const messages = createMessageMeter(estimator).total(live.messages);
  return fixed + messages + estimator.count(live.instruction);
}

/** Beside the summary: a model's thinking counts as output too. */
const THINKING = 8_000;
/** The least that models of the last years write in one answer. */
const USUAL_MAX_OUTPUT = 16_000;
/** Our tokens are not the provider's: a summary that is a little too long is cut by us, not by it. */
const HEADROOM = 1.25;
/** The estimate of a whole request may be off by this. */
const ESTIMATE_MARGIN = 1.05;

interface OutputRoom {
  /** The most tokens that the summary may have. */
  readonly cap: number;
  readonly maxTokens?: number;
  readonly window: number;
  /** An estimate of the request. */
  readonly inputTokens: number;
}

/** The tokens to allow for an answer: the summary, and thinking as far as there is room. */
export function outputLimit({ cap, maxTokens, window, inputTokens }: OutputRoom): number {
  if (maxTokens !== undefined) return maxTokens;
  const wanted = Math.min(2 * cap + THINKING, Math.max(USUAL_MAX_OUTPUT, HEADROOM * cap));
  const room = window - inputTokens * ESTIMATE_MARGIN;
  return Math.max(cap, Math.floor(Math.min(wanted, room)));
}
