import { type Handle, handleKind, isHandle } from "../../core/message/handle.ts";
import { missingOriginal, takenHandle } from "../archive-error.ts";
import { type ArchiveEntry, byTime, type OriginalReader, type Originals } from "../archive.ts";
import { sha256OfBytes } from "../digest.ts";
import { originalsIn } from "../kept-bytes.ts";
import type { S3Object, S3Objects } from "./objects.ts";
import type { Place } from "./place.ts";

/*
 * <root>originals/<handle>/<time>.<sha256>
 *
 * A list alone says what there is, since when, and what its bytes must be. Two writers of one original
 * may both store it: the first one counts.
 */

interface Original {
  readonly entry: ArchiveEntry;
  readonly key: string;
  readonly digest: string;
}

const TIME_DIGITS = 15;
const NAME = /(?:^|\/)originals\/([a-z]+_[0-9a-f]{16})\/(\d{15})\.([0-9a-f]{64})$/;

function originalOf({ key, bytes }: S3Object): Original | undefined {
  const [, handle = "", time, digest = ""] = NAME.exec(key) ?? [];
  if (!isHandle(handle)) return undefined;
  const entry = { handle, kind: handleKind(handle), bytes, storedAt: Number(time) };
  return { entry, key, digest };
}

export function s3Originals(place: Place): Originals {
  const { objects } = place.store;
  const find = async (handle: Handle): Promise<Original | undefined> => {
    const root = await place.root();
    return root === undefined ? undefined : look(objects, root, handle);
  };
  const there = async (handle: Handle): Promise<Original> => {
    const original = await find(handle);
    if (original === undefined) throw missingOriginal(handle);
    return original;
  };
  return originalsIn({
    keep: (handle, bytes) => place.write((root) => store(objects, root, { handle, bytes })),
    async load(handle) {
      const { key, digest } = await there(handle);
      const bytes = await objects.read(key);
      if (bytes === undefined) throw missingOriginal(handle);
      return { bytes, digest, place: key };
    },
    has: async (handle) => (await find(handle)) !== undefined,
    async list() {
      const root = await place.root();
      if (root === undefined) return [];
      const first = new Map<string, ArchiveEntry>();
      for (const each of await objects.list(`${root}originals/`)) {
        const entry = originalOf(each)?.entry;
        if (entry !== undefined && !first.has(entry.handle)) first.set(entry.handle, entry);
      }
      return [...first.values()].sort(byTime);
    },
    async open(handle) {
      const { key, entry } = await there(handle);
      const { bytes } = entry;
      return objectReader(objects, { key, bytes }, () => missingOriginal(handle));
    },
  });
}

/** The first object of an original. */
async function look(
  objects: S3Objects,
  root: string,
  handle: Handle,
): Promise<Original | undefined> {
  const [first] = await objects.list(`${root}originals/${handle}/`, { most: 1 });
  return first && originalOf(first);
}

async function store(
  objects: S3Objects,
  root: string,
  { handle, bytes }: { readonly handle: Handle; readonly bytes: Buffer },
): Promise<ArchiveEntry> {
  const digest = sha256OfBytes(bytes);
  const known = await look(objects, root, handle);
  if (known !== undefined && known.digest !== digest) throw takenHandle(handle);
  if (known !== undefined) return known.entry;
  const storedAt = Date.now();
  const time = String(storedAt).padStart(TIME_DIGITS, "0");
  await objects.write(`${root}originals/${handle}/${time}.${digest}`, bytes);
  return { handle, kind: handleKind(handle), bytes: bytes.length, storedAt };
}

/** Reads parts of an object. */
export function objectReader(
  objects: S3Objects,
  { key, bytes }: { readonly key: string; readonly bytes: number },
  missing: () => Error,
): OriginalReader {
  return {
    bytes,
    async read(from, into) {
      const length = Math.max(0, Math.min(into.length, bytes - from));
      if (length === 0) return 0;
      const part = await objects.read(key, from, length);
      if (part === undefined) throw missing();
      into.set(part.subarray(0, length));
      return Math.min(part.length, length);
    },
    close: async () => undefined,
  };
}
