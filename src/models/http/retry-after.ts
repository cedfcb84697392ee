/** What the headers say about when to ask again, in ms; `undefined` when they say nothing. */
export function retryAfterMs(headers: Pick<Headers, "get">, now: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && isNumber(exact)) return Number(exact);
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (isNumber(value)) return Math.round(Number(value) * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function isNumber(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text);
}
