import { setTimeout as delay } from "node:timers/promises";
import { ContextError, isContextError } from "../../core/error.ts";
import { errorCode } from "../archive-error.ts";

export type Row = Readonly<Record<string, unknown>>;
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The part of a pool that is used: `Pool` of the package `pg`, or another one like it. */
export interface PostgresPool {
  /** The most connections that it opens; half of them are used to store originals. */
  readonly options?: { readonly max?: number | undefined };
  connect(): Promise<PostgresClient>;
  on?(event: "connect", listener: (client: PostgresClient) => void): unknown;
}

export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  release(destroy?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** A connection may be lost at any time; another one is tried after so many milliseconds. */
const TRY_AGAIN_MS = [50, 500, 2_000];
/** A database that was away just now is asked once: nobody waits for it again and again. */
const AWAY_MS = 5_000;
const awaySince = new WeakMap<PostgresPool, number>();

/**
 * The work is done in one transaction, and all of it again on another connection where one is lost. The
 * tenant is a setting of the transaction, so that connections may be shared (pgbouncer in its mode
 * `transaction`).
 */
export async function inTransaction<T>(
  pool: PostgresPool,
  tenant: string | undefined,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const isAway = performance.now() - (awaySince.get(pool) ?? -Infinity) < AWAY_MS;
  for (let tries = isAway ? TRY_AGAIN_MS.length : 0; ; tries++) {
    try {
      const result = await once(pool, tenant, work);
      awaySince.delete(pool);
      return result;
    } catch (error) {
      if (isContextError(error)) throw error;
      const wait = isLoss(error) ? TRY_AGAIN_MS[tries] : undefined;
      if (isLoss(error) && wait === undefined) awaySince.set(pool, performance.now());
      if (wait === undefined) throw postgresFailure(error);
      await delay(wait);
    }
  }
}

async function once<T>(
  pool: PostgresPool,
  tenant: string | undefined,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  listen(pool);
  const client = await pool.connect();
  hear(client);
  const query: Query = async (text, values = []) => (await client.query(text, [...values])).rows;
  let isBroken = true;
  try {
    // One way to the database and back; the characters of a tenant need no quoting.
    const asTenant = `; select set_config('longhaul.tenant', '${tenant}', true)`;
    await query(`begin${tenant === undefined ? "" : asTenant}`);
    const result = await work(query);
    await query("commit");
    isBroken = false;
    return result;
  } catch (error) {
    // A connection that cannot be brought back to its beginning serves nobody else.
    isBroken = await query("rollback").then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(isBroken);
  }
}

const heard = new WeakSet<object>();

/** A new connection may be lost before the one who asked for it has it: the pool tells of it first. */
function listen(pool: PostgresPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.("connect", hear);
}

/** A connection that ends between two queries says so by an event, which unheard ends the process; the next query tells it, too. */
function hear(client: PostgresClient): void {
  if (heard.has(client)) return;
  heard.add(client);
  client.on?.("error", () => undefined);
}

/** Codes of an error after which the same may go well: connections (08), shutdowns (57P), and races that one side loses (40). */
const LOSS = /^(?:08|57P0|40001|40P01|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT)/;
const LOST_TEXT =
  /connection (?:terminated|ended|timeout)|timeout exceeded when trying to connect|client has encountered a connection error/i;

function isLoss(error: unknown): boolean {
  return LOSS.test(errorCode(error) ?? "") || LOST_TEXT.test(String(error));
}

const ADVICE: readonly (readonly [code: RegExp, advice: string])[] = [
  [
    /^(?:42P01|3F000|42703)$/,
    "Its tables are not there, or those of an older version: run `longhaul migrate`, or create the archive with `migrate: true`.",
  ],
  [
    /^42501$/,
    "Access was denied: the role needs select, insert, update and delete on the tables of the schema.",
  ],
  [/^28/, "The login was refused: check user and password, e.g. PGUSER and PGPASSWORD."],
  [/^3D000$/, "There is no such database: create it first."],
  [/^(?:53100|53200)$/, "The database has no room left: free some."],
  [/^53300$/, "The database has too many connections: use fewer, or a pooler such as pgbouncer."],
  [/^(?:08|57P|E)/, "It cannot be reached: check that it runs, its address and its port."],
];

/** `archive-failed`, with what to do about it; of the connection it says nothing, which may hold a password. */
function postgresFailure(cause: unknown): ContextError {
  const code = errorCode(cause) ?? (isLoss(cause) ? "08006" : "unknown");
  const advice =
    ADVICE.find(([codes]) => codes.test(code))?.[1] ??
    "See the cause for what the database reported.";
  return new ContextError(
    "archive-failed",
    `The archive could not use its database (${code}). ${advice}`,
    {
      details: { code },
      cause,
    },
  );
}
