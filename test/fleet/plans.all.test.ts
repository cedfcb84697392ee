import { afterAll, beforeAll, expect, it } from "vitest";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { type Database, startDatabase } from "./database.ts";
import { fill, type Plan, plansOf, waysOf } from "./plans.ts";

let database: Database;
let plans: readonly Plan[];

beforeAll(async () => {
  database = await startDatabase();
  const archive = postgresArchive({ connectionString: database.url });
  await archive.migrate();
  await archive.close();
  await fill(database, 50_000, 5);
  plans = await plansOf(database);
});
afterAll(() => database.stop());

/** The uses that read a whole table. */
const sequential = (from: readonly Plan[]): readonly string[] =>
  from.flatMap((plan) =>
    waysOf(plan)
      .filter((way) => way.includes("Seq Scan"))
      .map((way) => `${plan.use}: ${way}`),
  );

it("finds the rows of a conversation by an index, whatever it is asked for", () => {
  const all = plans.filter(({ use }) => !use.startsWith("conversations"));
  expect(all.length).toBeGreaterThan(15);
  expect(sequential(all)).toEqual([]);
});

it("reads all conversations where all of them are asked for", () => {
  const all = plans.filter(({ use }) => use.startsWith("conversations"));
  expect(sequential(all).join("\n")).toMatch(/with a text: .*Seq Scan on originals/);
});

it("would be told of a statement that reads a whole table", async () => {
  await database.query("drop index longhaul.conversations_by_use");
  expect(sequential(await plansOf(database)).join("\n")).toContain("Seq Scan on conversations");
});
