import type { FilePart } from "./message.ts";

/** Bytes that are written at once: three are four symbols, and a call takes only so many arguments. */
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

/** Every platform has it; the language level here does not declare it. */
declare const btoa: (binary: string) => string;

export function base64(bytes: Uint8Array): string {
  const blocks: string[] = [];
  for (let from = 0; from < bytes.length; from += BLOCK) {
    blocks.push(btoa(String.fromCharCode(...bytes.subarray(from, from + BLOCK))));
  }
  return blocks.join("");
}
