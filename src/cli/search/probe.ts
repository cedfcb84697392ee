/** A text that is looked for in bytes as they are stored. */
export interface Probe {
  /** In lower case where upper and lower case are one. */
  readonly text: string;
  readonly ignoresCase: boolean;
  /** Its size in bytes. */
  readonly length: number;
  isIn(bytes: Buffer): boolean;
}

/**
 * Node finds up to seven bytes by the first of them, as fast as memory is read where that one is rare; for
 * longer ones it takes up to five times as long.
 */
const PIECE_BYTES = 7;
/** A shorter piece fits too often. */
const LEAST_BYTES = 4;
/** After so many pieces that are not the text, the slower way is the faster one. */
const MOST_TRIES = 64;

/** A string that is no longer is made in memory that is there already. */
const PART_BYTES = 64 * 1024;

/** A text as it is. */
export function literalProbe(text: string): Probe {
  const bytes = Buffer.from(text);
  const from = rarestAt(bytes);
  const piece = bytes.subarray(from, from + PIECE_BYTES);
  const isIn = (block: Buffer): boolean => {
    let at = block.indexOf(piece);
    for (let tries = 0; at >= 0 && tries < MOST_TRIES; tries++) {
      if (block.subarray(Math.max(0, at - from), at - from + bytes.length).equals(bytes))
        return true;
      at = block.indexOf(piece, at + 1);
    }
    return at >= 0 && block.includes(bytes, Math.max(0, at - from));
  };
  return { text, ignoresCase: false, length: bytes.length, isIn };
}

/** An ASCII text in upper or lower case. */
export function caselessProbe(text: string): Probe {
  const regex = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "i");
  const isIn = (bytes: Buffer): boolean => {
    for (let from = 0; from < bytes.length; from += PART_BYTES) {
      const part = bytes.toString("latin1", from, from + PART_BYTES + text.length - 1);
      if (regex.test(part)) return true;
    }
    return false;
  };
  return { text: text.toLowerCase(), ignoresCase: true, length: text.length, isIn };
}

/** The bytes of recorded sessions, the most frequent first, down to one in a thousand. */
const FREQUENT = ` etnsoair"\\cdlpu:mh,/g.f-b10_2ykvw43()569C{7}8T=xESDIAR;\`Pj'BUFM\nLN+WOq*GHz[V]ZK`;

function rarestAt(bytes: Buffer): number {
  const starts = bytes.subarray(0, Math.max(1, bytes.length - LEAST_BYTES + 1));
  const ranks = Array.from(starts, (byte) => {
    const rank = FREQUENT.indexOf(String.fromCharCode(byte));
    return rank < 0 ? FREQUENT.length : rank;
  });
  return ranks.indexOf(Math.max(...ranks));
}
