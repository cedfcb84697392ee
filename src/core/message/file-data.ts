import type { FilePart } from "./message.ts";

const SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Bytes that are written at once; the strings of a whole file would be moved about. */
const BLOCK = 3 * 1_024;

/** Base64 of bytes that were handed over as such; it goes with them. */
const known = new WeakMap<object, string>();

/** The content of a file as base64, whatever it was handed over as; undefined where it is elsewhere. */
export function fileData({ data }: Pick<FilePart, "data">): string | undefined {
  if (typeof data === "string") return data;
  // JSON writes `null` for what is not there.
  if (!isBytes(data)) return undefined;
  const text = known.get(data) ?? base64(data instanceof Uint8Array ? data : new Uint8Array(data));
  known.set(data, text);
  return text;
}

/** The size of a file's content, in bytes. */
export function fileBytes({ data }: Pick<FilePart, "data">): number {
  if (typeof data === "string") return Math.ceil((data.length * 3) / 4);
  return isBytes(data) ? data.byteLength : 0;
}

/** Bytes as programs and SDKs hold them. */
export function isBytes(value: unknown): value is Uint8Array | ArrayBuffer {
  return value instanceof Uint8Array || value instanceof ArrayBuffer;
}

export function base64(bytes: Uint8Array): string {
  const blocks: string[] = [];
  for (let from = 0; from < bytes.length; from += BLOCK) {
    let block = "";
    const end = Math.min(bytes.length, from + BLOCK);
    for (let at = from; at < end; at += 3) {
      const [first = 0, second, third] = bytes.subarray(at, Math.min(at + 3, end));
      const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
      block += symbol(bits >> 18) + symbol(bits >> 12);
      block += second === undefined ? "=" : symbol(bits >> 6);
      block += third === undefined ? "=" : symbol(bits);
    }
    blocks.push(block);
  }
  return blocks.join("");
}

function symbol(bits: number): string {
  return SYMBOLS.charAt(bits & 63);
}
