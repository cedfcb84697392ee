import type { Usage } from "../../core/message/index.ts";
import { isWireObject, type WireObject } from "../wire.ts";

/** What carries usage: a step of the SDK (`ai` 5, 6, 7), or a model's result (v2, v3, v4). */
export interface AiSdkReported {
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
}

/** What was reported for one request, the cache apart; `undefined` where the input is not known. */
export function aiSdkUsage({ usage, providerMetadata }: AiSdkReported): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  if (isWireObject(inputTokens)) {
    const { total, noCache, cacheRead, cacheWrite } = inputTokens;
    const output = isWireObject(outputTokens) ? outputTokens["total"] : undefined;
    return parted({ total, noCache, cacheRead, cacheWrite, output });
  }
  if (isWireObject(inputTokenDetails)) {
    const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
    return parted({
      total: inputTokens,
      noCache: noCacheTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      output: outputTokens,
    });
  }
  return olderUsage(usage, providerMetadata);
}

/** Version 5 counts the cache as input, but for Anthropic, where it stands beside. */
function olderUsage(usage: WireObject, providerMetadata: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  if (typeof inputTokens !== "number") return undefined;
  const anthropic = isWireObject(providerMetadata) ? providerMetadata["anthropic"] : undefined;
  const cacheRead = numberOf(cachedInputTokens);
  if (!isWireObject(anthropic) && cacheRead <= inputTokens) {
    return parted({ total: inputTokens, cacheRead, output: outputTokens });
  }
  const cacheWrite = isWireObject(anthropic) ? anthropic["cacheCreationInputTokens"] : undefined;
  return parted({ noCache: inputTokens, cacheRead, cacheWrite, output: outputTokens });
}

function parted(parts: WireObject): Usage | undefined {
  const cacheRead = numberOf(parts["cacheRead"]);
  const cacheWrite = numberOf(parts["cacheWrite"]);
  const { total, noCache, output } = parts;
  if (typeof total !== "number" && typeof noCache !== "number") return undefined;
  const input =
    typeof total === "number" ? Math.max(0, total - cacheRead - cacheWrite) : numberOf(noCache);
  return {
    input,
    output: numberOf(output),
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
