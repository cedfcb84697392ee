import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spliced } from "../../src/gateway/splice.ts";
import { runs } from "../property/runs.ts";
import { oddly } from "./oddly.ts";

describe("the text of an edited value", () => {
  const json = fc.jsonValue({ maxDepth: 4 });

  it("is the text itself where nothing was edited", () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, seed) => {
        const text = ` ${oddly(value, seed)}\n`;
        const given: unknown = JSON.parse(text);
        expect(spliced(text, given, given)).toBe(text);
        const copy = structuredClone(given);
        expect(JSON.parse(spliced(text, given, copy))).toEqual(given);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });

  it("says what was edited, whatever that is", () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), fc.nat(), (before, after, seed) => {
        const text = oddly(JSON.parse(JSON.stringify(before)), seed);
        const given = JSON.parse(text) as object;
        const edited = { ...given, ...(JSON.parse(JSON.stringify(after)) as object) };
        expect(JSON.parse(spliced(text, given, edited))).toEqual(edited);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });

  it("keeps the bytes of all messages that were not edited", () => {
    const messages = ['{"n":1.0,"a":"\\u00e9"}', '{ "big":12345678901234567890 }', '{"c" : "c"}'];
    const text = `{"model":"m", "messages":[ ${messages.join(" , ")} ],"z":1e2}`;
    const given = JSON.parse(text) as { messages: object[] };
    const [first, second, third] = given.messages;
    const inPlace = { ...given, messages: [first, { ...second, big: 1 }, third] };
    expect(spliced(text, given, inPlace)).toBe(text.replace("12345678901234567890", "1"));
    const shorter = { ...given, messages: [{ summary: "s" }, third], system: undefined, more: [1] };
    expect(spliced(text, given, shorter)).toBe(
      `{"model":"m", "messages":[{"summary":"s"},${messages[2]}],"z":1e2,"more":[1]}`,
    );
  });

  it("reads twice named fields, deep lists and strings full of brackets", () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const text = `{"a":1,"a":{"x":"}\\\\\\"]"},"deep":${deep},"b":true}`;
    const given = JSON.parse(text) as Record<string, unknown>;
    const edited = { ...given, b: false };
    const result = spliced(text, given, edited);
    expect(JSON.parse(result)).toMatchObject({ a: { x: '}\\"]' }, b: false });
    expect(result.includes(deep)).toBe(true);
  });
});
