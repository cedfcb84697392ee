import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCsv, splitLine, writeCsv } from "../src/csv.js";

describe("splitLine", () => {
  it("splits at commas", () => {
    assert.deepEqual(splitLine("a,b,c"), ["a", "b", "c"]);
  });

  it("keeps empty fields", () => {
    assert.deepEqual(splitLine(",a,"), ["", "a", ""]);
  });

  it("keeps commas in quotes", () => {
    assert.deepEqual(splitLine('"a,b",c'), ["a,b", "c"]);
  });

  it("reads doubled quotes as one", () => {
    assert.deepEqual(splitLine('"say ""hi""",c'), ['say "hi"', "c"]);
  });
});

describe("parseCsv", () => {
  it("gives records by column name", () => {
    const { rows } = parseCsv("name,size\nnail,3\nbolt,5\n");
    assert.deepEqual(rows, [
      { name: "nail", size: "3" },
      { name: "bolt", size: "5" },
    ]);
  });

  it("takes Windows line ends", () => {
    const { header, rows } = parseCsv("name,size\r\nnail,3\r\n");
    assert.deepEqual(header, ["name", "size"]);
    assert.deepEqual(rows, [{ name: "nail", size: "3" }]);
  });

  it("reports rows with too few or too many columns", () => {
    const { rows, problems } = parseCsv("name,size\nnail\nbolt,5\nnut,1,2\n");
    assert.deepEqual(rows, [{ name: "bolt", size: "5" }]);
    assert.deepEqual(problems, [
      { line: 2, message: "1 columns instead of 2" },
      { line: 4, message: "3 columns instead of 2" },
    ]);
  });
});

describe("writeCsv", () => {
  it("quotes where needed", () => {
    assert.equal(writeCsv(["a", "b"], [["x,y", 'say "hi"']]), 'a,b\n"x,y","say ""hi"""\n');
  });
});
