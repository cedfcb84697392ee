import type { Archive } from "../archive/index.ts";
import type { Direction } from "../core/truncate/index.ts";
import { type Block, createBlock } from "./block.ts";
import { keepEnds } from "./keep-ends.ts";
import { partsOf, type Received } from "./received.ts";
import { createSpool, type Kept } from "./spool.ts";

/** Takes a stream of bytes: its ends stay in memory, the whole goes to the archive. */
export interface Receiver {
  /** Takes a piece. With a promise, whoever writes waits, and the piece must not change until then. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Bytes so far. */
  size(): number;
  /** Line ends so far. */
  lines(): number;
  /** The newest bytes, as many as an end keeps. */
  tail(): Uint8Array;
  /** What a preview is made of, also while it is kept. */
  read(direction: Direction): Received;
  /** After the last piece: keeps what was received. Never rejects. */
  keep(): Promise<Kept>;
  /** After the last piece: leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

export interface ReceiveOptions {
  readonly archive: Archive | undefined;
  /** Bytes that each end keeps. */
  readonly capacity: number;
  /** The archive takes no more than this. */
  readonly maxBytes: number;
}

/** So much is held before a file is made: a small output needs none, and is searched as a whole. */
const HELD_BYTES = 1_048_576;

/** Memory: at most 1 MB, and twice the capacity. */
export function receive({ archive, capacity, maxBytes }: ReceiveOptions): Receiver {
  const ends = keepEnds(capacity);
  const block = createBlock(HELD_BYTES);
  const spool = createSpool({ archive, maxBytes });
  let counted = 0;

  const count = (): void => {
    const content = block.content();
    ends.add(content.subarray(counted));
    counted = content.length;
  };
  const clear = (): void => {
    block.clear();
    counted = 0;
  };
  const filler = fillBlock(block, () => {
    count();
    const written = spool.append(block.content());
    if (written !== undefined) return written.then(clear);
    clear();
    return undefined;
  });
  return {
    write: (chunk) => filler.write(chunk),
    size: () => ends.bytes() + block.content().length - counted,
    lines() {
      count();
      return ends.newlines();
    },
    tail() {
      count();
      return ends.tail();
    },
    read(direction) {
      count();
      const whole = block.isWhole() ? block.content() : ends.whole();
      const parts =
        whole === undefined
          ? { head: ends.head(), tail: ends.tail() }
          : partsOf(whole, { direction, capacity });
      return { bytes: ends.bytes(), lines: ends.newlines() + (ends.endsLine() ? 0 : 1), ...parts };
    },
    async keep() {
      await filler.idle();
      return spool.keep(block.content(), block.isWhole() ? block.content() : undefined);
    },
    async discard() {
      await filler.idle();
      await spool.discard();
    },
  };
}

interface Filler {
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** When nobody waits any more. */
  idle(): Promise<void>;
}

/** Puts chunks into a block in the order in which they come. `flush` empties a full one, maybe later. */
function fillBlock(block: Block, flush: () => Promise<void> | undefined): Filler {
  let busy: Promise<void> | undefined;
  const takeLater = async (chunk: Uint8Array, from: number, flushed: unknown): Promise<void> => {
    await flushed;
    for (let at = from; at < chunk.length; at = block.take(chunk, at)) {
      if (block.isFull()) await flush();
    }
  };
  const writeLater = async (chunk: Uint8Array, from: number, flushed: unknown): Promise<void> => {
    const work = takeLater(chunk, from, flushed);
    busy = work;
    await work;
    if (busy === work) busy = undefined;
  };
  return {
    write(chunk) {
      if (busy !== undefined) return writeLater(chunk, 0, busy);
      for (let at = 0; at < chunk.length; at = block.take(chunk, at)) {
        const flushed = block.isFull() ? flush() : undefined;
        if (flushed !== undefined) return writeLater(chunk, at, flushed);
      }
      return undefined;
    },
    idle: async () => busy,
  };
}
