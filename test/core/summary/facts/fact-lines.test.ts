import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  commandLine,
  errorLine,
  fileLine,
  filesLine,
  headsLine,
  readCommandLine,
  readErrorLine,
  readFileLine,
  readFilesLine,
  readHeadsLine,
} from "../../../../src/core/summary/facts/fact-lines.ts";
import { head } from "../build-ledger.ts";

const name = fc
  .string({ minLength: 1, maxLength: 20 })
  .map((text) => text.replace(/\s+/g, " ").trim())
  .filter((text) => text !== "");
const ops = fc.constantFrom("read", "created", "modified", "deleted");

describe("what is written is read back", () => {
  it("for changed files, with whole paths and below a folder", () => {
    fc.assert(
      fc.property(ops, name, fc.array(name, { minLength: 1 }), (op, folder, names) => {
        for (const where of ["", `${folder}/`]) {
          expect(readFilesLine(filesLine(op, where, names))).toEqual(
            names.map((each) => ({ path: `${where}${each}`, ops: [op] })),
          );
        }
      }),
    );
  });

  it("for a relevant file, with its operations or with what was said of it", () => {
    fc.assert(
      fc.property(name, fc.uniqueArray(ops, { minLength: 1 }), (path, all) => {
        expect(readFileLine(fileLine({ path, ops: all }))).toEqual({ path, ops: all });
        const known = { path, ops: all, role: "the parser: blocks first" };
        expect(readFileLine(fileLine(known))).toEqual(known);
      }),
    );
  });

  it("for commands and errors", () => {
    fc.assert(
      fc.property(name, name, fc.integer({ min: 1, max: 99 }), (command, tool, runs) => {
        const failed = { command, outcome: "failed", exitCode: 2, runs } as const;
        expect(readCommandLine(commandLine(failed))).toEqual(failed);
        const ok = { command, outcome: "ok", exitCode: undefined, runs } as const;
        expect(readCommandLine(commandLine(ok))).toEqual(ok);
        const unknown = { ...ok, outcome: "unknown" } as const;
        expect(readCommandLine(commandLine(unknown))).toEqual(unknown);
        for (const subject of ["", command]) {
          const error = { tool, subject, text: "it failed: twice\n  here" };
          expect(readErrorLine(errorLine(error))).toEqual(error);
        }
      }),
    );
  });

  it("for older heads, of which the newest are named", () => {
    const heads = Array.from({ length: 12 }, (_, index) => head(index));
    expect(readHeadsLine(headsLine(heads.slice(0, 3), 8))).toEqual(heads.slice(0, 3));
    expect(readHeadsLine(headsLine(heads, 8))).toEqual(heads.slice(0, 8));
    expect(headsLine(heads, 8)).toContain("the last one names those before it");
  });
});

describe("readFileLine", () => {
  it.each([
    ["`src/a.ts` - the parser", "src/a.ts", "the parser"],
    ["**src/a.ts** — the parser", "src/a.ts", "the parser"],
    ["src/a.ts: the parser", "src/a.ts", "the parser"],
    ["/app/.env (secret)", "/app/.env", "(secret)"],
    ["Makefile.am", "Makefile.am", undefined],
    ["C:\\app\\a.ts: x", "C:\\app\\a.ts", "x"],
    ["The parser has two passes.", undefined, undefined],
  ])("reads %j as %s", (line, path, role) => {
    const file = readFileLine(line);
    expect(file?.path).toBe(path);
    expect(file?.role).toBe(role);
  });
});

it.each(["Created nothing", "Modified: a.ts", "Read in `src/` later", "`npm test` passed", "Done"])(
  "%j is prose and no fact of ours",
  (line) => {
    expect(readFilesLine(line)).toBeUndefined();
    expect(readCommandLine(line)).toBeUndefined();
    expect(readErrorLine(line)).toBeUndefined();
    expect(readHeadsLine(line)).toBeUndefined();
  },
);
