import type { PoolConfig } from "pg";
import { ContextError } from "../../core/error.ts";
import { checkNames, type OptionNames } from "../../core/options.ts";
import { concurrencyLimit } from "../at-once.ts";
import { inTransaction, type PostgresPool, type Query } from "./connection.ts";
import type { OnLease } from "../lease.ts";
import type { S3Objects } from "../s3/objects.ts";
import type { S3Archive } from "../s3/s3.ts";
import { migrations, migrationsTable, quoted } from "./migrations.ts";

export interface PostgresArchiveOptions {
  /**
   * The address of the database. Parts that are left out come from `PGHOST`, `PGUSER`, `PGPASSWORD`,
   * `PGDATABASE`; needs the package `pg`.
   * @default what these say
   */
  readonly connectionString?: string;
  /** A pool of the caller's own, in place of a connection string. */
  readonly pool?: PostgresPool;
  /** The schema that holds the tables: a plain name in lower case, which may be a word of SQL. @default "longhaul" */
  readonly schema?: string;
  /**
   * The owner of the conversations. No tenant sees what belongs to another: every table has a
   * policy that says so, which binds every role but superusers. Up to 200 letters, digits, `.`,
   * `_`, `:`, `@`, `-`.
   * @default "default"
   */
  readonly tenant?: string;
  /** The conversation that the originals belong to. @default "default" */
  readonly conversation?: string;
  /** The bucket for originals larger than `largerThan`. @default the database, in rows of 1 MB */
  readonly large?: Pick<S3Archive, "objects">;
  /** In bytes. @default 1_048_576 */
  readonly largerThan?: number;
  /** Hears what becomes of the right to edit: waits, and edits that others take over. */
  readonly onLease?: OnLease;
  /** Whether the first use makes the tables, or brings them up to date. @default false */
  readonly migrate?: boolean;
}

/** One database as one tenant sees it. */
export interface Store {
  /** The name of the schema. */
  readonly name: string;
  /** The same for a statement. */
  readonly schema: string;
  readonly tenant: string;
  /** Does work in a transaction of the tenant. */
  readonly transact: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  /** The same for work that stores an original: at the most half of the pool's connections are in use for such. */
  readonly storing: Store["transact"];
  /** The objects of this database, and from how many bytes on an original is one. */
  readonly large?: { readonly objects: S3Objects; readonly from: number } | undefined;
  readonly onLease: OnLease | undefined;
  readonly migrate: () => Promise<readonly number[]>;
  readonly close: () => Promise<void>;
}

/** One conversation in it. */
export interface Place {
  readonly store: Store;
  /** The key of its rows. */
  readonly key: Buffer;
  /** Makes the conversation, or marks that it is in use. */
  readonly use: (query: Query) => Promise<void>;
}

/** The condition that picks the rows of a conversation, by the first two values of a statement. */
export const OF_CONVERSATION = "tenant = $1 and conversation = $2";

const OPTIONS: OptionNames<PostgresArchiveOptions> = {
  connectionString: true,
  pool: true,
  schema: true,
  tenant: true,
  conversation: true,
  large: true,
  largerThan: true,
  onLease: true,
  migrate: true,
};

export function checked(options: PostgresArchiveOptions): PostgresArchiveOptions {
  checkNames(options, OPTIONS);
  const { schema, tenant, pool, connectionString, large, largerThan } = options;
  const fail = (message: string): never => {
    throw new ContextError("invalid-options", `postgresArchive: ${message}`);
  };
  if (schema !== undefined && !/^(?!pg_)[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    fail(
      "`schema` must be a plain name in lower case (letters, digits, `_`), up to 51 characters, and not begin with pg_, as PostgreSQL's own do.",
    );
  }
  if (tenant !== undefined && !/^[\w.:@-]{1,200}$/.test(tenant)) {
    fail("`tenant` must be 1 to 200 letters, digits, `.`, `_`, `:`, `@` or `-`.");
  }
  if (pool !== undefined && connectionString !== undefined) {
    fail("give either `pool` or `connectionString`.");
  }
  if (largerThan !== undefined && (large === undefined || !(largerThan >= 0))) {
    fail("`largerThan` is a number of bytes, beside `large`.");
  }
  return options;
}

/** Larger originals go to the bucket, where there is one. */
const LARGE = 1_048_576;

export function createStore(name: string, tenant: string, options: PostgresArchiveOptions): Store {
  let own: Promise<PostgresPool & { end(): Promise<void> }> | undefined;
  const pool = (): Promise<PostgresPool> =>
    options.pool === undefined ? (own ??= openPool(options)) : Promise.resolve(options.pool);
  let migrated: Promise<readonly number[]> | undefined;
  const migrate = async (): Promise<readonly number[]> => bringUpToDate(await pool(), name);
  const storing = storingIn(options.pool);
  const transact: Store["transact"] = async (work) => {
    if (options.migrate === true) {
      migrated ??= migrate();
      await migrated.catch((error: unknown) => {
        migrated = undefined;
        throw error;
      });
    }
    return inTransaction(await pool(), tenant, work);
  };
  return {
    name,
    schema: quoted(name),
    tenant,
    large: options.large && {
      objects: options.large.objects,
      from: (options.largerThan ?? LARGE) + 1,
    },
    onLease: options.onLease,
    migrate,
    transact,
    storing: (work) => storing(() => transact(work)),
    async close() {
      await (await own)?.end();
      own = undefined;
    },
  };
}

/** Connections of an own pool. */
const MOST_CONNECTIONS = 8;

type Limit = ReturnType<typeof concurrencyLimit>;
const limits = new WeakMap<PostgresPool, Limit>();

/** Large originals take their time: the other half of a pool stays free for all other work. */
function storingIn(pool: PostgresPool | undefined): Limit {
  const known = pool && limits.get(pool);
  if (known !== undefined) return known;
  const most = pool?.options?.max ?? MOST_CONNECTIONS;
  const limit = concurrencyLimit(Math.max(1, Math.floor(most / 2)));
  if (pool !== undefined) limits.set(pool, limit);
  return limit;
}

async function openPool({
  connectionString,
}: PostgresArchiveOptions): Promise<PostgresPool & { end(): Promise<void> }> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    throw new ContextError(
      "archive-failed",
      "The package `pg` is not installed, which talks to PostgreSQL: npm install pg",
      { cause },
    );
  });
  // An agent whose work is done should end, whatever connections are open.
  const config: PoolConfig = {
    max: MOST_CONNECTIONS,
    allowExitOnIdle: true,
    connectionTimeoutMillis: 10_000,
  };
  const pool = new pg.Pool(
    connectionString === undefined ? config : { ...config, connectionString },
  );
  // A connection that is lost while nobody uses it is no matter; unheard, it would end the process.
  pool.on("error", () => undefined);
  return pool;
}

/** Makes what is missing, one process at a time. */
async function bringUpToDate(pool: PostgresPool, name: string): Promise<readonly number[]> {
  return inTransaction(pool, undefined, async (query) => {
    await query("select pg_advisory_xact_lock(hashtext($1))", [`longhaul.migrate.${name}`]);
    await query(migrationsTable(name));
    const [known] = await query(
      `select coalesce(max(number), 0) as number from ${quoted(name)}.migrations`,
    );
    const due = migrations(name).filter(({ number }) => number > Number(known?.["number"]));
    for (const { sql } of due) await query(sql);
    return due.map(({ number }) => number);
  });
}
