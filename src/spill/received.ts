import type { Ends } from "./keep-ends.ts";
import type { Received } from "./output.ts";

/** What is left of a stream of which only the ends are in memory. */
export function receivedOf(ends: Ends): Received {
  const lines = ends.newlines() + (ends.endsLine() ? 0 : 1);
  const bytes = ends.bytes();
  const whole = ends.whole();
  if (whole !== undefined) return { bytes, lines, whole };
  return { bytes, lines, head: ends.head(), tail: ends.tail() };
}
