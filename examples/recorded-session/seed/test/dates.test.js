import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dayOf, daysBetween, isIsoTime, monthOf, previousMonth } from "../src/dates.js";

describe("isIsoTime", () => {
  it("takes times in UTC", () => {
    assert.equal(isIsoTime("2026-03-31T23:59:59Z"), true);
    assert.equal(isIsoTime("2026-03-31T23:59Z"), true);
  });

  it("refuses other texts", () => {
    assert.equal(isIsoTime("2026-03-31"), false);
    assert.equal(isIsoTime("2026-13-01T00:00:00Z"), false);
    assert.equal(isIsoTime("2026-03-31T23:59:59+01:00"), false);
  });
});

describe("monthOf and dayOf", () => {
  it("cut the text", () => {
    assert.equal(monthOf("2026-03-31T23:59:59Z"), "2026-03");
    assert.equal(dayOf("2026-03-31T23:59:59Z"), "2026-03-31");
  });

  it("refuse what is not a time", () => {
    assert.throws(() => monthOf("yesterday"), RangeError);
  });
});

describe("previousMonth", () => {
  it("goes back inside a year", () => {
    assert.equal(previousMonth("2026-03"), "2026-02");
  });

  it("goes back over the new year", () => {
    assert.equal(previousMonth("2026-01"), "2025-12");
  });
});

describe("daysBetween", () => {
  it("counts whole days", () => {
    assert.equal(daysBetween("2026-03-01T12:00:00Z", "2026-03-03T11:00:00Z"), 1);
  });
});
