import { beginsWith } from "../hooks/follow-natives.ts";
import type { OpenedRequest } from "./protocols.ts";
import type { Group } from "./groups.ts";
import type { WireObject } from "../dialects/wire.ts";

interface Sent {
  readonly given: readonly unknown[];
  readonly sent: readonly unknown[];
  /** Planned until then. */
  readonly edits: number;
}

/** Holds each request against the last one of its conversation: the same beginning goes out again. */
export function createPrefixCheck(onViolation: (conversation: string) => void) {
  const last = new WeakMap<object, Sent>();
  return (
    { context, given }: Pick<OpenedRequest, "context" | "given">,
    { id, protocol }: Pick<Group, "id" | "protocol">,
    params: WireObject,
  ): void => {
    const before = last.get(context);
    const now: Sent = {
      given: protocol.messagesOf(given) ?? [],
      sent: protocol.messagesOf(params) ?? [],
      edits: context.journal().length,
    };
    last.set(context, now);
    if (before === undefined || before.edits !== now.edits) return;
    if (beginsWith(now.given, before.given) && !beginsWith(now.sent, before.sent)) onViolation(id);
  };
}
