import type { Message, Usage } from "../core/message/index.ts";
import type { Decoder } from "../dialects/dialect.ts";

/** Turns a growing list of native messages into neutral ones; each native message once. */
export interface NativeFollower<Native> {
  /**
   * The list, decoded. `usage` is what the provider reported for the request that the newest answer
   * of the assistant came from.
   */
  decode(list: readonly Native[], usage?: Usage): readonly Message[];
}

/** How many messages at the end are compared with what is known, and how many of the rest a call. */
const CHECKED_END = 64;
const CHECKED_REST = 64;

/**
 * Follows one list from call to call: what was decoded stays, as long as the list still begins with
 * the very same objects. That is seen by its end and by a slice of the rest that moves on with every
 * call; a list that begins otherwise is decoded anew. Throws what the decoder throws.
 */
export function followNatives<Native>(
  createDecoder: () => Decoder<Native>,
): NativeFollower<Native> {
  let decode = createDecoder();
  let known: Native[] = [];
  let messages: Message[] = [];
  let cursor = 0;

  const isKnown = (list: readonly Native[]): boolean => {
    const { length } = known;
    if (list.length < length || list[0] !== known[0]) return false;
    for (let at = Math.max(0, length - CHECKED_END); at < length; at++) {
      if (list[at] !== known[at]) return false;
    }
    cursor = cursor >= length ? 0 : cursor;
    const end = Math.min(length, cursor + CHECKED_REST);
    for (; cursor < end; cursor++) if (list[cursor] !== known[cursor]) return false;
    return true;
  };

  return {
    decode(list, usage) {
      if (!isKnown(list)) {
        decode = createDecoder();
        known = [];
        messages = [];
      }
      const fresh: Message[] = [];
      for (const native of list.slice(known.length)) fresh.push(...decode(native));
      // Only when all of it could be decoded is it known.
      known.push(...list.slice(known.length));
      messages.push(...withUsage(fresh, usage));
      return [...messages, ...(decode.open?.() ?? [])];
    },
  };
}

/** What was reported belongs to the newest answer, and only if it has just come. */
function withUsage(fresh: readonly Message[], usage: Usage | undefined): readonly Message[] {
  if (usage === undefined) return fresh;
  const newest = fresh.findLastIndex(({ role }) => role === "assistant");
  return fresh.map((message, index) => (index === newest ? { ...message, usage } : message));
}
