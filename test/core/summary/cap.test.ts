import { expect, it } from "vitest";
import { summaryCap } from "../../../src/core/summary/index.ts";

it.each([
  [0, 800],
  [4_000, 800],
  [6_667, 800],
  [10_000, 1_200],
  [10_009, 1_201],
  [100_000, 12_000],
  [1_000_000, 12_000],
])("of %d usable tokens is %d tokens", (usable, cap) => {
  expect(summaryCap(usable)).toBe(cap);
});
