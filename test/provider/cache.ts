import { createHash } from "node:crypto";

/** One piece of a prompt: a tool, a block of the system prompt, a block of a message. */
export interface Segment {
  /** Everything that makes it what it is, its role included; without `cache_control`. */
  readonly key: string;
  readonly tokens: number;
  /** It has a `cache_control` breakpoint. */
  readonly marked?: boolean;
}

export interface CacheUse {
  /** Tokens read from the cache, and written to it. */
  readonly read: number;
  readonly write: number;
  /** To be called when the request is answered: from now on its prefix is known. */
  commit(): void;
}

/** Simulated prompt caches; nothing expires. */
export interface PromptCache {
  /** Anthropic: what `cache_control` marks is written, and looked for 20 blocks back. */
  marked(scope: string, segments: readonly Segment[]): CacheUse;
  /** OpenAI: the longest known prefix, in steps of 128 tokens. */
  automatic(scope: string, segments: readonly Segment[]): CacheUse;
}

/** No provider caches a shorter prefix. */
const MIN_TOKENS = 1_024;
/** How many blocks Anthropic goes back from a breakpoint to find a written prefix. */
const LOOKBACK = 20;
/** OpenAI's step. */
const STEP = 128;
/** Characters after which a prefix inside one segment is remembered too. */
const PIECE = 256;

export function createPromptCache(): PromptCache {
  const known = new Set<string>();
  return {
    marked: (scope, segments) => useMarked(known, boundaries(scope, segments)),
    automatic: (scope, segments) => useAutomatic(known, fineBoundaries(scope, segments)),
  };
}

/** A place in the prompt: the hash of all before it, and how many tokens that is. */
interface Boundary {
  readonly hash: string;
  readonly tokens: number;
  readonly marked: boolean;
}

function boundaries(scope: string, segments: readonly Segment[]): Boundary[] {
  let hash = scope;
  let tokens = 0;
  return segments.map((segment) => {
    hash = digest(hash, segment.key);
    tokens += segment.tokens;
    return { hash, tokens, marked: segment.marked === true };
  });
}

/** Also inside of segments, where the tokens are spread evenly over the characters. */
function fineBoundaries(scope: string, segments: readonly Segment[]): Boundary[] {
  const found: Boundary[] = [];
  let hash = scope;
  let before = 0;
  for (const { key, tokens } of segments) {
    for (let start = 0; start < key.length; start += PIECE) {
      const end = Math.min(key.length, start + PIECE);
      hash = digest(hash, key.slice(start, end));
      const share = end === key.length ? tokens : Math.floor((tokens * end) / key.length);
      found.push({ hash, tokens: before + share, marked: false });
    }
    hash = digest(hash, "|");
    before += tokens;
  }
  return found;
}

function digest(before: string, key: string): string {
  return createHash("sha256").update(before).update("\0").update(key).digest("base64");
}

function useMarked(known: Set<string>, all: readonly Boundary[]): CacheUse {
  const marks = all.flatMap(({ marked, tokens }, at) =>
    marked && tokens >= MIN_TOKENS ? [at] : [],
  );
  let read = 0;
  for (const at of marks) {
    const near = all.slice(Math.max(0, at - LOOKBACK + 1), at + 1);
    for (const { hash, tokens } of near) if (known.has(hash)) read = Math.max(read, tokens);
  }
  const last = marks.at(-1);
  const write = last === undefined ? 0 : Math.max(0, all[last]!.tokens - read);
  return { read, write, commit: () => marks.forEach((at) => known.add(all[at]!.hash)) };
}

function useAutomatic(known: Set<string>, all: readonly Boundary[]): CacheUse {
  const longest = all.findLast(({ hash }) => known.has(hash))?.tokens ?? 0;
  const read = longest < MIN_TOKENS ? 0 : Math.floor(longest / STEP) * STEP;
  return { read, write: 0, commit: () => all.forEach(({ hash }) => known.add(hash)) };
}
