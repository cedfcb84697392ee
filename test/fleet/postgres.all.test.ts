import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import * as fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  postgresArchive,
  postgresMigrations,
  type PostgresArchive,
} from "../../src/entry/postgres.ts";
import { describeArchive } from "../conformance/describe-archive.ts";
import { type CliRun, runHere } from "../cli/run-cli.ts";
import { runs } from "../property/runs.ts";
import { type Database, startDatabase } from "./database.ts";

let database: Database;
const open: PostgresArchive[] = [];
let schemas = 0;

const newSchema = (): string => `s${++schemas}`;

function archiveIn(schema: string, tenant?: string): PostgresArchive {
  const archive = postgresArchive({
    connectionString: database.url,
    schema,
    migrate: true,
    ...(tenant !== undefined && { tenant }),
  });
  open.push(archive);
  return archive;
}

describe("archives in PostgreSQL", () => {
  beforeAll(async () => void (database = await startDatabase()));
  afterAll(async () => {
    await Promise.all(open.map((archive) => archive.close()));
    await database.stop();
  });

  describeArchive(
    "postgres",
    async () => archiveIn("kit").conversation(`new ${++schemas}`),
    async () => {
      const store = archiveIn(newSchema());
      return (id) => store.conversation(id);
    },
  );

  it("keeps the entries of a journal whole and in order that many add at once", async () => {
    const schema = newSchema();
    const writers = [archiveIn(schema), archiveIn(schema), archiveIn(schema)];
    const entries = writers.flatMap((writer, at) =>
      [0, 1, 2].map((count) => ({
        writer,
        entry: { at, count, text: `\u0000${at}`.repeat(500_000) },
      })),
    );
    await Promise.all(entries.map(({ writer, entry }) => writer.journal.append(entry)));
    const read = (await writers[0]!.journal.read()) as { at: number; count: number }[];
    expect(read).toHaveLength(entries.length);
    expect(new Set(read.map((one) => JSON.stringify(one)))).toEqual(
      new Set(entries.map(({ entry }) => JSON.stringify(entry))),
    );
    expect(await writers[2]!.journal.read()).toEqual(read);
  });

  it("makes its tables once, however many ask for them at once", async () => {
    const schema = newSchema();
    const steps = await Promise.all(Array.from({ length: 10 }, () => archiveIn(schema).migrate()));
    expect(steps.filter((taken) => taken.length > 0)).toEqual([
      postgresMigrations(schema).map(({ number }) => number),
    ]);
  });

  it("is prepared by the command line, which takes the password from the environment", async () => {
    const env = { LONGHAUL_DATABASE_URL: database.url };
    const migrate = (...args: string[]): Promise<CliRun> => runHere(["migrate", ...args], { env });
    const schema = newSchema();
    expect((await migrate("--schema", schema)).stdout).toBe(
      `2 steps applied to the schema ${schema}.\n`,
    );
    expect((await migrate("--schema", schema)).stdout).toBe(
      `The schema ${schema} is up to date.\n`,
    );
    const { stdout } = await migrate("--print", "--schema", "by_hand");
    await database.query(`set role agent; ${stdout}; reset role`);
    expect((await migrate("--schema", "by_hand")).stdout).toContain("is up to date");
    expect((await migrate("--schema", "by hand")).code).toBe(2);
  });

  it("says what to do where there are no tables, no server, no right to log in", async () => {
    const failure = (options: object): Promise<unknown> =>
      postgresArchive({ connectionString: database.url, ...options })
        .list()
        .catch(String);
    expect(await failure({ schema: "nowhere" })).toContain("run `longhaul migrate`");
    const wrong = database.url.replace("agent:agent", "agent:secret-word");
    expect(await failure({ connectionString: wrong })).toContain("check user and password");
    expect(await failure({ connectionString: wrong })).not.toContain("secret-word");
    const closed = "postgres://agent:secret-word@127.0.0.1:1/postgres";
    expect(await failure({ connectionString: closed })).toContain("It cannot be reached");
    expect(await failure({ connectionString: closed })).not.toContain("secret-word");
  });

  it.each([
    { schema: 'x"; drop schema public' },
    { schema: "Öl" },
    { tenant: "" },
    { tenant: "a'b" },
    { tenant: "\0" },
  ])("refuses %j", (options) => {
    expect(() => postgresArchive(options)).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });

  it("works in a schema of any name, or refuses that name at once", async () => {
    const words = (await database.query("select word from pg_get_keywords()")).map(({ word }) =>
      String(word),
    );
    const plain = fc.stringMatching(/^[a-z_][a-z0-9_]{0,50}$/);
    const strange = fc.string({ unit: "binary", minLength: 1, maxLength: 70 });
    const near = fc.constantFrom(
      "pg_mine",
      "Upper",
      'a"b',
      "a.b",
      "a;b",
      "a-b",
      "",
      "x".repeat(52),
    );
    let works = 0;
    const name = fc.oneof(fc.constantFrom(...words), plain, strange, near);
    await fc.assert(
      fc.asyncProperty(name, async (schema) => {
        let archive: PostgresArchive;
        try {
          archive = archiveIn(schema);
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid-options" });
          return;
        }
        const { handle } = await archive.put("out", schema);
        await archive.journal.append({ schema });
        expect(await archive.get(handle)).toBe(schema);
        expect(await archive.journal.alone?.(() => archive.journal.read())).toEqual([{ schema }]);
        expect(await archive.collect({ maxAgeMs: -60_000, journals: true })).toMatchObject({
          conversations: 1,
        });
        await archive.close();
        works++;
      }),
      { numRuns: runs(40, 150), examples: words.slice(0, 3).map((word) => [word]) },
    );
    expect(works).toBeGreaterThan(10);
  });

  it("shows no tenant what belongs to another, whatever it asks for", async () => {
    const schema = newSchema();
    const [ours, theirs] = [archiveIn(schema, "ours"), archiveIn(schema, "theirs")];
    const { handle } = await ours.conversation("same").put("out", "the secret");
    await ours.conversation("same").journal.append({ secret: 1 });
    const others = ["same", "ours", "ours/same", "%", "_", "' or true --", "\0same"];
    for (const id of others) {
      await expect(theirs.conversation(id).get(handle)).rejects.toMatchObject({
        code: "unknown-handle",
      });
      expect(await theirs.conversation(id).list()).toEqual([]);
      expect(await theirs.conversation(id).journal.read()).toEqual([]);
    }
    expect(await theirs.collect({ maxAgeMs: -60_000, journals: true })).toEqual({
      conversations: 0,
      bytes: 0,
    });
    // Also a statement that forgets to say whose rows it wants sees its own only, or none.
    const client = new pg.Client(database.url);
    await client.connect();
    const seen = async (): Promise<unknown> =>
      (await client.query(`select count(*)::int as n from ${schema}.originals`)).rows;
    expect(await seen()).toEqual([{ n: 0 }]);
    await client.query("select set_config('longhaul.tenant', 'ours', false)");
    expect(await seen()).toEqual([{ n: 1 }]);
    await client.query("select set_config('longhaul.tenant', 'theirs', false)");
    expect(await seen()).toEqual([{ n: 0 }]);
    await client.end();
  });

  it("removes what nobody used for long, and what can go on only if it is told to", async () => {
    const schema = newSchema();
    const store = archiveIn(schema);
    for (let at = 0; at < 25; at++) await store.conversation(`old ${at}`).put("out", `text ${at}`);
    await store.conversation("with journal").put("out", "kept");
    await store.conversation("with journal").journal.append({});
    await database.query(`update ${schema}.conversations set used_at = now() - interval '8 days'`);
    await store.conversation("live").put("out", "young");
    await store.conversation("old 3").put("out", "used again");
    const week = 7 * 24 * 3_600_000;
    expect(await store.collect({ maxAgeMs: week, batch: 10 })).toMatchObject({ conversations: 24 });
    expect(await store.conversation("old 3").list()).toHaveLength(2);
    expect(await store.conversation("with journal").list()).toHaveLength(1);
    expect(await store.collect({ maxAgeMs: week, journals: true })).toEqual({
      conversations: 1,
      bytes: 4,
    });
    expect(await store.conversation("live").list()).toHaveLength(1);
  });

  it("goes on when its connections are cut, in the middle of work or between", async () => {
    const archive = archiveIn(newSchema());
    await archive.put("out", "before");
    const cut = (): Promise<unknown> =>
      database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'agent'",
      );
    const work = Array.from({ length: 40 }, async (_, at) => {
      await archive.journal.append({ at });
      return archive.put("out", `text ${at} ${"x".repeat(20_000)}`);
    });
    await cut();
    await cut();
    const entries = await Promise.all(work);
    await cut();
    expect(new Set(entries.map(({ handle }) => handle)).size).toBe(40);
    expect(await archive.list()).toHaveLength(41);
    // A commit whose answer was lost is made again: an entry may stand twice, and none is missing.
    const told = (await archive.journal.read()) as { at: number }[];
    expect(new Set(told.map(({ at }) => at)).size).toBe(40);
  });

  it("goes on when a connection is cut in the moment that it opens", async () => {
    const { port } = new URL(database.url);
    const opened = Buffer.from("Z\0\0\0\x05I", "latin1");
    const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminated\0\0", "latin1");
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 4);
    let cuts = 0;
    // The last word of the database to a connection arrives together with its first.
    const between = createServer((near) => {
      const far = connect(Number(port), "127.0.0.1");
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.pipe(far);
      far.on("data", (bytes) => {
        if (cuts > 1 || !bytes.subarray(-6).equals(opened)) return void near.write(bytes);
        cuts++;
        near.end(Buffer.concat([bytes, Buffer.from("E"), length, fields]));
        far.destroy();
      });
    });
    between.listen(0, "127.0.0.1");
    await once(between, "listening");
    const url = new URL(database.url);
    url.port = String((between.address() as AddressInfo).port);
    const archive = postgresArchive({
      connectionString: url.href,
      schema: newSchema(),
      migrate: true,
    });
    const { handle } = await archive.put("out", "text");
    expect(await archive.get(handle)).toBe("text");
    expect(cuts).toBe(2);
    await archive.close();
    between.close();
  });
});
