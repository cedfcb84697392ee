import { estimator } from "../../core/tokens/estimator.ts";
import { createMessageMeter } from "../../core/tokens/index.ts";
import type { Conversation } from "../../transcripts/index.ts";

/** How full the window was at one point. */
export interface GrowthSample {
  readonly tokens: number;
  /** ms since the epoch, if recorded. */
  readonly time?: number;
}

/** How the context grew. */
export interface Growth {
  /**
   * `reported`: one sample a step over the whole session, compactions included. `estimated`: one
   * sample a message of the effective context.
   */
  readonly source: "reported" | "estimated";
  readonly samples: readonly GrowthSample[];
}

/** From what the provider reported if there is enough of it, else added up message by message. */
export function growthOf({ timeline, messages, instructions = "" }: Conversation): Growth {
  const reported = timeline.filter((sample) => sample.tokens > 0);
  if (reported.length > 1) return { source: "reported", samples: reported };
  const meter = createMessageMeter(estimator);
  let tokens = estimator.count(instructions);
  const samples = messages.map((message) => {
    tokens += meter.tokens(message);
    return { tokens, ...(message.time !== undefined && { time: message.time }) };
  });
  return { source: "estimated", samples };
}
