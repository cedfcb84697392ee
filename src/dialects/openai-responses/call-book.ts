import type { WireObject } from "../wire.ts";

/** A call that was seen. */
interface SeenCall {
  readonly callId: string;
  /** Absent on a call that is opaque. */
  readonly toolName?: string;
  /** Whether the provider carries it out and makes its output. */
  readonly isHosted: boolean;
}

/** The calls of a conversation so far, for the outputs that answer them. */
export interface CallBook {
  open(native: WireObject, call: SeenCall): void;
  /** The nearest call before with this id; of the local shell also by the id of its item. */
  find(callId: string): SeenCall | undefined;
  /** Notes a reference to a stored item that may be a call. */
  refer(): void;
  /** Whether a stored item that was referred to may be the call of an output; takes it. */
  takeReference(): boolean;
}

export function createCallBook(): CallBook {
  const calls = new Map<string, SeenCall>();
  let references = 0;
  return {
    open(native, call) {
      calls.set(call.callId, call);
      if (native["type"] === "local_shell_call" && typeof native["id"] === "string") {
        calls.set(native["id"], call);
      }
    },
    find: (callId) => calls.get(callId),
    refer() {
      references += 1;
    },
    takeReference() {
      if (references === 0) return false;
      references -= 1;
      return true;
    },
  };
}
