import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPayments, reconcile } from "../src/payments.js";

const HEADER = "order_id,paid_at,amount,method";

describe("readPayments", () => {
  it("reads amounts and methods", () => {
    const { payments } = readPayments(`${HEADER}\nA-1,2026-03-01T10:00:00Z,12.50,card\n`);
    assert.deepEqual(payments, [
      { orderId: "A-1", paidAt: "2026-03-01T10:00:00Z", amount: 12.5, method: "card" },
    ]);
  });

  it("reports rows without a time", () => {
    const { payments, problems } = readPayments(`${HEADER}\nA-1,soon,12.50,card\n`);
    assert.equal(payments.length, 0);
    assert.equal(problems[0].line, 2);
  });
});

describe("reconcile", () => {
  const pay = (orderId, amount) => ({
    orderId,
    amount,
    paidAt: "2026-03-01T10:00:00Z",
    method: "card",
  });

  it("finds nothing when all is well", () => {
    assert.deepEqual(reconcile([{ orderId: "A-1", total: 12.5 }], [pay("A-1", 12.5)]), []);
  });

  it("adds part payments", () => {
    const payments = [pay("A-1", 0.1), pay("A-1", 0.2)];
    assert.deepEqual(reconcile([{ orderId: "A-1", total: 0.3 }], payments), []);
  });

  it("finds wrong amounts", () => {
    const [difference] = reconcile([{ orderId: "A-1", total: 12.5 }], [pay("A-1", 12.51)]);
    assert.equal(difference.kind, "amount");
    assert.equal(difference.difference, 0.01);
  });

  it("finds orders without a payment", () => {
    const [difference] = reconcile([{ orderId: "A-1", total: 12.5 }], []);
    assert.equal(difference.kind, "missing");
  });

  it("finds payments without an order", () => {
    const [difference] = reconcile([], [pay("A-9", 5)]);
    assert.equal(difference.kind, "unknown-order");
    assert.equal(difference.difference, 5);
  });
});
