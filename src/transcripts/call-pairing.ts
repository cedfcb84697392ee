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
}

interface OpenCall {
  readonly call: ToolCallPart;
  readonly step: number;
  isOpen: boolean;
}

export function createCallPairing(): CallPairing {
  const byId = new Map<string, OpenCall[]>();
  const fresh = createFreshIds();
  let ofThisStep: OpenCall[] = [];
  let step = 0;

  return {
    startStep() {
      step += 1;
      ofThisStep = [];
    },
    open(recordedId, toolName, input) {
      const id = recordedId ?? "";
      const toolCallId = fresh(id === "" ? "call" : id);
      const call: ToolCallPart = { type: "tool-call", toolCallId, toolName, input };
      const open: OpenCall = { call, step, isOpen: true };
      ofThisStep.push(open);
      const same = byId.get(id);
      if (same !== undefined) same.push(open);
      else if (id !== "") byId.set(id, [open]);
      return call;
    },
    close(recordedId, toolName) {
      const id = recordedId ?? "";
      const found =
        id === ""
          ? ofThisStep.find((open) => open.isOpen && fits(open.call, toolName))
          : firstOfNewestStep(byId.get(id) ?? []);
      if (found !== undefined) found.isOpen = false;
      return found?.call;
    },
  };
}

/** Of calls with the same id, the first open one in the newest step that has one. */
function firstOfNewestStep(calls: OpenCall[]): OpenCall | undefined {
  while (calls.at(-1)?.isOpen === false) calls.pop();
  let found = calls.at(-1);
  const step = found?.step;
  for (let index = calls.length - 1; calls[index]?.step === step && index >= 0; index -= 1) {
    if (calls[index]?.isOpen === true) found = calls[index];
  }
  return found;
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
