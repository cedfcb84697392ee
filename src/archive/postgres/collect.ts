import { checkNames } from "../../core/options.ts";
import { type Collected, COLLECT_OPTIONS, type CollectOptions } from "../collected.ts";
import { removeObjects, sweep } from "./large.ts";
import type { Store } from "./store.ts";

/** Batch by batch, so that nobody waits for a removal; what somebody is using right now is passed over. */
export async function collect(store: Store, options: CollectOptions): Promise<Collected> {
  const { schema, tenant, transact } = store;
  checkNames(options, COLLECT_OPTIONS);
  const { maxAgeMs, journals = false, batch = 100 } = options;
  const kept = journals
    ? ""
    : // As a value, it is looked up for one conversation after the other, and no table is read as a whole.
      `and (select number from ${schema}.journal j
         where j.tenant = c.tenant and j.conversation = c.key limit 1) is null`;
  const removed = { conversations: 0, bytes: 0 };
  // Conversations that were passed over stay: the next batch begins where this one ended.
  for (let from: unknown = "-infinity"; ;) {
    const [sum] = await transact((query) =>
      query(
        `with old as (
           select tenant, key, used_at from ${schema}.conversations c
           where tenant = $1 and used_at < now() - $2 * interval '1 millisecond'
             and used_at >= $4::timestamptz ${kept}
           order by used_at limit $3 for update skip locked),
         sizes as (
           select coalesce(sum(o.bytes), 0) as bytes,
             array_remove(array_agg(o.object), null) as objects from ${schema}.originals o
           join old on o.tenant = old.tenant and o.conversation = old.key),
         gone as (
           delete from ${schema}.conversations c using old
           where c.tenant = old.tenant and c.key = old.key returning 1)
         select (select count(*) from gone) as conversations,
           (select max(used_at)::text from old) as last, bytes, objects from sizes`,
        [tenant, maxAgeMs, batch, from],
      ),
    );
    from = sum?.["last"] ?? from;
    removed.conversations += Number(sum?.["conversations"]);
    removed.bytes += Number(sum?.["bytes"]);
    await removeObjects(store, (sum?.["objects"] as readonly string[] | null) ?? []);
    if (Number(sum?.["conversations"]) < batch) break;
  }
  await sweep(store);
  return removed;
}
