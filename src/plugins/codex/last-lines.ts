import { open } from "node:fs/promises";

/** So far back it is looked: a call's line is among the last, and each has up to some 100 KB. */
const MOST_BYTES = 1_000_000;
const NEWLINE = 0x0a;

/** The lines at the end of a file, the last one first. */
export async function* lastLines(file: string): AsyncGenerator<string> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - MOST_BYTES);
    const bytes = Buffer.alloc(size - from);
    await handle.read(bytes, 0, bytes.length, from);
    for (let end = bytes.length; end > 0;) {
      const start = end < 2 ? 0 : bytes.lastIndexOf(NEWLINE, end - 2) + 1;
      // A line that is cut by the start of what was read is none.
      if (start > 0 || from === 0) yield bytes.toString("utf8", start, end).trim();
      end = start;
    }
  } finally {
    await handle.close();
  }
}
