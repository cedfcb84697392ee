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
    : `and not exists (select 1 from ${schema}.journal j where j.tenant = c.tenant and j.conversation = c.key)`;
  const removed = { conversations: 0, bytes: 0 };
  for (;;) {
    const [sum] = await transact((query) =>
      query(
        `with old as (
           select tenant, key from ${schema}.conversations c
           where tenant = $1 and used_at < clock_timestamp() - $2 * interval '1 millisecond' ${kept}
           order by used_at limit $3 for update skip locked),
         sizes as (
           select coalesce(sum(o.bytes), 0) as bytes,
             array_remove(array_agg(o.object), null) as objects from ${schema}.originals o
           join old on o.tenant = old.tenant and o.conversation = old.key),
         gone as (
           delete from ${schema}.conversations c using old
           where c.tenant = old.tenant and c.key = old.key returning 1)
         select (select count(*) from gone) as conversations, bytes, objects from sizes`,
        [tenant, maxAgeMs, batch],
      ),
    );
    removed.conversations += Number(sum?.["conversations"]);
    removed.bytes += Number(sum?.["bytes"]);
    await removeObjects(store, (sum?.["objects"] as readonly string[] | null) ?? []);
    if (Number(sum?.["conversations"]) < batch) break;
  }
  await sweep(store);
  return removed;
}
