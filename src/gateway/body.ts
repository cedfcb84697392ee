import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** The body of a request, as far as it was read. */
export type TakenBody =
  | { readonly bytes: Buffer }
  /** It is too large to be looked into: all of it, as it comes. */
  | { readonly stream: Readable };

/** Reads a body of at most so many bytes; a larger one is given back as a stream. */
export async function takeBody(request: IncomingMessage, most: number): Promise<TakenBody> {
  const said = Number(request.headers["content-length"] ?? 0);
  if (said > most) return { stream: request };
  // A buffer of the whole size is copied only where more came than was said.
  let bytes = Buffer.allocUnsafeSlow(said > 0 ? said : FIRST_BYTES);
  let size = 0;
  const source = request[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  for (;;) {
    const { done, value } = await source.next();
    if (done === true) return { bytes: bytes.subarray(0, size) };
    const end = size + value.byteLength;
    if (end > most)
      return { stream: Readable.from(allOf([bytes.subarray(0, size), value], source)) };
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * bytes.length));
      bytes.copy(larger, 0, 0, size);
      bytes = larger;
    }
    bytes.set(value, size);
    size = end;
  }
}

/** Room for a body of unknown length to begin with. */
const FIRST_BYTES = 65_536;

async function* allOf(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Node has zstd since 22.15. */
const { zstdDecompress } = zlib as { zstdDecompress?: typeof zlib.gunzip };

const UNPACK: Readonly<Record<string, Unpack | undefined>> = {
  gzip: promisify(zlib.gunzip) as Unpack,
  "x-gzip": promisify(zlib.gunzip) as Unpack,
  deflate: promisify(zlib.inflate) as Unpack,
  br: promisify(zlib.brotliDecompress) as Unpack,
  zstd: zstdDecompress && (promisify(zstdDecompress) as Unpack),
};

/** Unpacks at most so many bytes. Rejects for a body that cannot be unpacked, or grows larger. */
export async function unpacked(
  bytes: Buffer,
  encoding: string | undefined,
  most: number,
): Promise<Buffer> {
  const names = (encoding ?? "").toLowerCase().split(",");
  const steps = names
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  let result = bytes;
  for (const name of steps.reverse()) {
    const unpack = UNPACK[name];
    if (unpack === undefined) throw new Error(`bodies packed with ${name} are not read here`);
    result = await unpack(result, { maxOutputLength: most });
  }
  return result;
}
