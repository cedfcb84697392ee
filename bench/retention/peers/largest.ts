import type { Message } from "../../../src/core/message/index.ts";
import type { Kept } from "../../../src/simulate/index.ts";
import { tokensOf } from "../segments.ts";

/** The largest setting whose result fits, found by halving; `undefined` where even the least does not. */
export async function largest(
  most: number,
  tokens: number,
  make: (setting: number) => Promise<readonly Message[] | undefined>,
): Promise<Kept | undefined> {
  let best: readonly Message[] | undefined;
  let low = 1;
  let high = most;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const messages = await make(middle);
    if (messages !== undefined && tokensOf(messages) <= tokens) {
      best = messages;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best && { messages: best };
}
