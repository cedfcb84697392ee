/** One line of a file. */
export interface Line {
  /** 1-based. */
  readonly number: number;
  /** Without the line end (LF or CRLF); empty when the line is longer than the limit. */
  readonly bytes: Buffer;
  /** Length in bytes, also of a line that was too long to keep. */
  readonly size: number;
  /** False for a last line without a line end. */
  readonly ended: boolean;
}

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

interface LineSplitter {
  /** The lines that this chunk completes. */
  push(chunk: Buffer): readonly Line[];
  /** The last line, if the bytes did not end with a line end. */
  end(): readonly Line[];
}

/** Cuts chunks of bytes into lines; a line longer than `maxBytes` is counted but not kept. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let number = 0;
  let pending: Buffer[] = [];
  let size = 0;

  const extend = (piece: Buffer): void => {
    size += piece.length;
    if (size > maxBytes) pending = [];
    else pending.push(piece);
  };

  const take = (ended: boolean): Line => {
    const [only] = pending;
    const whole = only !== undefined && pending.length === 1 ? only : Buffer.concat(pending);
    const bytes = size > maxBytes ? NOTHING : withoutCarriageReturn(whole);
    const line = { number: ++number, bytes, size, ended };
    pending = [];
    size = 0;
    return line;
  };

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        extend(chunk.subarray(start, at));
        lines.push(take(true));
        start = at + 1;
      }
      if (start < chunk.length) extend(chunk.subarray(start));
      return lines;
    },
    end: () => (size > 0 ? [take(false)] : []),
  };
}

/** The lines of a stream of bytes, in batches: one batch for each chunk that completes a line. */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<readonly Line[]> {
  const splitter = createLineSplitter(maxBytes);
  for await (const chunk of source) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
}
