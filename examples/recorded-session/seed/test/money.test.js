import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatMoney, lineNet, parseMoney, percentOf, sumMoney } from "../src/money.js";

describe("lineNet", () => {
  it("multiplies quantity and price", () => {
    assert.equal(lineNet(3, 4.5, 0), 13.5);
  });

  it("takes the discount off", () => {
    assert.equal(lineNet(2, 10, 25), 15);
  });

  it("gives nothing for a discount of 100 percent", () => {
    assert.equal(lineNet(2, 10, 100), 0);
  });

  it("takes a negative quantity as a refund", () => {
    assert.equal(lineNet(-1, 9.99, 0), -9.99);
  });
});

describe("percentOf", () => {
  it("takes a whole rate", () => {
    assert.equal(percentOf(100, 20), 20);
  });

  it("takes a rate with a decimal", () => {
    assert.equal(percentOf(200, 5.5), 11);
  });

  it("rounds to cents", () => {
    assert.equal(percentOf(9.99, 19), 1.9);
  });
});

describe("sumMoney", () => {
  it("adds without a float tail", () => {
    assert.equal(sumMoney([0.1, 0.2]), 0.3);
  });

  it("gives zero for nothing", () => {
    assert.equal(sumMoney([]), 0);
  });
});

describe("formatMoney", () => {
  it("prints two decimals", () => {
    assert.equal(formatMoney(3), "3.00");
  });

  it("prints the sign in front", () => {
    assert.equal(formatMoney(-3.5), "-3.50");
  });
});

describe("parseMoney", () => {
  it("reads amounts", () => {
    assert.equal(parseMoney(" 12.50 "), 12.5);
  });

  it("refuses other text", () => {
    assert.throws(() => parseMoney("12,50"), RangeError);
    assert.throws(() => parseMoney("1.234"), RangeError);
    assert.throws(() => parseMoney(""), RangeError);
  });
});
