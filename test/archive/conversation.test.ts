import * as fc from "fast-check";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { conversationFolder } from "../../src/archive/conversation.ts";
import { runs } from "../property/runs.ts";

const ROOT = join("/home/me", "archive");
const ID = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("..", ".", "", "a/b", "con", "a".repeat(300), "A", "a", "\ud800", "\ud801", "\0"),
);

describe("the folder of a conversation", () => {
  it("is one below the archive, whatever its id", () => {
    fc.assert(
      fc.property(ID, (id) => {
        const folder = conversationFolder(ROOT, id);
        expect(dirname(folder)).toBe(ROOT);
        expect(folder.slice(dirname(folder).length + 1)).toMatch(/^[a-z0-9_~-]{1,64}$/);
      }),
    );
  });

  it("is no other conversation's", () => {
    fc.assert(
      fc.property(ID, ID, (one, other) => {
        fc.pre(one !== other);
        expect(conversationFolder(ROOT, one)).not.toBe(conversationFolder(ROOT, other));
      }),
      { numRuns: runs(200, 2_000) },
    );
  });
});
