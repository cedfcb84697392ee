import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderCsv } from "../../src/report/csv.js";
import { renderHtml } from "../../src/report/html.js";
import { renderText } from "../../src/report/text.js";

const REPORT = {
  month: "2026-03",
  invoices: 2,
  net: 30,
  tax: 5.5,
  total: 35.5,
  byRate: [{ name: "20 %", count: 2, net: 30, tax: 5.5, total: 35.5 }],
  byCountry: [{ name: "<FR> & co", count: 2, net: 30, tax: 5.5, total: 35.5 }],
  bestSellers: [{ title: "Mug, white", quantity: 3, net: 30 }],
};

describe("renderText", () => {
  it("lines the amounts up", () => {
    const lines = renderText(REPORT).split("\n");
    const amounts = lines.filter((line) => /^(Net|Tax|Total) /.test(line));
    assert.deepEqual(new Set(amounts.map((line) => line.length)), new Set([21]));
  });

  it("numbers the best sellers", () => {
    assert.match(renderText(REPORT), /^ 1\. Mug, white +3$/m);
  });
});

describe("renderCsv", () => {
  it("has one row per group", () => {
    assert.equal(renderCsv(REPORT).trim().split("\n").length, 3);
  });
});

describe("renderHtml", () => {
  it("is a whole page", () => {
    const html = renderHtml(REPORT);
    assert.ok(html.startsWith("<!doctype html>\n"));
    assert.ok(html.endsWith("</html>\n"));
  });

  it("escapes names", () => {
    const html = renderHtml(REPORT);
    assert.match(html, /<td>&lt;FR&gt; &amp; co<\/td>/);
    assert.doesNotMatch(html, /<FR>/);
  });
});
