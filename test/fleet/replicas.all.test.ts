import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresArchive, type PostgresArchive } from "../../src/entry/postgres.ts";
import { type Database, startDatabase } from "./database.ts";
import { type Pooler, startPooler } from "./pgbouncer.ts";
import { ask, killReplicas, type ReplicaOptions, startReplica, work } from "./replicas.ts";

let database: Database;
let pooler: Pooler;

async function newStore(schema: string): Promise<PostgresArchive> {
  const archive = postgresArchive({
    connectionString: database.url,
    schema,
    conversation: "shared",
  });
  await archive.migrate();
  return archive;
}

const DAY = 24 * 3_600_000;

/** The promise of any number of replicas that are asked at the same time, again and again. */
async function editsOnce(
  url: string,
  schema: string,
  processes: readonly ReplicaOptions[],
): Promise<void> {
  const archive = await newStore(schema);
  const replicas = await Promise.all(
    processes.map((options) => startReplica(`${url}?schema=${schema}`, options)),
  );
  let steps = 20;
  for (let round = 1; round <= 3; round++) {
    steps += 25;
    const answers = await Promise.all(replicas.map((replica) => ask(replica, work(steps))));
    const lists = answers.flatMap((answer) => answer.lists);
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(answers.flatMap(({ actions }) => actions).filter((one) => one !== "none")).toHaveLength(
      1,
    );
    expect(answers.flatMap(({ failures }) => failures)).toEqual([]);
    expect(await archive.journal.read()).toHaveLength(round);
    expect(answers.reduce((sum, { asked }) => sum + asked, 0)).toBe(round);
  }
  for (const replica of replicas) replica.kill("SIGKILL");
  await archive.close();
}

describe("one conversation on several replicas", () => {
  beforeAll(async () => {
    database = await startDatabase();
    pooler = await startPooler(database);
  });
  afterAll(async () => {
    killReplicas();
    await pooler.stop();
    await database.stop();
  });

  it("is edited once by fifty that are asked at the same time, and the same bytes leave each", async () => {
    const fifty = [6, 6, 6, 6, 6, 6, 7, 7].map((contexts) => ({ contexts }));
    await editsOnce(database.url, "fifty", fifty);
  });

  it("is edited once by those whose clocks are wrong by days", async () => {
    const wrong = [-DAY, 0, DAY, 400 * DAY].map((skewMs) => ({ skewMs }));
    await editsOnce(database.url, "skewed", wrong);
  });

  it("is edited once through pgbouncer in its mode transaction", async () => {
    await editsOnce(pooler.url, "pooled", [{ contexts: 4 }, { contexts: 4 }, { contexts: 4 }]);
  });

  it("lets an agent pass unedited, and says so, while the database is away", async () => {
    const archive = await newStore("away");
    const replica = await startReplica(`${database.url}?schema=away`);
    await ask(replica, work(5));
    await database.crash();
    const away = await ask(replica, work(45));
    expect(away.actions).toEqual(["none"]);
    expect(away.lists).toEqual([work(45)]);
    expect(away.failures.join(" ")).toContain("It cannot be reached");
    expect(away.asked).toBe(0);
    await database.restart();
    expect((await ask(replica, work(45))).actions).toEqual(["compact"]);
    await archive.close();
  });
});
