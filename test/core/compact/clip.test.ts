import { describe, expect, it } from "vitest";
import { clipToFit, type ClipContext } from "../../../src/core/compact/index.ts";
import { call, calling, digest, quarter, result, results, words } from "../../build-messages.ts";

const context: ClipContext = {
  counter: quarter,
  digest,
  now: 1_700_000_000_000,
  canRecall: true,
  level: "inputs",
  floor: 50,
  protectedIds: new Set(),
};

describe("T8: clipping", () => {
  it("takes outputs first, then inputs, but none of a call that may yet run", () => {
    const input = { path: "a.ts", content: words(1_000) };
    const messages = [
      calling({ ...call("a", "write", input), pending: true }, call("b", "write", input)),
      results(result("b", "write", words(1_000))),
    ];
    const edits = clipToFit(messages, [0, 1], 10_000, context);
    expect(edits.map(({ type, message, part }) => [type, message, part])).toEqual([
      ["replace-output", 1, 0],
      ["replace-input", 0, 1],
    ]);
  });
});
