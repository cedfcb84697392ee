import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedDocument, isCutShort, recoverRecords } from "../../src/transcripts/recover.ts";
import { runs } from "../property/runs.ts";

const record = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 });
/** What JSON can say: `-0` comes back as `0`. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("recoverRecords", () => {
  it("finds all records of a line that lost its line ends", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 2, maxLength: 4 }), (records) => {
        const text = records.map((each) => JSON.stringify(each)).join("");
        expect(recoverRecords(text)).toEqual({ values: plain(records), lossy: false });
      }),
    );
  });

  it("finds the whole record behind a cut one, unless the cut hides where it begins", () => {
    const torn = '{"type":"user","message":{"content":"he said \\"no';
    const whole = '{"type":"assistant","n":["}{","\\\\"]}';
    expect(recoverRecords(torn + whole)).toEqual({ values: [JSON.parse(whole)], lossy: true });
    expect(recoverRecords(`{"a":[1,2${whole}`)).toEqual({
      values: [JSON.parse(whole)],
      lossy: true,
    });
    expect(recoverRecords(torn)).toEqual({ values: [], lossy: true });
  });
});

describe("closedDocument", () => {
  it("closes a document wherever it was cut, and keeps all that was whole", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), fc.double({ min: 0, max: 1 }), (list, at) => {
        const text = JSON.stringify(list);
        const length = 1 + Math.floor((Number.isNaN(at) ? 0 : at) * (text.length - 2));
        const cut = text.slice(0, length);
        expect(isCutShort(cut)).toBe(true);
        const closed = closedDocument(cut) as unknown[];
        expect(Array.isArray(closed)).toBe(true);
        expect(closed.length).toBeLessThanOrEqual(list.length);
        expect(closed.slice(0, -1)).toEqual(
          (plain(list) as unknown[]).slice(0, Math.max(0, closed.length - 1)),
        );
      }),
      { numRuns: runs(60, 300) },
    );
  });

  it("keeps what a cut string has, without half an escape", () => {
    expect(closedDocument('{"a":["b, [c')).toEqual({ a: ["b, [c"] });
    for (const half of ["\\", "\\u", "\\u00e"]) {
      expect(closedDocument(`{"a":"b\\\\${half}`)).toEqual({ a: "b\\" });
    }
  });

  it("drops names, numbers and words that are not whole", () => {
    for (const cut of ['{"a":1,"b', '{"a":1,"b"', '{"a":1,"b":', '{"a":1,"b":tr', '{"a":1,']) {
      expect(closedDocument(cut)).toEqual({ a: 1 });
    }
  });

  it("leaves whole documents to others", () => {
    expect(isCutShort('{"a":"}"}')).toBe(false);
  });
});
