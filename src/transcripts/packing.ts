import zlib from "node:zlib";
import type { Transform } from "node:stream";
import { ContextError } from "../core/error.ts";

/** The packing of the bytes of a file. */
export interface Packing {
  readonly name: "gzip" | "zstd";
  /** The most packed bytes that cannot unpack to more than 32 MB. */
  readonly piece: number;
  /** Throws `ContextError` code `unreadable-file` where this Node cannot unpack it. */
  open(): Unpacker;
  /**
   * Bytes that begin no frame, and the code of the error with which they are refused: for a stream that
   * ends with a frame although others may follow. Gzip itself goes on.
   */
  readonly boundary?: { readonly noBeginning: Buffer; readonly code: string };
  /** All of it at once; of what is cut, what it holds. Throws as `open`, and for more than so many bytes. */
  whole(bytes: Uint8Array, maxOutputLength: number): Buffer;
}

/** It counts the bytes that it took. */
type Unpacker = Transform & { readonly bytesWritten: number };

/** Node has zstd since 22.15. */
const { createZstdDecompress, zstdDecompressSync } = zlib as unknown as {
  createZstdDecompress?: () => Unpacker;
  zstdDecompressSync?: (bytes: Uint8Array, options: object) => Unpacked;
};

interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const GZIP: Packing = {
  name: "gzip",
  // One byte gives at most 1,032.
  piece: 16 * 1024,
  open: () => zlib.createGunzip(),
  whole: (bytes, maxOutputLength) =>
    zlib.gunzipSync(bytes, { maxOutputLength, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
};

const ZSTD: Packing = {
  name: "zstd",
  // Four bytes are a block of at most 128 KB.
  piece: 1024,
  boundary: { noBeginning: Buffer.alloc(8), code: "ZSTD_error_prefix_unknown" },
  open: () => (createZstdDecompress ?? withoutZstd)(),
  whole(bytes, maxOutputLength) {
    const frames: Buffer[] = [];
    let left = maxOutputLength;
    for (let rest = bytes; rest.length > 0;) {
      const options = { maxOutputLength: left, info: true };
      const { buffer, engine } = (zstdDecompressSync ?? withoutZstd)(rest, options);
      frames.push(buffer);
      left -= buffer.length;
      rest = rest.subarray(engine.bytesWritten);
    }
    return Buffer.concat(frames);
  },
};

/** By its first four bytes. */
export function packingOf(start: Uint8Array): Packing | undefined {
  if (start[0] === 0x1f && start[1] === 0x8b) return GZIP;
  const isZstd = start[0] === 0x28 && start[1] === 0xb5 && start[2] === 0x2f && start[3] === 0xfd;
  return isZstd ? ZSTD : undefined;
}

function withoutZstd(): never {
  throw new ContextError(
    "unreadable-file",
    `Cannot read a file packed with zstd: Node.js ${process.versions.node} has no zstd. Use Node.js 22.15 or newer, or unpack the file first: zstd -d FILE.`,
    { details: { reason: "is packed with zstd", node: process.versions.node } },
  );
}
