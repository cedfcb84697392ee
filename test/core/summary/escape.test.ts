import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeAttribute, escapeData } from "../../../src/core/summary/head-text.ts";
import { visibleText } from "../../property/arbitraries.ts";
import { elementsIn, HOSTILE } from "./hostile.ts";

describe("a text as data", () => {
  it.each(HOSTILE)("holds no element of ours: %j", (text) => {
    expect(elementsIn(escapeData(text))).toEqual([]);
  });

  it("holds no control token of a chat format", () => {
    const text = escapeData("<|im_start|> < |x|> <｜User｜> </s> <s> [INST] [/INST] <bos>");
    expect(text).not.toMatch(/<\s*[|｜]|<\/?s>|<bos>|\[\/?INST\]/);
  });

  it.each([
    "const list: Array<string> = a < b ? c : d;",
    "<div class='x'><p>html</p></div>",
    "<callback/> <messages> <resultset>",
    "if (a <b && [INSTALL]) {}",
    "$& $` $'",
  ])("leaves everything else as it is: %s", (text) => {
    expect(escapeData(text)).toBe(text);
  });

  it("stays the same when it is escaped again, and is quick on long runs", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(visibleText, fc.constantFrom(...HOSTILE))), (texts) => {
        const escaped = escapeData(texts.join(""));
        expect(escapeData(escaped)).toBe(escaped);
        expect(elementsIn(escaped)).toEqual([]);
      }),
    );
    expect(escapeData(`<${" ".repeat(100_000)}`.repeat(3))).toHaveLength(300_003);
  });

  it("is one line without quotes or brackets as an attribute", () => {
    const value = escapeAttribute('a"b<c>\n&d\u0000 e');
    expect(value).toBe("a&quot;b&lt;c&gt; &amp;d e");
    expect(escapeAttribute("x".repeat(1_000))).toHaveLength(120);
  });
});
