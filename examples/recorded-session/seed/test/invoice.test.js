import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildInvoice, buildInvoices } from "../src/invoice.js";

function makeOrder(id, lines, country = "FR") {
  return {
    id,
    orderedAt: "2026-03-05T10:00:00Z",
    customer: "Ada Stone",
    address: "1 High St",
    country,
    lines: lines.map((line) => ({
      sku: "S1",
      title: "Mug",
      quantity: 1,
      unitPrice: 10,
      discount: 0,
      taxClass: "standard",
      ...line,
    })),
  };
}

describe("buildInvoice", () => {
  it("adds the lines up", () => {
    const invoice = buildInvoice(makeOrder("A-1", [{ quantity: 2 }, { unitPrice: 5 }]));
    assert.equal(invoice.net, 25);
    assert.equal(invoice.tax, 5);
    assert.equal(invoice.total, 30);
  });

  it("uses the rate of each line", () => {
    const invoice = buildInvoice(
      makeOrder("A-1", [{}, { taxClass: "reduced" }, { taxClass: "zero" }]),
    );
    assert.deepEqual(
      invoice.lines.map((line) => line.rate),
      [20, 5.5, 0],
    );
  });

  it("charges no tax on exports", () => {
    assert.equal(buildInvoice(makeOrder("A-1", [{}], "CH")).tax, 0);
  });

  it("carries the day of the order", () => {
    assert.equal(buildInvoice(makeOrder("A-1", [{}])).date, "2026-03-05");
  });
});

describe("buildInvoices", () => {
  it("sorts by order number and leaves its input alone", () => {
    const orders = [makeOrder("A-2", [{}]), makeOrder("A-1", [{}])];
    assert.deepEqual(
      buildInvoices(orders).map((invoice) => invoice.orderId),
      ["A-1", "A-2"],
    );
    assert.equal(orders[0].id, "A-2");
  });
});
