import pg from "pg";
import { type PostgresArchive, postgresArchive } from "../../src/entry/postgres.ts";
import type { Database } from "./database.ts";

/** One of the conversations that {@link fill} makes, and one of its originals. */
const ID = "471";
const HANDLE = "handle = 'out_' || substr(md5('471.5'), 1, 16)";

/** Makes conversations with so many originals each, all of which one tenant has, in the schema `longhaul`. */
export async function fill(
  { query }: Database,
  conversations: number,
  each: number,
): Promise<void> {
  const key = `sha256(convert_to('"' || n || '"', 'UTF8'))`;
  const every = `from generate_series(1, ${conversations}) n`;
  // Without their triggers: of what is made here all that is named is there.
  const sql = `set session_replication_role = replica;
    insert into longhaul.conversations (tenant, key, id, used_at)
      select 'default', ${key}, '"' || n || '"', now() - n * interval '2 seconds' ${every};
    insert into longhaul.journal (tenant, conversation, number, entry)
      select 'default', ${key}, m, '"' || repeat('x', 200) || '"' ${every}, generate_series(1, 3) m;
    insert into longhaul.leases (tenant, conversation, holder, until)
      select 'default', ${key}, 'x', now() ${every};
    insert into longhaul.originals (tenant, conversation, handle, bytes, digest, start)
      select 'default', ${key}, 'out_' || substr(md5(n || '.' || m), 1, 16), 128, sha256(convert_to(repeat(md5(m::text), 4), 'UTF8')), convert_to(repeat(md5(m::text), 4), 'UTF8')
      ${every}, generate_series(1, ${each}) m;
    insert into longhaul.pieces (tenant, conversation, handle, number, content)
      select tenant, conversation, handle, 1, 'x' from longhaul.originals where handle like 'out_00%';
    set session_replication_role = origin; analyze`;
  for (const statement of sql.split(";")) await query(statement);
}

type Hear = (text: string, values: readonly unknown[]) => void;

/** A pool that tells of each statement. */
export function watchedPool(url: string, hear: Hear): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      hear(String(args[0]), (args[1] ?? []) as readonly unknown[]);
      return query(...args);
    }) as typeof client.query;
  });
  return pool;
}

export interface Plan {
  /** The use of the archive that the statement belongs to. */
  readonly use: string;
  readonly statement: string;
  /** As `explain` tells it, with times for what changes nothing or was taken back. */
  readonly lines: readonly string[];
}

/** Each statement that an archive makes in one of many conversations, with its plan, as its role has it. */
export async function plansOf(database: Database): Promise<readonly Plan[]> {
  let use = "";
  const heard = new Map<string, { readonly use: string; readonly values: readonly unknown[] }>();
  const pool = watchedPool(database.url, (text, values) => {
    const isPlanned = /^\s*(?:with|select|insert|update|delete)\b/.test(text);
    if (isPlanned && !text.includes("advisory") && !heard.has(text))
      heard.set(text, { use, values });
  });
  const archive = postgresArchive({ pool });
  const [row] = await database.query(`select handle from longhaul.originals where ${HANDLE}`);
  const uses = usesOf(archive, archive.conversation(ID), String(row?.["handle"]));
  for (const [name, work] of Object.entries(uses)) {
    use = name;
    await work();
  }
  const plans: Plan[] = [];
  const client = await pool.connect();
  for (const [statement, { use: from, values }] of heard) {
    await client.query("begin; select set_config('longhaul.tenant', 'default', true)");
    // Here, where all is taken back, what is a day old is removed.
    const given = values.map((value) => (value === 10_000 * DAY_MS ? DAY_MS : value));
    // A row that is there by now is not made again.
    const isMade = statement.startsWith("insert");
    const explain = `explain (analyze ${isMade ? "off" : "on"}, costs off)`;
    const { rows } = await client.query(`${explain} ${statement}`, given);
    await client.query("rollback");
    plans.push({ use: from, statement, lines: rows.map((line) => String(line["QUERY PLAN"])) });
  }
  client.release();
  await pool.end();
  return plans;
}

const DAY_MS = 86_400_000;

/** All that an archive is used for, by names. Nothing is as old as what is removed. */
function usesOf(
  archive: PostgresArchive,
  own: PostgresArchive,
  handle: string,
): Readonly<Record<string, () => Promise<unknown>>> {
  const { journal } = own;
  const collect = (journals: boolean): Promise<unknown> =>
    archive.collect({ maxAgeMs: 10_000 * DAY_MS, journals });
  return {
    get: () => own.get(handle),
    "get of many rows": () =>
      own.put("out", "x".repeat(1_048_577)).then((it) => own.get(it.handle)),
    read: async () => (await own.read?.(handle))?.read(0, new Uint8Array(10)),
    "read of many rows": async () => {
      const { handle: large } = await own.put("out", "x".repeat(1_048_577));
      await (await own.read?.(large))?.read(1_048_570, new Uint8Array(7));
    },
    put: () => own.put("out", "another original"),
    has: () => own.has(handle),
    list: () => own.list(),
    search: () => own.mayHold?.("abc", false) ?? Promise.resolve(),
    "journal, count": () => journal.count?.() ?? Promise.resolve(),
    "journal, read": () => journal.read(),
    "journal, append": () => journal.append({ at: 1 }),
    edit: () => journal.alone?.(() => journal.append({ at: 2 })) ?? Promise.resolve(),
    collect: () => collect(false),
    "collect, with journals": () => collect(true),
    conversations: () => archive.conversations(),
    "conversations with a text": () => archive.conversations({ pattern: "abc", isRegex: false }),
  };
}

/** The ways of a plan to its rows: the lines that name a table, without times. */
export function waysOf({ lines }: Plan): readonly string[] {
  return lines
    .filter((line) => /Scan\b.* on \w/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^->\s+/, "")
        .replace(/ \(actual.*/, ""),
    );
}
