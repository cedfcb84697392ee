import type { Usage } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject, numberOf, usageOf, type WireObject } from "../wire.ts";

/** A step of the SDK (`ai` 5, 6, 7), or a model's result (v2, v3, v4). */
export interface AiSdkReported {
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
}

/** The usage of one request, the cache apart; `undefined` where the input is not known. */
export function aiSdkUsage({ usage, providerMetadata }: AiSdkReported): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  if (isWireObject(inputTokens)) {
    const { total, noCache, cacheRead, cacheWrite } = inputTokens;
    const { total: output } = fieldsOf(outputTokens);
    return usageOf({ total, noCache, cacheRead, cacheWrite, output });
  }
  if (isWireObject(inputTokenDetails)) {
    const { noCacheTokens: noCache, ...details } = inputTokenDetails;
    const { cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = details;
    return usageOf({ total: inputTokens, noCache, cacheRead, cacheWrite, output: outputTokens });
  }
  return olderUsage(usage, providerMetadata);
}

/** Version 5 counts the cache as input, but for Anthropic, where it stands beside. */
function olderUsage(usage: WireObject, providerMetadata: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  if (typeof inputTokens !== "number") return undefined;
  const { anthropic } = fieldsOf(providerMetadata);
  const cacheRead = numberOf(cachedInputTokens);
  if (!isWireObject(anthropic) && cacheRead <= inputTokens) {
    return usageOf({ total: inputTokens, cacheRead, output: outputTokens });
  }
  const { cacheCreationInputTokens: cacheWrite } = fieldsOf(anthropic);
  return usageOf({ noCache: inputTokens, cacheRead, cacheWrite, output: outputTokens });
}
