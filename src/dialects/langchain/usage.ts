import type { Usage } from "../../core/message/index.ts";
import { isWireObject } from "../wire-value.ts";

/**
 * What the provider reported for the request that an `AIMessage` answers (`usage_metadata`), the
 * cache apart; `undefined` where it reported nothing.
 */
export function langchainUsage(message: unknown): Usage | undefined {
  const reported = isWireObject(message) ? message["usage_metadata"] : undefined;
  if (!isWireObject(reported) || typeof reported["input_tokens"] !== "number") return undefined;
  const details = reported["input_token_details"];
  const { cache_read, cache_creation } = isWireObject(details) ? details : {};
  const cacheRead = numberOf(cache_read);
  const cacheWrite = numberOf(cache_creation);
  return {
    // LangChain's input is all of it.
    input: Math.max(0, reported["input_tokens"] - cacheRead - cacheWrite),
    output: numberOf(reported["output_tokens"]),
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
