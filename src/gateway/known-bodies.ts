import type { WireObject } from "../dialects/wire.ts";
import { type Beginning, commonLength, readBody, type ReadBody } from "./read-body.ts";

/** Reads the bodies of requests; what an earlier one began with is not read again. */
export interface KnownBodies {
  /**
   * `owner` is whose bodies it may be held against, `key` the field of its messages. `undefined` for what
   * is no JSON object.
   */
  read(bytes: Buffer, owner: string, key: string): Reading | undefined;
}

export interface Reading {
  readonly body: ReadBody;
  /** Later bodies are held against this one. `params` say the same as its own, maybe in other objects. */
  keep(params: WireObject): void;
}

/** So many bodies are held, of so many bytes together; the one unused for longest gives way. */
const MOST_BODIES = 64;
const MOST_BYTES = 64 * 1024 * 1024;

export function createKnownBodies(): KnownBodies {
  /** With their owners; the one used last is the last. */
  const known = new Map<ReadBody, string>();
  return {
    read(bytes, owner, key) {
      const before = closest(known, bytes, owner);
      const body = readBody(bytes, key, before);
      return (
        body && {
          body,
          keep(params) {
            // Most requests are the one before and a step more; that one is not needed again.
            if (before !== undefined && isMost(before)) known.delete(before.body);
            known.set({ ...body, params }, owner);
            shrink(known);
          },
        }
      );
    },
  };
}

function closest(
  known: ReadonlyMap<ReadBody, string>,
  bytes: Buffer,
  owner: string,
): Beginning | undefined {
  let best: Beginning | undefined;
  for (const [body, whose] of known) {
    const same = whose === owner ? commonLength(bytes, body.bytes) : 0;
    if (same > (best?.same ?? 0)) best = { body, same };
  }
  return best;
}

function isMost({ body, same }: Beginning): boolean {
  return same * 2 > body.bytes.length;
}

function shrink(known: Map<ReadBody, string>): void {
  let size = 0;
  for (const { bytes } of known.keys()) size += bytes.length;
  for (const body of known.keys()) {
    if (known.size <= MOST_BODIES && size <= MOST_BYTES) break;
    known.delete(body);
    size -= body.bytes.length;
  }
}
