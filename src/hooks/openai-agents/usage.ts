import type { Usage } from "../../core/message/index.ts";
import { isWireObject } from "../../dialects/wire.ts";

/** The usage of one answer in the names of the SDK; `undefined` where none was reported. */
export function reportedUsage(usage: unknown): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens, outputTokens, inputTokensDetails } = usage;
  if (typeof inputTokens !== "number" || inputTokens === 0) return undefined;
  // A record, or a list of one for each request.
  const details: unknown = Array.isArray(inputTokensDetails)
    ? inputTokensDetails[0]
    : inputTokensDetails;
  const cached = isWireObject(details) ? details["cached_tokens"] : undefined;
  const cacheRead = typeof cached === "number" ? cached : 0;
  return {
    input: Math.max(0, inputTokens - cacheRead),
    cacheRead,
    output: typeof outputTokens === "number" ? outputTokens : 0,
  };
}
