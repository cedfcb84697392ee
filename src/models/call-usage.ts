import type { SummaryUsage } from "./summarizer.ts";

/** What somebody says a call cost; `undefined` for anything but whole figures. */
export function checkedUsage(usage: unknown): SummaryUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input, cached, output } = usage as Readonly<Record<string, unknown>>;
  if (!isTokens(input) || !isTokens(output)) return undefined;
  return { input, output, ...(isTokens(cached) && { cached }) };
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
