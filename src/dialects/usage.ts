import type { Usage } from "../core/message/index.ts";
import { fieldsOf } from "../core/text/json.ts";
import { numberOf } from "./wire.ts";

/** The usage that Anthropic's Messages API reports: the cache counts beside the input. */
export function anthropicUsage(reported: unknown): Usage | undefined {
  const usage = fieldsOf(reported);
  return usageOf({
    noCache: usage["input_tokens"],
    cacheRead: usage["cache_read_input_tokens"],
    cacheWrite: usage["cache_creation_input_tokens"],
    output: usage["output_tokens"],
  });
}

/** An SDK's report on one request; `total` is all input, `noCache` the part outside of the cache. */
interface Reported {
  readonly total?: unknown;
  readonly noCache?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly output?: unknown;
}

/** The usage of one request, the cache apart; `undefined` where the input is not known. */
export function usageOf({ total, noCache, output, ...cache }: Reported): Usage | undefined {
  if (typeof total !== "number" && typeof noCache !== "number") return undefined;
  const cacheRead = numberOf(cache.cacheRead);
  const cacheWrite = numberOf(cache.cacheWrite);
  const input =
    typeof total === "number" ? Math.max(0, total - cacheRead - cacheWrite) : numberOf(noCache);
  return {
    input,
    output: numberOf(output),
    cacheRead: cacheRead || undefined,
    cacheWrite: cacheWrite || undefined,
  };
}
