import { expect, it } from "vitest";
import { toJson } from "../../../src/core/text/json.ts";

/** An object in an object, so many levels deep, around an innermost value. */
function nested(levels: number, innermost: unknown): Record<string, unknown> {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return { root: value };
}

it.each([1, 50, 100_000])("writes what is %i levels deep as JSON does", (levels) => {
  const shared = { x: 1 };
  const text = toJson(nested(levels, { b: 1, twice: [shared, shared], gone: undefined }));
  expect(text).toContain('{"b":1,"twice":[{"x":1},{"x":1}]}');
  expect(text.length).toBe(toJson(nested(0, 0)).length - 1 + deepLength(levels));
});

function deepLength(levels: number): number {
  const inner = '{"b":1,"twice":[{"x":1},{"x":1}]}'.length;
  return inner + Math.ceil(levels / 2) * 2 + Math.floor(levels / 2) * '{"a":}'.length;
}

it.each([1, 50, 100_000])(
  "ends with a sentence for a cycle of %i levels, or a bigint",
  (levels) => {
    const cyclic: Record<string, unknown> = {};
    cyclic["again"] = nested(levels, cyclic);
    for (const value of [cyclic, nested(levels, 1n)]) {
      expect(() => toJson(value)).toThrow(
        expect.objectContaining({
          code: "invalid-message",
          message: expect.stringContaining("cannot be written as JSON"),
        }),
      );
    }
  },
);
