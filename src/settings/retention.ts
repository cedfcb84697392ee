import type { RetentionOptions } from "../archive/retention.ts";
import { ContextError } from "../core/error.ts";
import { isRecord } from "../core/text/json.ts";
import { parseDuration, parseSize } from "../core/text/units.ts";

/**
 * The limits of an archive, as a person writes them; a limit that is absent is as without a
 * setting.
 */
export type RetentionSetting = RetentionOptions | false;

const PARSERS = {
  maxAge: ["maxAgeMs", parseDuration],
  maxSize: ["maxBytes", parseSize],
} as const;

/**
 * The setting `retention`: `false`, or `{ "maxAge": "90d", "maxSize": "20GB" }`, in ms and bytes.
 * Throws `invalid-options` for anything else.
 */
export function retentionSetting(value: unknown): RetentionSetting {
  if (value === false) return false;
  if (!isRecord(value)) throw invalid(value);
  const limits = Object.entries(value).map(([name, text]) => {
    const [option, parse] = Object.hasOwn(PARSERS, name)
      ? PARSERS[name as keyof typeof PARSERS]
      : [];
    const limit = typeof text === "string" ? parse?.(text) : undefined;
    if (option === undefined || limit === undefined) throw invalid(value);
    return [option, limit] as const;
  });
  return Object.fromEntries(limits);
}

function invalid(value: unknown): ContextError {
  return new ContextError(
    "invalid-options",
    `retention is ${JSON.stringify(value)}; give false, or limits such as { "maxAge": "90d", "maxSize": "20GB" }, one of them or both.`,
    { details: { name: "retention", value } },
  );
}
