import type { WireObject } from "../dialects/wire.ts";

/*
 * How long what a request writes to a cache lives after its last use, in ms, by the pages that
 * `simulate/cache.ts` names; read on 2026-11-23.
 */

const HOUR = 60 * 60_000;

/** Anthropic: five minutes, or an hour where a mark asks for it. */
export function messagesCacheLife(params: WireObject): number {
  return JSON.stringify(params).includes('"ttl":"1h"') ? HOUR : 5 * 60_000;
}

/** OpenAI: an hour at most, or a day where the request asks for it. */
export function openaiCacheLife({ prompt_cache_retention: wanted }: WireObject): number {
  return wanted === "24h" ? 24 * HOUR : HOUR;
}
