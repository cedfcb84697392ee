import { setTimeout as delay } from "node:timers/promises";
import { ContextError } from "../../core/error.ts";
import type { ArchiveJournal } from "../archive.ts";
import { randomDigits } from "../digest.ts";
import type { Query } from "./connection.ts";
import { OF_CONVERSATION, type Place } from "./store.ts";

/** A process that dies in the middle of an edit holds the others up for so long. */
const LEASE_SECONDS = 10;
const RENEW_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 200;
/** A process whose edit never ends is not waited for longer: its lease is not renewed any more. */
const MOST_HELD_MS = 5 * 60_000;
/** Long enough to take over from such a one. */
const MOST_WAIT_MS = 6 * 60_000;

/** Entries have numbers; who adds one waits for who is adding one. */
export function journalOf(place: Place): ArchiveJournal {
  const { schema, tenant, transact } = place.store;
  const read = `select entry from ${schema}.journal where ${OF_CONVERSATION} order by number`;
  // Rows tell how long their texts are without a look at these.
  const size = `select coalesce(sum(octet_length(entry) + 1), 0) as bytes from ${schema}.journal where ${OF_CONVERSATION}`;
  const lease = createLease(place);
  return {
    isRequired: true,
    read: () =>
      transact(async (query) => {
        const rows = await query(read, [tenant, place.key]);
        return rows.map(({ entry }): unknown => JSON.parse(entry as string));
      }),
    size: () =>
      transact(async (query) => Number((await query(size, [tenant, place.key]))[0]?.["bytes"])),
    append: (entry) =>
      transact(async (query) => {
        await place.use(query);
        await query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
          `${schema}.${tenant}.${place.key.toString("hex")}`,
        ]);
        // Somebody else may have gone on in the meantime, from what stood before.
        if (lease.isMine() && !(await lease.renewed(query))) throw lostLease();
        await query(
          `insert into ${schema}.journal (tenant, conversation, number, entry)
           select $1, $2, coalesce(max(number), 0) + 1, $3 from ${schema}.journal
           where ${OF_CONVERSATION}`,
          [tenant, place.key, JSON.stringify(entry)],
        );
      }),
    alone: (work, signal) => lease.during(work, signal),
  };
}

interface Lease {
  /** Whether work is being done under it. */
  readonly isMine: () => boolean;
  readonly renewed: (query: Query) => Promise<boolean>;
  readonly during: <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
}

/**
 * The right to edit a conversation, for some seconds by the database's own clock, which the clocks of
 * the machines do not matter to. It holds no connection.
 */
function createLease(place: Place): Lease {
  const { schema, tenant, transact } = place.store;
  const holder = randomDigits();
  const values = [tenant, place.key, holder];
  let isHeld = false;
  const until = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;
  const renewed: Lease["renewed"] = async (query) => {
    const text = `update ${schema}.leases set until = ${until} where ${OF_CONVERSATION} and holder = $3 returning 1`;
    return (await query(text, values)).length > 0;
  };
  const taken = (): Promise<boolean> =>
    transact(async (query) => {
      await place.use(query);
      const rows = await query(
        `insert into ${schema}.leases as held (tenant, conversation, holder, until)
         values ($1, $2, $3, ${until})
         on conflict (tenant, conversation) do update set holder = $3, until = ${until}
         where held.until < clock_timestamp() returning 1`,
        values,
      );
      return rows.length > 0;
    });
  return {
    isMine: () => isHeld,
    renewed,
    async during(work, signal) {
      const asked = performance.now();
      while (!(await taken())) {
        if (performance.now() - asked > MOST_WAIT_MS) throw heldTooLong();
        await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
      }
      isHeld = true;
      const began = performance.now();
      const renewal = setInterval(() => {
        if (performance.now() - began > MOST_HELD_MS) return clearInterval(renewal);
        // A renewal that fails shows itself when the edit is to be stored.
        transact(renewed).catch(() => false);
      }, RENEW_EVERY_MS);
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        clearInterval(renewal);
        isHeld = false;
        const text = `delete from ${schema}.leases where ${OF_CONVERSATION} and holder = $3`;
        await transact((query) => query(text, values)).catch(() => undefined);
      }
    },
  };
}

function heldTooLong(): ContextError {
  return new ContextError(
    "archive-failed",
    `Other processes have been editing this conversation for ${MOST_WAIT_MS / 60_000} minutes, so this one did not. The next step tries again.`,
  );
}

function lostLease(): ContextError {
  return new ContextError(
    "archive-failed",
    "Another process has taken over the edit of this conversation, because this one was not heard of for some seconds. The next step goes on from what it made.",
  );
}
