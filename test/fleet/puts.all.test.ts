import { EventEmitter, once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { type Database, startDatabase } from "./database.ts";

let database: Database;
let schemas = 0;

const newSchema = (): string => `s${++schemas}`;

/** A pool whose puts are held before their commit: those that come to it between `hold` and `pass`, until `release`. */
function holdingPool(config: pg.PoolConfig) {
  const pool = new pg.Pool({ connectionString: database.url, ...config });
  // Of the last connections the end of the database may be told.
  pool.on("error", () => undefined);
  const gate = new EventEmitter();
  let isHeld = false;
  let count = 0;
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    let isPut = false;
    client.query = (async (...args: unknown[]) => {
      const text = String(args[0]);
      if (text.startsWith("begin")) isPut = false;
      if (/insert into \S+\.originals/.test(text)) isPut = true;
      if (text === "commit" && isPut && isHeld) {
        count++;
        await once(gate, "open");
      }
      return query(...args);
    }) as typeof client.query;
  });
  return {
    pool,
    hold: () => void (isHeld = true),
    held: (least: number) => vi.waitFor(() => expect(count).toBe(least)),
    pass: () => void (isHeld = false),
    release: () => ((isHeld = false), gate.emit("open")),
  };
}

describe("originals stored at the same time in PostgreSQL", () => {
  beforeAll(async () => void (database = await startDatabase()));
  afterAll(async () => database.stop());

  it.each(["just now", "8 days ago"])(
    "stores into a conversation, used %s, while another put goes on; a removal passes it over",
    async (age) => {
      const { pool, ...puts } = holdingPool({});
      const schema = newSchema();
      const archive = postgresArchive({ pool, schema, migrate: true });
      const old = await archive.put("out", "old");
      if (age !== "just now")
        await database.query(
          `update ${schema}.conversations set used_at = now() - interval '${age.replace(" ago", "")}'`,
        );
      puts.hold();
      const first = archive.put("out", "first");
      await puts.held(1);
      puts.pass();
      const second = await archive.put("out", "second");
      await archive.journal.append({});
      const all = { maxAgeMs: -60_000, journals: true };
      expect(await archive.collect(all)).toMatchObject({ conversations: 0 });
      puts.release();
      const handles = [old, await first, second].map(({ handle }) => handle);
      expect(new Set((await archive.list()).map(({ handle }) => handle))).toEqual(new Set(handles));
      expect(await archive.collect(all)).toMatchObject({ conversations: 1 });
      await pool.end();
    },
  );

  it("stores while all is being removed, as often as that is", async () => {
    const { pool } = holdingPool({});
    const archive = postgresArchive({ pool, schema: newSchema(), migrate: true });
    for (let round = 0; round < 30; round++) {
      const texts = Array.from({ length: 6 }, (_, at) => `text ${round % 2} ${at}`);
      const puts = texts.map((text) => archive.put("out", text));
      const removals = [0, 1].map(() => archive.collect({ maxAgeMs: -60_000, journals: true }));
      expect(await Promise.all([...puts, ...removals])).toHaveLength(8);
    }
    await pool.end();
  });

  it("leaves half of a pool that tenants share to others while originals are stored", async () => {
    const { pool, ...held } = holdingPool({ max: 4 });
    const schema = newSchema();
    const tenants = ["one", "two"].map((tenant) =>
      postgresArchive({ pool, schema, tenant, migrate: true }),
    );
    for (const tenant of tenants) await tenant.put("out", "before");
    held.hold();
    const puts = Array.from({ length: 8 }, (_, at) => tenants[at % 2]!.put("out", `text ${at}`));
    await held.held(2);
    expect(await tenants[0]!.list()).toHaveLength(1);
    await held.held(2);
    held.release();
    await Promise.all(puts);
    expect(await tenants[0]!.list()).toHaveLength(5);
    await pool.end();
  });
});
