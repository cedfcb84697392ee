import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lineTax, taxRate, taxedCountries } from "../src/tax.js";

describe("taxRate", () => {
  it("knows the standard rates", () => {
    assert.equal(taxRate("FR", "standard"), 20);
    assert.equal(taxRate("DE", "standard"), 19);
    assert.equal(taxRate("IT", "standard"), 22);
  });

  it("knows the reduced rates", () => {
    assert.equal(taxRate("FR", "reduced"), 5.5);
    assert.equal(taxRate("BE", "reduced"), 6);
  });

  it("charges no tax on exports", () => {
    assert.equal(taxRate("CH", "standard"), 0);
  });

  it("refuses an unknown class", () => {
    assert.throws(() => taxRate("FR", "luxury"), RangeError);
  });
});

describe("lineTax", () => {
  it("applies the rate to the net amount", () => {
    assert.equal(lineTax(50, "AT", "reduced"), 5);
  });
});

describe("taxedCountries", () => {
  it("lists them in order", () => {
    assert.deepEqual(taxedCountries(), ["AT", "BE", "DE", "FR", "IT"]);
  });
});
