import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext } from "../../src/index.ts";
import { type SearchResult, searchArchive } from "../../src/archive/index.ts";
import { literalIn } from "../../src/archive/postgres/search.ts";
import { directoryArchive } from "../../src/entry/directory.ts";
import { type PostgresArchive, postgresArchive } from "../../src/entry/postgres.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { runs } from "../property/runs.ts";
import { type Database, startDatabase } from "./database.ts";
import { watchedPool } from "./plans.ts";
import { work } from "./replicas.ts";

let database: Database;
let archive: PostgresArchive;
let conversations = 0;

/** The part that does not depend on the medium; originals that are equally old have no order. */
function told({ hits, searched, total, stopped }: SearchResult): unknown {
  const lines = hits.map(({ path: _, ...hit }) => JSON.stringify(hit)).toSorted();
  return { lines: stopped === undefined ? lines : lines.length, total, stopped, searched };
}

describe("what is searched in a database", () => {
  beforeAll(async () => {
    database = await startDatabase();
    archive = postgresArchive({ connectionString: database.url, migrate: true });
  });
  afterAll(async () => {
    await archive.close();
    await database.stop();
  });

  const word = fc.constantFrom(
    "error",
    "Error",
    "errors",
    "é漢😀",
    "a.b",
    "a+b",
    "\\",
    "%",
    "\0",
    "x",
  );
  const text = fc.array(fc.oneof(word, fc.constantFrom(" ", "\n", "\r\n")), { maxLength: 30 });
  const pattern = fc.oneof(
    fc.record({ pattern: word, regex: fc.constant(false) }),
    fc.record({
      pattern: fc.constantFrom(
        "err.*s",
        "errors?",
        "^error$",
        "[eé]rr",
        "(?i)ERROR",
        "a\\.b",
        "é漢+",
        "x*y*",
        "er+?or",
      ),
      regex: fc.constant(true),
    }),
  );

  it("is found as in a directory, by a text and by an expression", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 6 }),
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        fc.nat(3),
        async (texts, patterns, context) => {
          const folder = directoryArchive(temporaryFolder());
          const own = archive.conversation(`search ${++conversations}`);
          for (const words of texts) {
            for (const each of [folder, own]) await each.put("out", words.join(""));
          }
          await archive.conversation("other").put("out", "error errors x é漢😀");
          for (const { pattern: sought, regex } of patterns) {
            const options = { regex, context };
            expect(told(await searchArchive(own, sought, options))).toEqual(
              told(await searchArchive(folder, sought, options)),
            );
          }
        },
      ),
      { numRuns: runs(25, 100) },
    );
  });

  it("is found over the border of two rows, and in originals of many", async () => {
    const own = archive.conversation("large");
    const [before, after] = ["x".repeat(1_048_570), "y".repeat(2_000_000)];
    await own.put("out", `${before}\na needle in hay\n${after}`);
    const { hits } = await searchArchive(own, "needle in hay");
    expect(hits).toMatchObject([{ line: 2, text: "a needle in hay" }]);
  });

  it("reads only what may hold the text", async () => {
    let queries = 0;
    const pool = watchedPool(database.url, () => queries++);
    const counted = postgresArchive({ pool, conversation: "many" });
    for (let at = 0; at < 200; at++) await counted.put("out", `original ${at} of many\n`);
    queries = 0;
    const { hits, searched } = await searchArchive(counted, "original 117 of");
    expect([hits.length, searched.originals]).toEqual([1, 200]);
    expect(queries).toBeLessThan(30);
    await pool.end();
  });

  it.each([
    ["err.*timeout", "timeout"],
    ["errors?$", "error"],
    ["ab+?c", "ab"],
    ["x*y*", ""],
    ["a|b", ""],
    ["(?i)error", ""],
    ["😀?b", "b"],
  ])("%s is nowhere but beside %j", (expression, literal) => {
    expect(literalIn(expression)).toBe(literal);
  });

  it("is asked nothing in a step without an edit, and little in one with an edit", async () => {
    let queries = 0;
    const pool = watchedPool(database.url, () => queries++);
    const context = createContext({
      window: 24_000,
      conversation: "counted",
      archive: postgresArchive({ pool }),
    });
    await context.prepare(work(1));
    const opened = queries;
    expect(opened).toBeGreaterThan(0);
    let [idle, edits] = [0, 0];
    for (let steps = 2; steps <= 60; steps++) {
      const before = queries;
      const { report } = await context.prepare(work(steps));
      if (report.action !== "none") edits++;
      else idle += queries - before;
    }
    expect([idle, edits > 0]).toEqual([0, true]);
    await pool.end();
  });
});
