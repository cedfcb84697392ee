import { isSealedSummary, startsTurn } from "../message/structure.ts";
import { newestUserMessage } from "./tail.ts";
import type { Message } from "../message/index.ts";
import type { MessageMeter } from "../tokens/index.ts";

/** Share of usable that rules from the head may take beside the summary. */
const MAX_RULES_SHARE = 0.1;
/** Share of usable that a summary which only its provider can read may take. */
const MAX_SEALED_SHARE = 0.25;

export interface PinOptions {
  readonly meter: MessageMeter;
  readonly usable: number;
  /** The head is `[from, to)`. */
  readonly from: number;
  readonly to: number;
}

/**
 * The messages of the head that stay verbatim, in order: the newest one that the person typed, if
 * the head holds it; the newest summary that only its provider can read, if it fits into a quarter
 * of usable; and the rules that a summary would water down (system messages in the middle of the
 * list, and what a program put before the first turn, such as AGENTS.md), as far as they fit into
 * a tenth.
 */
export function pinnedMessages(messages: readonly Message[], options: PinOptions): number[] {
  const { from, to, meter, usable } = options;
  const pinned: number[] = [];
  let room = Math.floor(usable * MAX_RULES_SHARE);
  const newest = newestUserMessage(messages);
  const sealed = messages.findLastIndex(isSealedSummary);
  const firstTurn = messages.findIndex(startsTurn);
  for (let index = from; index < to; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (index === newest) pinned.push(index);
    else if (index === sealed) {
      if (meter.tokens(message) <= usable * MAX_SEALED_SHARE) pinned.push(index);
    } else if (isRule(message, index < firstTurn) && meter.tokens(message) <= room) {
      room -= meter.tokens(message);
      pinned.push(index);
    }
  }
  return pinned;
}

function isRule(message: Message, isPreamble: boolean): boolean {
  if (message.kind === "summary") return false;
  return message.role === "system" || (isPreamble && message.kind === "injected");
}
