import type { Handle } from "../core/message/handle.ts";
import { alteredOriginal } from "./archive-error.ts";
import { type ArchiveEntry, checkedHandle, handleOfOriginal, type Originals } from "./archive.ts";
import { sha256Hex, sha256OfBytes } from "./digest.ts";

/** Both ways into an archive that keeps originals as bytes. */
export function putBy(
  keep: (handle: Handle, bytes: Buffer) => Promise<ArchiveEntry>,
): Pick<Originals, "put" | "putPieces"> {
  return {
    put: async (kind, content, handle = handleOfOriginal(kind, content, sha256Hex)) =>
      keep(checkedHandle(handle), Buffer.from(content, "utf8")),
    putPieces: async (handle, pieces) => keep(checkedHandle(handle), joinPieces(pieces)),
  };
}

export function joinPieces(pieces: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
}

/** The text of an original, whose bytes must be those that were stored. */
export function textOf(
  bytes: Buffer,
  {
    handle,
    digest,
    place,
  }: { readonly handle: Handle; readonly digest: string; readonly place: string },
): string {
  if (sha256OfBytes(bytes) !== digest) throw alteredOriginal(handle, place);
  return bytes.toString("utf8");
}
