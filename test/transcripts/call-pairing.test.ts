import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCallPairing } from "../../src/transcripts/call-pairing.ts";

const IDS = fc.constantFrom(undefined, "", "a", "b", "REDACTED", "REDACTED-2");

describe("call pairing", () => {
  it("keeps ids that are used once, and tells the others apart", () => {
    const calls = createCallPairing();
    const ids = ["a", "b", "a", "", undefined].map((id) => calls.open(id, "t", {}).toolCallId);
    expect(ids).toEqual(["a", "b", "a-2", "call", "call-2"]);
  });

  it("prefers the newest step for an id that was used before", () => {
    const calls = createCallPairing();
    calls.startStep();
    const stale = calls.open("a", "read", {});
    calls.startStep();
    const first = calls.open("a", "read", {});
    const second = calls.open("a", "bash", {});
    expect(calls.close("a")).toBe(first);
    expect(calls.close("a")).toBe(second);
    expect(calls.close("a")).toBe(stale);
    expect(calls.close("a")).toBeUndefined();
  });

  it("never gives an id twice nor closes a call twice", () => {
    const steps = fc.array(
      fc.record({ id: IDS, action: fc.constantFrom("open", "close", "step") }),
    );
    fc.assert(
      fc.property(steps, (actions) => {
        const calls = createCallPairing();
        const opened: string[] = [];
        const closed: string[] = [];
        for (const { id, action } of actions) {
          if (action === "step") calls.startStep();
          else if (action === "open") opened.push(calls.open(id, "t", {}).toolCallId);
          else closed.push(...[calls.close(id)].flatMap((call) => call?.toolCallId ?? []));
        }
        expect(new Set(opened).size).toBe(opened.length);
        expect(new Set(closed).size).toBe(closed.length);
        expect(closed.every((id) => opened.includes(id))).toBe(true);
      }),
    );
  });
});
