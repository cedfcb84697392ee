import { type Handle, isHandle } from "../core/message/handle.ts";
import { alteredOriginal } from "./archive-error.ts";
import {
  type ArchiveEntry,
  checkedHandle,
  handleOfOriginal,
  type OriginalReader,
  type Originals,
} from "./archive.ts";
import { sha256Hex, sha256OfBytes } from "./digest.ts";

type Pieces = readonly (string | Uint8Array)[];

/** Both ways into an archive that keeps originals as bytes. */
export function putBy(
  keep: (handle: Handle, pieces: Pieces) => Promise<ArchiveEntry>,
): Pick<Originals, "put" | "putPieces"> {
  return {
    put: async (kind, content, handle = handleOfOriginal(kind, content, sha256Hex)) =>
      keep(checkedHandle(handle), [content]),
    putPieces: async (handle, pieces) => keep(checkedHandle(handle), pieces),
  };
}

export function joinPieces(pieces: Pieces): Buffer {
  const all = pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  const [only] = all;
  return all.length === 1 && only instanceof Buffer ? only : Buffer.concat(all);
}

/** Bytes that were stored under a handle. */
export interface Kept {
  readonly bytes: Buffer;
  /** SHA-256 of those that were stored. */
  readonly digest: string;
  /** The name of their place, for an error. */
  readonly place: string;
}

/** A medium for bytes, each under a handle that is well-formed; what is not there is an error. */
export interface ByteMedium extends Pick<Originals, "list"> {
  readonly keep: (handle: Handle, bytes: Buffer) => Promise<ArchiveEntry>;
  readonly load: (handle: Handle) => Promise<Kept>;
  readonly has: (handle: Handle) => Promise<boolean>;
  readonly open: (handle: Handle) => Promise<OriginalReader>;
}

/** The originals in a medium; their bytes must be those that were stored. */
export function originalsIn({ keep, load, has, list, open }: ByteMedium): Originals {
  return {
    ...putBy((handle, pieces) => keep(handle, joinPieces(pieces))),
    get: async (text) => {
      const handle = checkedHandle(text);
      const { bytes, digest, place } = await load(handle);
      if (sha256OfBytes(bytes) !== digest) throw alteredOriginal(handle, place);
      return bytes.toString("utf8");
    },
    has: async (text) => isHandle(text) && has(text),
    list,
    read: async (text) => open(checkedHandle(text)),
  };
}
