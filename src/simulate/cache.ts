/*
 * A prompt cache under a series of requests. The rules are dated data, as two providers
 * publish them; a real cache may forget earlier, be busy, or send a request to another machine.
 */

export interface CacheRules {
  readonly name: string;
  /** The provider's page, and the day on which it was read there or in a copy. */
  readonly page: string;
  readonly read: string;
  /** The shortest prefix that is cached, in tokens. */
  readonly least: number;
  /** A hit is a multiple of so many tokens. */
  readonly step: number;
  /** The life of an entry after its last use, in ms. */
  readonly lifeMs: number;
  /**
   * Prefixes that can be found again: every one (`any`), or only those that a request marked (`marked`), looked
   * for over so many blocks before each mark of the new request. Agents mark the end of the system
   * prompt and the end of the request.
   */
  readonly finds: "any" | "marked";
  readonly lookback: number;
}

export const CACHE_RULES: readonly [CacheRules, CacheRules] = [
  {
    name: "Anthropic",
    page: "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
    read: "2026-11-23",
    least: 1_024,
    step: 1,
    lifeMs: 5 * 60_000,
    finds: "marked",
    lookback: 20,
  },
  {
    // For models before GPT-5.6; entries live five to ten minutes, longer when few others want room.
    name: "OpenAI",
    page: "https://developers.openai.com/api/docs/guides/prompt-caching",
    read: "2026-11-23",
    least: 1_024,
    step: 128,
    lifeMs: 10 * 60_000,
    finds: "any",
    lookback: Infinity,
  },
];

/** A piece of a request: the system prompt with the tools, or a message. */
export interface CachePiece {
  /** The same for the same content. */
  readonly key: string;
  readonly tokens: number;
  /** Content blocks, which is what lookback counts. */
  readonly blocks: number;
  /** The agent marks its end in every request. */
  readonly isMarked?: boolean;
}

/** The tokens of a prompt: not cached, read from the cache, written to it. */
export interface CacheUse {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
}

export interface PromptCache {
  /** One request; `time` in ms since the epoch, absent where nobody recorded it: then no time passed. */
  send(pieces: readonly CachePiece[], time?: number): CacheUse;
}

/** A prefix, under all that begin with it. */
interface Prefix {
  readonly longer: Map<string, Prefix>;
  /** Of the whole prefix. */
  readonly tokens: number;
  usedAt: number;
  isMarked: boolean;
}

export function createCache(rules: CacheRules): PromptCache {
  const root = newPrefix(0);
  /** The newest request, whose prefixes were all used when it was sent. */
  let last: { readonly keys: string[]; readonly path: Prefix[] } = { keys: [], path: [] };
  let usedAt = -Infinity;
  let now = 0;
  return {
    send(pieces, time) {
      // A clock that stands still or goes back makes nothing older.
      now = Math.max(now, time ?? now);
      const { keys, path } = last;
      const differs = keys.findIndex((key, at) => key !== pieces[at]?.key);
      const same = differs < 0 ? keys.length : differs;
      // A prefix that the new request does not begin with is older from here on.
      for (const one of path.splice(same)) one.usedAt = usedAt;
      keys.length = same;
      extend(path, root, pieces);
      for (const { key } of pieces.slice(same)) keys.push(key);
      const isAlive = (at: number): boolean => {
        const used = at < same ? usedAt : (path[at]?.usedAt ?? -Infinity);
        return now - used <= rules.lifeMs;
      };
      const all = path.at(-1)?.tokens ?? 0;
      const hit = found({ rules, path, pieces, isAlive });
      const read = hit < rules.least ? 0 : Math.floor(hit / rules.step) * rules.step;
      for (let at = same; at < path.length; at++) mark(path[at], pieces[at]?.isMarked);
      mark(path.at(-1), true);
      usedAt = now;
      const rest = all - read;
      const isWritten = rules.finds === "marked" && all >= rules.least;
      return { read, written: isWritten ? rest : 0, fresh: isWritten ? 0 : rest };
    },
  };
}

function mark(prefix: Prefix | undefined, isMarked: boolean | undefined): void {
  if (prefix !== undefined && isMarked === true) prefix.isMarked = true;
}

function newPrefix(tokens: number): Prefix {
  return { longer: new Map(), tokens, usedAt: -Infinity, isMarked: false };
}

/** Adds to the first prefixes of a request those that follow, up to the whole of it. */
function extend(path: Prefix[], root: Prefix, pieces: readonly CachePiece[]): void {
  let at = path.at(-1) ?? root;
  for (const { key, tokens } of pieces.slice(path.length)) {
    const next = at.longer.get(key) ?? newPrefix(at.tokens + tokens);
    at.longer.set(key, next);
    path.push((at = next));
  }
}

/** The tokens of the longest prefix that the cache still has. */
function found(request: {
  readonly rules: CacheRules;
  readonly path: readonly Prefix[];
  readonly pieces: readonly CachePiece[];
  readonly isAlive: (at: number) => boolean;
}): number {
  const { rules, path, pieces, isAlive } = request;
  let blocks = 0;
  for (let at = path.length - 1; at >= 0; at--) {
    const one = path[at] as Prefix;
    const isNear = blocks <= rules.lookback || pieces[at]?.isMarked === true;
    const isThere = rules.finds === "any" || (isNear && one.isMarked);
    if (isThere && isAlive(at)) return one.tokens;
    blocks += pieces[at]?.blocks ?? 0;
  }
  return 0;
}
