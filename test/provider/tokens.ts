import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { fileTokens, guardedCounter } from "../../src/core/tokens/index.ts";

/** Counts the tokens of texts, and of files by their kind and size. */
export interface Counter {
  text(text: string): number;
  /** Base64 data, or none for what is kept elsewhere. */
  file(mediaType: string, data: string | undefined): number;
}

/** Texts up to this length are counted once; longer ones are rare enough. */
const MAX_KNOWN_LENGTH = 1_000_000;

/** Exact counts with o200k_base. An agent sends its history again and again: a text is counted once. */
export function createCounter(): Counter {
  const disallowedSpecial = new Set<string>();
  const exact = guardedCounter("o200k_base", (text) => countTokens(text, { disallowedSpecial }));
  const known = new Map<string, number>();
  return {
    text(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = exact.count(text);
      if (text.length <= MAX_KNOWN_LENGTH) known.set(text, tokens);
      return tokens;
    },
    file: (mediaType, data) =>
      fileTokens({ type: "file", mediaType, ...(data !== undefined && { data }) }),
  };
}

/** What the delimiters of one message cost. */
export const MESSAGE_TOKENS = 4;
/** What surrounds a call, a result or a tool. */
export const FRAME_TOKENS = 8;
