import { saysTheSame } from "../hooks/follow-natives.ts";
import type { DoorRequest } from "./doors.ts";
import type { Group } from "./groups.ts";
import type { WireObject } from "../dialects/wire.ts";

/** Holds each conversation against its last request: what went out before goes out the same again. */
export interface PrefixCheck {
  check(
    request: Pick<DoorRequest, "context" | "given">,
    group: Pick<Group, "id" | "door">,
    sent: WireObject,
  ): void;
}

interface Sent {
  readonly given: readonly unknown[];
  readonly sent: readonly unknown[];
  /** How many edits were planned until then. */
  readonly edits: number;
}

export function createPrefixCheck(onViolation: (conversation: string) => void): PrefixCheck {
  const last = new WeakMap<object, Sent>();
  return {
    check({ context, given }, { id, door }, params) {
      const before = last.get(context);
      const now: Sent = {
        given: door.messagesOf(given) ?? [],
        sent: door.messagesOf(params) ?? [],
        edits: context.journal().length,
      };
      last.set(context, now);
      if (before === undefined || before.edits !== now.edits) return;
      if (beginsWith(now.given, before.given) && !beginsWith(now.sent, before.sent))
        onViolation(id);
    },
  };
}

/** Whether a list goes on from one before, whatever marks their messages carry. */
export function beginsWith(list: readonly unknown[], start: readonly unknown[]): boolean {
  return start.length <= list.length && start.every((one, at) => saysTheSame(one, list[at]));
}
