import type { ToolCallPart } from "../core/message/index.ts";

/**
 * Gives every tool call of a conversation an id of its own, and finds the call that a result
 * answers. Recorded ids may be missing, repeated, or blanked to one word by whoever published the
 * file, so position decides where an id says nothing.
 */
export interface CallPairing {
  /** Calls opened from here on belong to a new assistant message. */
  startStep(): void;
  /** The call under an id that no other call has: the recorded one if possible. */
  open(recordedId: string | undefined, toolName: string, input: unknown): ToolCallPart;
  /** The open call that a result belongs to, which is closed now; `undefined` if there is none. */
  close(recordedId: string | undefined, toolName?: string): ToolCallPart | undefined;
  /** How many different ids the file has. */
  recordedIds(): number;
}

interface OpenCall {
  readonly call: ToolCallPart;
  readonly step: number;
}

export function createCallPairing(): CallPairing {
  const openCalls = new Map<string, OpenCall[]>();
  const recorded = new Set<string>();
  const fresh = createFreshIds();
  let step = 0;

  const take = (key: string, wanted: (open: OpenCall) => boolean): ToolCallPart | undefined => {
    const calls = openCalls.get(key) ?? [];
    const index = calls.findIndex(wanted);
    if (index === -1) return undefined;
    const [found] = calls.splice(index, 1);
    if (calls.length === 0) openCalls.delete(key);
    return found?.call;
  };
  /** The first open call of this step that the tool's name allows: for results without an id. */
  const byPosition = (toolName: string | undefined): ToolCallPart | undefined => {
    for (const key of openCalls.keys()) {
      const call = take(key, (open) => open.step === step && fits(open.call, toolName));
      if (call !== undefined) return call;
    }
    return undefined;
  };

  return {
    startStep() {
      step += 1;
    },
    open(recordedId, toolName, input) {
      const id = recordedId ?? "";
      recorded.add(id);
      const call: ToolCallPart = {
        type: "tool-call",
        toolCallId: fresh(id === "" ? "call" : id),
        toolName,
        input,
      };
      const same = openCalls.get(id);
      if (same === undefined) openCalls.set(id, [{ call, step }]);
      else same.push({ call, step });
      return call;
    },
    close(recordedId, toolName) {
      const id = recordedId ?? "";
      if (id === "") return byPosition(toolName);
      const newest = openCalls.get(id)?.at(-1)?.step;
      return take(id, (open) => open.step === newest);
    },
    recordedIds: () => recorded.size,
  };
}

function fits(call: ToolCallPart, toolName: string | undefined): boolean {
  return toolName === undefined || call.toolName === toolName;
}

/** Ids that are all different: the wanted one, else the wanted one with a number. */
function createFreshIds(): (wanted: string) => string {
  const used = new Set<string>();
  const next = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    while (used.has(id)) {
      const number = next.get(wanted) ?? 2;
      next.set(wanted, number + 1);
      id = `${wanted}-${number}`;
    }
    used.add(id);
    return id;
  };
}
