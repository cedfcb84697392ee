import { type Handle, handleKind } from "../../core/message/handle.ts";
import { missingOriginal, takenHandle } from "../archive-error.ts";
import type { ArchiveEntry, OriginalReader, Originals } from "../archive.ts";
import { sha256OfBytes } from "../digest.ts";
import { originalsIn } from "../kept-bytes.ts";
import type { Query, Row } from "./connection.ts";
import { isLarge, objectOf, removeObjects, writeObject } from "./large.ts";
import { OF_CONVERSATION, type Place } from "./store.ts";

/** Bytes of an original in one row; most have no more. */
const PIECE = 1_048_576;

export function originalsOf(place: Place): Originals {
  const { schema, tenant, transact, storing } = place.store;
  const look = `select 1 from ${schema}.originals where ${OF_CONVERSATION} and handle = $3`;
  const all = `select ${ENTRY} from ${schema}.originals where ${OF_CONVERSATION} order by stored_at, handle`;
  const has = (handle: Handle): Promise<boolean> =>
    transact(async (query) => (await query(look, [tenant, place.key, handle])).length > 0);
  const keep = async (handle: Handle, bytes: Buffer): Promise<ArchiveEntry> => {
    // An object is there before its row is, and belongs to that row alone.
    const isObject = isLarge(place, bytes) && !(await has(handle));
    const object = isObject ? await writeObject(place, handle, bytes) : null;
    const stored = await storing((query) => store(query, place, { handle, bytes, object }));
    if (object !== null && stored.object !== object) await removeObjects(place.store, [object]);
    return stored.entry;
  };
  return originalsIn({
    keep,
    load: async (handle) => {
      const { bytes, digest, object } = await transact((query) => whole(query, place, handle));
      if (object === null) return { bytes, digest, place: "a row" };
      return { bytes: await objectOf(place, handle, object).read(), digest, place: object };
    },
    has,
    list: () => transact(async (query) => (await query(all, [tenant, place.key])).map(entryOf)),
    open: async (handle) => {
      const row = await transact((query) => find(query, place, handle, "bytes, object"));
      const object = row["object"] as string | null;
      if (object !== null) return objectOf(place, handle, object).reader(Number(row["bytes"]));
      return readerOf(Number(row["bytes"]), (part) =>
        transact((query) => partOf(query, place, { ...part, handle })),
      );
    },
  });
}

/** A row as an entry; milliseconds since the epoch, as every archive has them. */
const ENTRY = "handle, bytes, floor(extract(epoch from stored_at) * 1000) as stored";

function entryOf(row: Row): ArchiveEntry {
  const handle = row["handle"] as Handle;
  const [bytes, storedAt] = [Number(row["bytes"]), Number(row["stored"])];
  return { handle, kind: handleKind(handle), bytes, storedAt };
}

async function find(
  query: Query,
  { store: { schema, tenant }, key }: Place,
  handle: Handle,
  columns: string,
): Promise<Row> {
  const text = `select ${columns} from ${schema}.originals where ${OF_CONVERSATION} and handle = $3`;
  const [row] = await query(text, [tenant, key, handle]);
  if (row === undefined) throw missingOriginal(handle);
  return row;
}

interface Stored {
  readonly entry: ArchiveEntry;
  /** The name of its object in the bucket. */
  readonly object: string | null;
}

interface Content {
  readonly handle: Handle;
  readonly bytes: Buffer;
  readonly object: string | null;
}

async function store(
  query: Query,
  place: Place,
  { handle, bytes, object }: Content,
): Promise<Stored> {
  const { store: at, key } = place;
  const digest = Buffer.from(sha256OfBytes(bytes), "hex");
  const rows = object === null ? bytes : EMPTY;
  await place.use(query);
  const [stored] = await query(
    `insert into ${at.schema}.originals (tenant, conversation, handle, bytes, digest, start, object)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning ${ENTRY}`,
    [at.tenant, key, handle, bytes.length, digest, rows.subarray(0, PIECE), object],
  );
  if (stored === undefined) {
    const known = await find(query, place, handle, `${ENTRY}, digest, object`);
    if (!digest.equals(known["digest"] as Buffer)) throw takenHandle(handle);
    return { entry: entryOf(known), object: known["object"] as string | null };
  }
  for (let number = 1; number * PIECE < rows.length; number++) {
    await query(
      `insert into ${at.schema}.pieces (tenant, conversation, handle, number, content)
       values ($1, $2, $3, $4, $5)`,
      [at.tenant, key, handle, number, rows.subarray(number * PIECE, (number + 1) * PIECE)],
    );
  }
  return { entry: entryOf(stored), object };
}

const EMPTY = Buffer.alloc(0);

interface Whole {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly object: string | null;
}

async function whole(query: Query, place: Place, handle: Handle): Promise<Whole> {
  const { store: at, key } = place;
  const row = await find(query, place, handle, "bytes, digest, start, object");
  const rest = `select content from ${at.schema}.pieces where ${OF_CONVERSATION} and handle = $3 order by number`;
  const object = row["object"] as string | null;
  const isLong = object === null && Number(row["bytes"]) > PIECE;
  const pieces = isLong ? await query(rest, [at.tenant, key, handle]) : [];
  const contents = [row["start"], ...pieces.map(({ content }) => content)] as readonly Buffer[];
  const digest = (row["digest"] as Buffer).toString("hex");
  return { bytes: Buffer.concat(contents), digest, object };
}

/** Bytes of one row of an original. */
interface Part {
  readonly number: number;
  readonly from: number;
  readonly length: number;
}

async function partOf(
  query: Query,
  { store: { schema, tenant }, key }: Place,
  { handle, number, from, length }: Part & { readonly handle: Handle },
): Promise<Buffer> {
  const values = [tenant, key, handle, from + 1, length];
  const where = `where ${OF_CONVERSATION} and handle = $3`;
  const [row] = await (number === 0
    ? query(
        `select substring(start from $4 for $5) as part from ${schema}.originals ${where}`,
        values,
      )
    : query(
        `select substring(content from $4 for $5) as part from ${schema}.pieces ${where} and number = $6`,
        [...values, number],
      ));
  if (row === undefined) throw missingOriginal(handle);
  return row["part"] as Buffer;
}

/** Reads over the borders of rows. */
function readerOf(bytes: number, read: (part: Part) => Promise<Buffer>): OriginalReader {
  return {
    bytes,
    async read(from, into) {
      const end = Math.min(bytes, from + into.length);
      let at = from;
      while (at < end) {
        const start = at % PIECE;
        const length = Math.min(end - at, PIECE - start);
        const part = await read({ number: Math.floor(at / PIECE), from: start, length });
        into.set(part, at - from);
        at += part.length;
      }
      return Math.max(0, at - from);
    },
    close: async () => undefined,
  };
}
