import type { Message } from "../core/message/index.ts";
import { createContext } from "./create-context.ts";
import type { ContextOptions } from "./options.ts";
import type { Prepared } from "./prepared.ts";

/**
 * Compacts a conversation once, whether it overflows or not: the head becomes a summary, the tail
 * stays verbatim, and every original goes to `options.archive`. For an agent that runs on, keep a
 * {@link createContext} instead, which acts only when there is need and remembers what it did.
 * Rejects with `ContextError` code `irreducible` when what may not be removed does not fit.
 */
export function compact(
  messages: readonly Message[],
  options: ContextOptions = {},
): Promise<Prepared> {
  return createContext(options).prepare(messages, { force: true });
}
