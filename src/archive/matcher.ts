import { ContextError } from "../core/error.ts";

/** Finds a pattern in bytes of UTF-8. */
export interface Matcher {
  /** Where the first match begins; -1 for none, also when the search is over before the end. */
  find(block: Uint8Array, view: BlockView): number;
  /**
   * How much of a block is done when nothing more is found in it; what follows is looked at again,
   * together with what comes next. At least 1.
   */
  done(block: Uint8Array): number;
}

/** What a matcher has to know about a block. */
export interface BlockView {
  /** Nothing comes after it. */
  readonly isLast: boolean;
  /** Whether the search has to end, found or not. */
  readonly isOver: () => boolean;
}

/** Finds a text as it is. */
export function literalMatcher(text: string): Matcher {
  const needle = new TextEncoder().encode(text);
  if (needle.length === 0) {
    throw new ContextError("invalid-options", "There is nothing to search for: give a text.");
  }
  const indexOf = nativeIndexOf() ?? plainIndexOf;
  return {
    find: (block) => indexOf(block, needle),
    done: (block) => Math.max(1, block.length - needle.length + 1),
  };
}

type IndexOf = (block: Uint8Array, needle: Uint8Array) => number;

/** Node's own search is several times as fast; this file must work without it. */
function nativeIndexOf(): IndexOf | undefined {
  const { Buffer: native } = globalThis as { Buffer?: typeof Buffer };
  if (native === undefined) return undefined;
  return (block, needle) => native.prototype.indexOf.call(block, needle);
}

function plainIndexOf(block: Uint8Array, needle: Uint8Array): number {
  const first = needle[0] as number;
  for (let at = block.indexOf(first); at >= 0; at = block.indexOf(first, at + 1)) {
    if (at + needle.length > block.length) return -1;
    if (needle.every((byte, index) => block[at + index] === byte)) return at;
  }
  return -1;
}
