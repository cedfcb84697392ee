import type { ArchiveJournal } from "../archive.ts";
import { randomDigits } from "../digest.ts";
import { type Lease, LEASE_MS, lostLease, underLease } from "../lease.ts";
import type { Query } from "./connection.ts";
import { OF_CONVERSATION, type Place } from "./store.ts";

const LOOK_EVERY_MS = 200;

/** Entries have numbers; who adds one waits for who is adding one. */
export function journalOf(place: Place): ArchiveJournal {
  const { name, schema, tenant, transact } = place.store;
  const read = `select entry from ${schema}.journal where ${OF_CONVERSATION} order by number`;
  // None has a gap before it, so the newest number is read alone.
  const newest = `select coalesce(max(number), 0) as number from ${schema}.journal where ${OF_CONVERSATION}`;
  const lease = createLease(place);
  return {
    isRequired: true,
    read: () =>
      transact(async (query) => {
        const rows = await query(read, [tenant, place.key]);
        return rows.map(({ entry }): unknown => JSON.parse(entry as string));
      }),
    count: () =>
      transact(async (query) => Number((await query(newest, [tenant, place.key]))[0]?.["number"])),
    append: (entry) =>
      transact(async (query) => {
        await place.use(query);
        await query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
          `${name}.${tenant}.${place.key.toString("hex")}`,
        ]);
        // Somebody else may have gone on in the meantime, from what stood before.
        if (lease.isMine() && !(await lease.renewed(query))) throw lostLease(lease);
        await query(
          `insert into ${schema}.journal (tenant, conversation, number, entry)
           select $1, $2, (${newest}) + 1, $3`,
          [tenant, place.key, JSON.stringify(entry)],
        );
      }),
    alone: (work, signal) => underLease(lease, work, signal),
  };
}

interface OwnLease extends Lease {
  /** Whether work is being done under it. */
  readonly isMine: () => boolean;
  readonly renewed: (query: Query) => Promise<boolean>;
}

/**
 * The right to edit a conversation, for some seconds by the database's own clock, which the clocks of
 * the machines do not matter to. It holds no connection.
 */
function createLease(place: Place): OwnLease {
  const { schema, tenant, transact, onLease } = place.store;
  const holder = randomDigits();
  const values = [tenant, place.key, holder];
  let isHeld = false;
  const until = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
  const renewed: OwnLease["renewed"] = async (query) => {
    const text = `update ${schema}.leases set until = ${until} where ${OF_CONVERSATION} and holder = $3 returning 1`;
    return (await query(text, values)).length > 0;
  };
  return {
    isMine: () => isHeld,
    renewed,
    lookEveryMs: LOOK_EVERY_MS,
    onLease,
    renew: () => transact(renewed),
    take: () =>
      transact(async (query) => {
        await place.use(query);
        const rows = await query(
          `insert into ${schema}.leases as held (tenant, conversation, holder, until)
           values ($1, $2, $3, ${until})
           on conflict (tenant, conversation) do update set holder = $3, until = ${until}
           where held.until < clock_timestamp()
           returning exists (select 1 from ${schema}.leases where ${OF_CONVERSATION}) as was_left`,
          values,
        );
        isHeld = rows.length > 0;
        // The statement itself sees what was there before it.
        return isHeld && (rows[0]?.["was_left"] === true ? "left" : "free");
      }),
    release: () => {
      isHeld = false;
      const text = `delete from ${schema}.leases where ${OF_CONVERSATION} and holder = $3`;
      return transact((query) => query(text, values));
    },
  };
}
