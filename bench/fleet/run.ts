/**
 * The cost of a fleet's archive: `npx tsx bench/fleet/run.ts [ORIGINALS]`, on a PostgreSQL of its own.
 * Steps and edits against a directory in one process, turn by turn; 1,000 conversations on 8
 * processes; so many originals (1,000,000) made in the database, the plan of each statement, how
 * large it is, and what a search costs. `growth ORIGINALS` measures these alone.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext } from "../../src/index.ts";
import { everyIn } from "../../src/archive/every-conversation.ts";
import { searchArchive } from "../../src/archive/index.ts";
import { directoryArchive } from "../../src/entry/directory.ts";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { type Database, startDatabase } from "../../test/fleet/database.ts";
import { fill, plansOf, waysOf } from "../../test/fleet/plans.ts";
import { work } from "../../test/fleet/replicas.ts";
import { median } from "../speed/measure.ts";

const ROUNDS = 5;
const STEPS = 60;

async function main(originals: number, isGrowthAlone: boolean): Promise<void> {
  const database = await startDatabase(["-c", "max_connections=200", "-c", "max_wal_size=4GB"]);
  try {
    const archive = postgresArchive({ connectionString: database.url });
    await archive.migrate();
    if (!isGrowthAlone) await stepsAndEdits(database);
    if (!isGrowthAlone) await manyConversations(database);
    await growth(database, originals);
    await archive.close?.();
  } finally {
    await database.stop();
  }
}

/** The medians of a step and of an edit, in ms. */
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
  await archive.close?.();
  process.disconnect?.();
}

const PER_CONVERSATION = 100;

/** The size of so many originals, the plan of each statement among them, and the cost of a search of all. */
async function growth(database: Database, originals: number): Promise<void> {
  const { query, url } = database;
  const from = performance.now();
  await fill(database, Math.ceil(originals / PER_CONVERSATION), PER_CONVERSATION);
  const [sizes] = await query(
    "select pg_size_pretty(pg_total_relation_size('longhaul.originals')) as whole, pg_size_pretty(pg_indexes_size('longhaul.originals')) as indexes",
  );
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  console.log(
    `${originals} originals of 128 bytes in ${seconds} s: table and indexes ${String(sizes?.["whole"])}, indexes ${String(sizes?.["indexes"])}`,
  );
  // The first time reads what is on the disk.
  await plansOf(database);
  const plans = await plansOf(database);
  for (const plan of plans) {
    const ways = waysOf(plan).join("; ");
    console.log(
      `${plan.use}: ${ways} ${plan.lines.filter((line) => line.startsWith("Exec")).join("")}`,
    );
    const isOfAll = plan.use.startsWith("conversations");
    if (!isOfAll && ways.includes("Seq Scan")) throw new Error(`${plan.use} reads a whole table`);
  }
  const archive = postgresArchive({ connectionString: url });
  const one = archive.conversation("471");
  await one.put("out", "a needle in hay");
  for (const pattern of ["a needle in", "that is nowhere"]) {
    const holding = { pattern, isRegex: false };
    for (const [where, own] of Object.entries({ one, all: everyIn(archive, "", holding) })) {
      const began = performance.now();
      const { hits } = await searchArchive(own, pattern);
      const took = (performance.now() - began).toFixed(0);
      console.log(`search of ${where} for ${pattern}: ${hits.length} hits in ${took} ms`);
    }
  }
  await archive.close?.();
}

if (process.argv[2] === "child") await child();
else await main(Number(process.argv.at(-1)) || 1_000_000, process.argv[2] === "growth");
