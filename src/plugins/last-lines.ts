import { type FileHandle, open } from "node:fs/promises";

const PIECE_BYTES = 1_000_000;
const NEWLINE = 0x0a;

/**
 * The lines of a file from its end, without reading more of it than is asked for.
 * @param mostBytes So far back it is looked; a line that this cuts is none.
 */
export async function* lastLines(file: string, mostBytes: number): AsyncGenerator<string> {
  const handle = await open(file, "r");
  try {
    yield* linesFromEnd(handle, mostBytes);
  } finally {
    await handle.close();
  }
}

async function* linesFromEnd(handle: FileHandle, mostBytes: number): AsyncGenerator<string> {
  const { size } = await handle.stat();
  const least = Math.max(0, size - mostBytes);
  /** The read part of a line whose beginning may stand before that. */
  let line: Buffer[] = [];
  for (let to = size; to > least;) {
    const from = Math.max(least, to - PIECE_BYTES);
    const bytes = Buffer.alloc(to - from);
    await handle.read(bytes, 0, bytes.length, from);
    for (const { part, isBehindEnd } of partsFromEnd(bytes)) {
      if (isBehindEnd && line.length > 0) yield Buffer.concat(line).toString("utf8");
      if (isBehindEnd) line = [];
      if (part.length > 0) line.unshift(part);
    }
    to = from;
  }
  if (least === 0 && line.length > 0) yield Buffer.concat(line).toString("utf8");
}

/** The pieces between line ends, the last one first. */
function* partsFromEnd(bytes: Buffer): Generator<{ part: Buffer; isBehindEnd: boolean }> {
  let end = bytes.length;
  while (end >= 0) {
    const at = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
    yield { part: bytes.subarray(at + 1, end), isBehindEnd: end < bytes.length };
    end = at;
  }
}
