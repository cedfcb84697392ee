import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it, vi } from "vitest";
import { guardedCounter } from "../../../src/core/tokens/index.ts";
import { TEXTS } from "./texts.ts";

const disallowedSpecial = new Set<string>();
const encode = (text: string): number => countTokens(text, { disallowedSpecial });
const counter = guardedCounter("o200k_base", encode);

describe("guardedCounter", () => {
  it("carries its name and counts nothing as 0", () => {
    expect(counter.name).toBe("o200k_base");
    expect(counter.count("")).toBe(0);
    expect(counter.count("<|endoftext|>")).toBeGreaterThan(1);
  });

  it("changes no count where there are boundaries", () => {
    const text = Object.entries(TEXTS)
      .filter(([kind]) => ["english", "typescript", "log", "json", "minified"].includes(kind))
      .map(([, text]) => text)
      .join("\n")
      .repeat(40);
    expect(text.length).toBeGreaterThan(150_000);
    expect(counter.count(text)).toBe(encode(text));
  });

  it.each(["a", "=", " ", "\n", "xy", "哈", "😀"])(
    "agrees within a thousandth on a run of %j",
    (unit) => {
      const text = unit.repeat(8_192);
      const truth = encode(text);
      expect(Math.abs(counter.count(text) - truth)).toBeLessThanOrEqual(Math.ceil(truth * 0.001));
    },
  );

  it("never hands over a long run, splits no pair and loses nothing", () => {
    const runs = fc.tuple(
      fc.constantFrom("a", " ", "=", "é", "哈", "😀", "a1", "\ud83d"),
      fc.nat(3_000),
    );
    fc.assert(
      fc.property(fc.array(runs, { maxLength: 6 }), (all) => {
        const text = all.map(([unit, count]) => unit.repeat(count)).join("");
        const slices: string[] = [];
        guardedCounter("spy", (slice) => slices.push(slice)).count(text);
        expect(slices.join("")).toBe(text);
        let at = 0;
        for (const slice of slices.slice(0, -1)) {
          expect(slice).not.toBe("");
          at += slice.length;
          // No slice ends between the two halves of a pair.
          expect(text.codePointAt(at - 1)).toBeLessThanOrEqual(0xffff);
        }
      }),
    );
  });

  it("finishes on a megabyte without any boundary", () => {
    const spy = vi.fn<(text: string) => number>((text) => text.length);
    expect(guardedCounter("spy", spy).count("a".repeat(1_000_000))).toBe(1_000_000);
    expect(Math.max(...spy.mock.calls.map(([text]) => text.length))).toBeLessThanOrEqual(1_024);
    expect(counter.count("a".repeat(1_000_000))).toBeGreaterThan(100_000);
  });
});
