import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSameValue, keepObjects } from "../../src/hooks/follow-natives.ts";

const json = fc.jsonValue();

test("a value is the same after a round through JSON, and only then", () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const again: unknown = JSON.parse(JSON.stringify(one));
      expect(isSameValue(again, JSON.parse(JSON.stringify(one)))).toBe(true);
      if (isSameValue(one, other)) expect(other).toEqual(one);
    }),
  );
});

test("the order of fields says nothing, a field more does", () => {
  expect(isSameValue({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isSameValue({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(isSameValue({ a: undefined }, { b: undefined })).toBe(false);
  expect(isSameValue([1], { 0: 1 })).toBe(false);
  expect(isSameValue(null, {})).toBe(false);
});

test("addresses and bytes are told apart by what they are", () => {
  const at = (path: string) => ({ type: "image", image: new URL(path, "https://local") });
  expect(isSameValue(at("/a.png"), at("/a.png"))).toBe(true);
  expect(isSameValue(at("/a.png"), at("/b.png"))).toBe(false);
  expect(isSameValue(new URL("https://local"), {})).toBe(false);
  expect(isSameValue(Uint8Array.of(1, 2), Buffer.from([1, 2]))).toBe(true);
  expect(isSameValue(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
  expect(isSameValue(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false);
  expect(isSameValue(Uint8Array.of(1), { 0: 1 })).toBe(false);
});

test("known objects stand where they say the same", () => {
  const before = [{ a: 1 }, { a: 2 }];
  const kept = keepObjects([{ a: 1 }, { a: 3 }, { a: 2 }], before);
  expect(kept).toEqual([{ a: 1 }, { a: 3 }, { a: 2 }]);
  expect(kept[0]).toBe(before[0]);
  expect(kept[2]).not.toBe(before[1]);
});
