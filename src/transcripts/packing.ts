import zlib from "node:zlib";
import { ContextError } from "../core/error.ts";

/** The packing of the bytes of a file. */
export interface Packing {
  readonly name: "gzip" | "zstd";
  /**
   * All of it at once; of what is cut short, what it holds, and `onCut` is told. Throws `ContextError` code
   * `unreadable-file` where this Node cannot unpack it, `RangeError` for more than so many bytes, and
   * what zlib throws for what is damaged.
   */
  whole(bytes: Uint8Array, maxOutputLength: number, onCut?: () => void): Buffer;
}

/** Node has zstd since 22.15. */
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync?: Unpack };

type Unpack = (
  bytes: Uint8Array,
  options: object,
) => { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

const GZIP: Packing = {
  name: "gzip",
  whole(bytes, maxOutputLength, onCut) {
    try {
      return zlib.gunzipSync(bytes, { maxOutputLength });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "Z_BUF_ERROR") throw error;
      onCut?.();
      const finishFlush = zlib.constants.Z_SYNC_FLUSH;
      return zlib.gunzipSync(bytes, { maxOutputLength, finishFlush });
    }
  },
};

const ZSTD: Packing = {
  name: "zstd",
  whole(bytes, maxOutputLength, onCut) {
    const unpack = zstdDecompressSync ?? withoutZstd;
    const frames: Buffer[] = [];
    const marked = Buffer.concat([bytes, NO_FRAME]);
    let left = maxOutputLength;
    for (let at = 0; at < bytes.length;) {
      const options = { maxOutputLength: left, info: true };
      let frame = wholeFrame(unpack, marked.subarray(at), options);
      if (frame === undefined) {
        frame = unpack(bytes.subarray(at), options);
        onCut?.();
      }
      frames.push(frame.buffer);
      left -= frame.buffer.length;
      at += frame.engine.bytesWritten;
    }
    return Buffer.concat(frames);
  },
};

/** Bytes that begin no frame. */
const NO_FRAME = Buffer.alloc(8);

/**
 * Node does not tell that a frame is cut short, but such a one reads on into what stands behind it:
 * `undefined` for it, and for what is damaged.
 */
function wholeFrame(unpack: Unpack, marked: Uint8Array, options: object) {
  try {
    const frame = unpack(marked, options);
    return frame.engine.bytesWritten > marked.length - NO_FRAME.length ? undefined : frame;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

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
