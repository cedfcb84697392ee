import { ContextError } from "../../core/error.ts";
import { checkNames } from "../../core/options.ts";
import { type Collected, COLLECT_OPTIONS, type CollectOptions } from "../collected.ts";
import { readUse, rootOf, type S3Store, usesOf } from "./place.ts";
import type { S3Object } from "./objects.ts";

const HOUR_MS = 3_600_000;

/**
 * Removes conversations of the archive that were not used for long. A killed collection is finished by
 * the next one.
 */
export async function collectObjects(store: S3Store, options: CollectOptions): Promise<Collected> {
  checkNames(options, COLLECT_OPTIONS);
  const { maxAgeMs, journals = false } = options;
  if (!(maxAgeMs >= HOUR_MS)) {
    throw new ContextError(
      "invalid-options",
      `s3Archive: \`maxAgeMs\` must be ${HOUR_MS} (an hour) at least: who uses a conversation says so once in ten minutes.`,
    );
  }
  await store.check();
  const now = await serverTime(store);
  const removed = { conversations: 0, bytes: 0 };
  for (const [key, last] of await lastUses(store)) {
    if (now - last.modifiedAt < maxAgeMs || last.bytes === DONE.length) continue;
    const bytes = await removeConversation(store, { key, last, journals });
    if (bytes === undefined) continue;
    removed.conversations++;
    removed.bytes += bytes;
  }
  return removed;
}

/** The text that stays where a conversation was, so that the next number of its uses is known. */
const DONE = "{}";

/** The time by the clock that tells of what is in the bucket. */
async function serverTime({ objects }: S3Store): Promise<number> {
  const key = "clock";
  await objects.write(key, "");
  const [own] = await objects.list(key, { most: 1 });
  return own?.modifiedAt ?? 0;
}

/** The last use of every conversation, by its key. */
export async function lastUses({ objects }: S3Store): Promise<Map<string, S3Object>> {
  const last = new Map<string, S3Object>();
  for (const each of await objects.list("uses/")) {
    const [, key] = /^uses\/([0-9a-f]{32})\/\d{10}$/.exec(each.key) ?? [];
    if (key !== undefined) last.set(key, each);
  }
  return last;
}

interface Due {
  readonly key: string;
  readonly last: S3Object;
  readonly journals: boolean;
}

/** The number of bytes that its originals had; `undefined` where it stays. */
async function removeConversation(
  store: S3Store,
  { key, last, journals }: Due,
): Promise<number | undefined> {
  const { objects } = store;
  const number = Number(last.key.slice(-10));
  const use = await readUse(objects, { ...last, number });
  const generation = use?.generation ?? use?.removing;
  if (generation === undefined) return undefined;
  const root = rootOf(key, generation);
  const canGoOn = async (): Promise<boolean> =>
    (await objects.list(`${root}journal/`, { most: 1 })).length > 0;
  if (use?.generation !== undefined && !journals && (await canGoOn())) return undefined;
  const uses = usesOf(store, key);
  if (!(await uses.succeed(number + 1, JSON.stringify({ removing: generation })))) return undefined;
  const all = await objects.list(root);
  await objects.remove(all.map((each) => each.key));
  await objects.write(uses.keyOf(number + 1), DONE);
  const originals = all.filter((each) => each.key.startsWith(`${root}originals/`));
  return originals.reduce((sum, { bytes }) => sum + bytes, 0);
}
