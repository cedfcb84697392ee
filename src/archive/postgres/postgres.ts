import { sha256Hex } from "../digest.ts";
import type { Archive, ArchiveJournal, Sought } from "../archive.ts";
import type { Collected, CollectOptions } from "../collected.ts";
import { collect } from "./collect.ts";
import { journalOf } from "./journal.ts";
import { type Migration, migrations, migrationsTable } from "./migrations.ts";
import { originalsOf } from "./originals.ts";
import { conversationsIn, holdingOf } from "./search.ts";
import {
  checked,
  createStore,
  type Place,
  type PostgresArchiveOptions,
  type Store,
} from "./store.ts";

export interface PostgresArchive extends Archive {
  readonly journal: ArchiveJournal;
  conversation(id: string): PostgresArchive;
  /** Of the tenant; with a text, of those that may hold it. */
  conversations(holding?: Sought): Promise<readonly string[]>;
  /** Makes the tables, or brings them up to date; safe when many do it at once. The numbers of the steps that were taken. */
  migrate(): Promise<readonly number[]>;
  /**
   * Removes conversations of the tenant that nobody has used for `maxAgeMs`, in batches of
   * `batch` (100) that wait for nobody. One with a journal stays, unless `journals` says otherwise.
   */
  collect(options: CollectOptions): Promise<Collected>;
  /** Ends the pool that was made for the connection string; a caller's own stays. */
  close(): Promise<void>;
}

/**
 * An archive in PostgreSQL, for agents on more than one machine. Any number of
 * processes may use one conversation; what `put` and `append` return for is committed. Rejects as
 * every archive does: `unknown-handle`, `archive-failed` (with what to do), `invalid-message` for
 * text with half a surrogate pair.
 * @example
 * import { createContext } from "longhaul";
 * import { postgresArchive } from "longhaul/archive/postgres";
 *
 * const archive = postgresArchive({ migrate: true });
 * const context = createContext({ window: 200_000, conversation: "ticket-4711", archive });
 */
export function postgresArchive(options: PostgresArchiveOptions = {}): PostgresArchive {
  const { schema = "longhaul", tenant = "default", conversation = "default" } = checked(options);
  return archiveOf(createStore(schema, tenant, options), conversation);
}

function archiveOf(store: Store, id: string): PostgresArchive {
  const place = placeOf(store, id);
  return {
    name: "postgres",
    ...originalsOf(place),
    ...holdingOf(place),
    conversation: (other) => archiveOf(store, other),
    conversations: (holding) => conversationsIn(store, holding),
    journal: journalOf(place),
    migrate: store.migrate,
    collect: (options) => collect(store, options),
    close: store.close,
  };
}

/** A conversation is marked as used once in so many seconds. */
const USE_EVERY = 60;

function placeOf(store: Store, id: string): Place {
  const { schema, tenant } = store;
  const text = JSON.stringify(id);
  const key = Buffer.from(sha256Hex(text), "hex");
  return {
    store,
    key,
    async use(query) {
      // A lock of the key keeps `collect` away until the transaction ends, and no other use waits for it.
      await query(
        `with known as (
           select 1 from ${schema}.conversations where tenant = $1 and key = $2 for key share),
         marked as (
           update ${schema}.conversations set used_at = clock_timestamp()
           where tenant = $1 and key = (
             select key from ${schema}.conversations where tenant = $1 and key = $2
               and used_at < clock_timestamp() - interval '${USE_EVERY} seconds'
             for no key update skip locked))
         insert into ${schema}.conversations (tenant, key, id) select $1, $2, $3
         where not exists (select from known) on conflict do nothing`,
        [tenant, key, text],
      );
    },
  };
}

/** The steps as SQL, for whoever applies them by hand; the first one makes the schema. */
export function postgresMigrations(schema = "longhaul"): readonly Migration[] {
  checked({ schema });
  const [first, ...steps] = migrations(schema) as [Migration, ...Migration[]];
  return [{ ...first, sql: `${migrationsTable(schema)}\n${first.sql}` }, ...steps];
}
