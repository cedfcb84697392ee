import { ContextError } from "../../core/error.ts";
import type { Handle } from "../../core/message/handle.ts";
import type { OriginalReader } from "../archive.ts";
import { randomDigits } from "../digest.ts";
import { objectReader } from "../s3/originals.ts";
import type { Place, Store } from "./store.ts";

/*
 * large/<schema>/<tenant>/<conversation>/<handle>.<digits>
 *
 * The database says which objects there are: each belongs to one row, whose name for it nobody else
 * can have made. So a bucket needs no conditions, and what no row names is left over.
 */

export function isLarge({ store: { large } }: Place, bytes: Buffer): boolean {
  return large !== undefined && bytes.length >= large.from;
}

/** Gives the name of the object. */
export async function writeObject(
  { store, key }: Place,
  handle: Handle,
  bytes: Buffer,
): Promise<string> {
  const name = `${folderOf(store)}${key.toString("hex")}/${handle}.${randomDigits()}`;
  await store.large?.objects.write(name, bytes);
  return name;
}

export async function removeObjects({ large }: Store, names: readonly string[]): Promise<void> {
  await large?.objects.remove(names);
}

export function objectOf(
  { store: { large } }: Place,
  handle: Handle,
  name: string,
): { read(): Promise<Buffer>; reader(bytes: number): OriginalReader } {
  if (large === undefined) {
    const message = `The original of ${handle} is in a bucket: give postgresArchive the option \`large\`, as whoever stored it did.`;
    throw new ContextError("archive-failed", message, { details: { handle } });
  }
  return {
    async read() {
      const bytes = await large.objects.read(name);
      if (bytes === undefined) throw missingObject(handle, name);
      return bytes;
    },
    reader: (bytes) =>
      objectReader(large.objects, { key: name, bytes }, () => missingObject(handle, name)),
  };
}

function missingObject(handle: Handle, object: string): ContextError {
  const message = `The object ${object} is not in the bucket, where the original of ${handle} should be. Check that \`large\` is the bucket and the prefix that it was stored with, or restore it.`;
  return new ContextError("archive-failed", message, { details: { handle, object } });
}

function folderOf({ name, tenant }: Store): string {
  return `large/${name}/${tenant}/`;
}

/** An object whose row is not there after so long belongs to a process that died, or to a removed row. */
const LEFT_OVER_MS = 24 * 3_600_000;
/** Names that the database is asked for at once. */
const AT_ONCE = 1_000;

/** Removes what is left over in the bucket. */
export async function sweep(store: Store): Promise<void> {
  const { large, schema, tenant, transact } = store;
  if (large === undefined) return;
  const text = `select object from ${schema}.originals where tenant = $1 and object = any($2)`;
  const old = (await large.objects.list(folderOf(store))).filter(
    ({ modifiedAt }) => Date.now() - modifiedAt > LEFT_OVER_MS,
  );
  for (let at = 0; at < old.length; at += AT_ONCE) {
    const names = old.slice(at, at + AT_ONCE).map(({ key }) => key);
    const rows = await transact((query) => query(text, [tenant, names]));
    const known = new Set(rows.map(({ object }) => object));
    await large.objects.remove(names.filter((name) => !known.has(name)));
  }
}
