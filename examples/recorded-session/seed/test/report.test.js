import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { monthlyReport, renderReport } from "../src/report.js";

function makeOrder(id, orderedAt, country, lines) {
  return {
    id,
    orderedAt,
    customer: "Ada Stone",
    address: "1 High St",
    country,
    lines: lines.map(([sku, title, quantity, unitPrice, taxClass]) => ({
      sku,
      title,
      quantity,
      unitPrice,
      discount: 0,
      taxClass,
    })),
  };
}

const ORDERS = [
  makeOrder("A-1", "2026-03-01T10:00:00Z", "FR", [
    ["S1", "Mug", 2, 10, "standard"],
    ["S2", "Tea <green>", 1, 4, "reduced"],
  ]),
  makeOrder("A-2", "2026-03-31T23:59:59Z", "DE", [["S1", "Mug", 1, 10, "standard"]]),
  makeOrder("A-3", "2026-04-01T00:00:00Z", "DE", [["S1", "Mug", 9, 10, "standard"]]),
];

describe("monthlyReport", () => {
  const report = monthlyReport(ORDERS, "2026-03");

  it("takes the orders of the month only", () => {
    assert.equal(report.invoices, 2);
  });

  it("adds everything up", () => {
    assert.equal(report.net, 34);
    assert.equal(report.tax, 6.12);
    assert.equal(report.total, 40.12);
  });

  it("groups by rate and by country", () => {
    assert.deepEqual(
      report.byRate.map((group) => [group.name, group.net]),
      [
        ["19 %", 10],
        ["20 %", 20],
        ["5.5 %", 4],
      ],
    );
    assert.deepEqual(
      report.byCountry.map((group) => [group.name, group.count]),
      [
        ["DE", 1],
        ["FR", 2],
      ],
    );
  });

  it("finds the best sellers", () => {
    assert.deepEqual(report.bestSellers[0], { title: "Mug", quantity: 3, net: 30 });
  });
});

describe("renderReport", () => {
  const report = monthlyReport(ORDERS, "2026-03");

  it("prints text", () => {
    const text = renderReport(report);
    assert.match(text, /^Report for 2026-03\n/);
    assert.match(text, /Total {10,}40\.12\n/);
  });

  it("prints CSV", () => {
    const [header, first] = renderReport(report, "csv").split("\n");
    assert.equal(header, "group,name,lines,net,tax,total");
    assert.equal(first, "rate,19 %,1,10.00,1.90,11.90");
  });

  it("prints HTML", () => {
    const html = renderReport(report, "html");
    assert.match(html, /<h1>Report for 2026-03<\/h1>/);
    assert.match(html, /<td>19 %<\/td>/);
  });

  it("refuses an unknown format", () => {
    assert.throws(() => renderReport(report, "pdf"), RangeError);
  });
});
