/**
 * What a fleet's archive costs: `npx tsx bench/fleet/run.ts [ORIGINALS]`, on a PostgreSQL of its own.
 * Steps and edits against a directory in one process, turn by turn; 1,000 conversations on 8
 * processes; so many originals (1,000,000) made in the database, the plan of each statement, and how
 * large it is.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext } from "../../src/index.ts";
import { directoryArchive } from "../../src/entry/directory.ts";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { type Database, startDatabase } from "../../test/fleet/database.ts";
import { work } from "../../test/fleet/replicas.ts";
import { median } from "../speed/measure.ts";

const ROUNDS = 5;
const STEPS = 60;

async function main(originals: number): Promise<void> {
  const database = await startDatabase(["-c", "max_connections=200"]);
  try {
    const archive = postgresArchive({ connectionString: database.url });
    await archive.migrate();
    await stepsAndEdits(database);
    await manyConversations(database);
    await growth(database, originals);
    await archive.close();
  } finally {
    await database.stop();
  }
}

/** Medians of what a step and an edit take, in ms. */
async function stepsAndEdits({ url }: Database): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-bench-"));
  const stores = {
    directory: directoryArchive(folder),
    postgres: postgresArchive({ connectionString: url }),
  };
  const times: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, archive] of Object.entries(stores)) {
      const context = createContext({ window: 24_000, conversation: `bench ${round}`, archive });
      await context.prepare(work(1));
      for (let steps = 2; steps <= STEPS; steps++) {
        const list = work(steps);
        const from = performance.now();
        const { report } = await context.prepare(list);
        const what = report.action === "none" ? "step" : "edit";
        (times[`${what}, ${name}`] ??= []).push(performance.now() - from);
      }
      await context.close();
    }
  }
  for (const [name, each] of Object.entries(times)) {
    console.log(`${name}: ${median(each).toFixed(2)} ms, median of ${each.length}`);
  }
  await stores.postgres.close();
  rmSync(folder, { recursive: true, force: true });
}

const PROCESSES = 8;
const EACH = 125;

async function manyConversations({ url }: Database): Promise<void> {
  const from = performance.now();
  const children = Array.from({ length: PROCESSES }, (_, at) =>
    fork(new URL(import.meta.url), ["child", url, String(at)], { execArgv: ["--import", "tsx"] }),
  );
  const told = await Promise.all(children.map((one) => once(one, "message")));
  const edits = told.flatMap(([times]) => times as number[]).toSorted((one, other) => one - other);
  const at = (share: number): string => (edits[Math.floor(edits.length * share)] ?? 0).toFixed(0);
  const seconds = (performance.now() - from) / 1000;
  console.log(
    `${PROCESSES * EACH} conversations on ${PROCESSES} processes: ${edits.length} edits in ${seconds.toFixed(1)} s; median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, worst ${at(0.9999)} ms`,
  );
}

/** Fills each of its conversations until it is edited, ten at a time. */
async function child(): Promise<void> {
  const [url = "", name = ""] = process.argv.slice(3);
  const archive = postgresArchive({ connectionString: url });
  const times: number[] = [];
  const left = Array.from({ length: EACH }, (_, at) => at).values();
  const worker = async (): Promise<void> => {
    for (const at of left) {
      const context = createContext({ window: 24_000, conversation: `${name} ${at}`, archive });
      for (const steps of [20, 45]) {
        const from = performance.now();
        const { report } = await context.prepare(work(steps));
        if (report.action !== "none") times.push(performance.now() - from);
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  process.send?.(times);
  await archive.close();
  process.disconnect();
}

const PER_CONVERSATION = 100;

/** The statements of an archive in one of many conversations, and that no plan reads a whole table. */
async function growth(database: Database, originals: number): Promise<void> {
  const { query } = database;
  const conversations = Math.ceil(originals / PER_CONVERSATION);
  const key = "sha256(convert_to(n::text, 'UTF8'))";
  const from = performance.now();
  const sql = `set session_replication_role = replica;
    insert into longhaul.conversations (tenant, key, id, used_at)
      select 'default', ${key}, n::text, now() - n * interval '1 second' from generate_series(1, ${conversations}) n;
    insert into longhaul.journal (tenant, conversation, number, entry)
      select 'default', ${key}, 1, repeat('x', 200) from generate_series(1, ${conversations}) n;
    insert into longhaul.originals (tenant, conversation, handle, bytes, digest, start)
      select 'default', ${key}, 'out_' || substr(md5(n || '.' || m), 1, 16), 120, decode(md5(m::text), 'hex'), convert_to(repeat(md5(m::text), 4), 'UTF8')
      from generate_series(1, ${conversations}) n, generate_series(1, ${PER_CONVERSATION}) m;
    set session_replication_role = origin; analyze`;
  for (const statement of sql.split(";")) await query(statement);
  const [sizes] = await query(
    "select pg_size_pretty(pg_total_relation_size('longhaul.originals')) as whole, pg_size_pretty(pg_indexes_size('longhaul.originals')) as indexes",
  );
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  console.log(
    `${conversations * PER_CONVERSATION} originals of 128 bytes in ${seconds} s: table and indexes ${String(sizes?.["whole"])}, indexes ${String(sizes?.["indexes"])}`,
  );
  const own = "tenant = 'default' and conversation = sha256(convert_to('4711', 'UTF8'))";
  const handle = "handle = 'out_' || substr(md5('4711.50'), 1, 16)";
  const statements: Readonly<Record<string, string>> = {
    get: `select bytes, start from longhaul.originals where ${own} and ${handle}`,
    list: `select handle, bytes from longhaul.originals where ${own} order by stored_at, handle`,
    search: `select handle from longhaul.originals where ${own} and (octet_length(start) < bytes or position('abc'::bytea in start) > 0)`,
    journal: `select entry from longhaul.journal where ${own} order by number`,
    size: `select coalesce(sum(octet_length(entry) + 1), 0) from longhaul.journal where ${own}`,
    lease: `update longhaul.leases set until = now() where ${own} and holder = 'x'`,
    collect: `select tenant, key from longhaul.conversations c where tenant = 'default' and used_at < now() - interval '1 day' and not exists (select 1 from longhaul.journal j where j.tenant = c.tenant and j.conversation = c.key) order by used_at limit 100`,
  };
  for (const [name, statement] of Object.entries(statements)) {
    const plan = (await query(`explain (analyze, costs off) ${statement}`)).map((row) =>
      String(row["QUERY PLAN"]),
    );
    const scans = plan
      .filter((line) => / on \w/.test(line))
      .map((line) =>
        line
          .trim()
          .replace(/^->\s+/, "")
          .replace(/ \(actual.*/, ""),
      );
    console.log(`${name}: ${scans.join("; ")}; ${plan.at(-1)}`);
    const isSmall = name === "lease";
    if (!isSmall && plan.some((line) => line.includes("Seq Scan")))
      throw new Error(`${name} reads a whole table`);
  }
}

if (process.argv[2] === "child") await child();
else await main(Number(process.argv[2] ?? 1_000_000));
