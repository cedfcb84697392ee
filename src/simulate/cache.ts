/*
 * What a prompt cache makes of a series of requests. The rules are dated data, as two providers
 * publish them; a real cache may forget earlier, be busy, or send a request to another machine.
 */

/** How a provider caches prompts. */
export interface CacheRules {
  readonly name: string;
  /** Where to check them, and the day on which they were read there or in a copy. */
  readonly page: string;
  readonly read: string;
  /** The shortest prefix that is cached, in tokens. */
  readonly least: number;
  /** What is found in the cache is a multiple of so many tokens. */
  readonly step: number;
  /** How long an entry lives after its last use, in ms. */
  readonly lifeMs: number;
  /**
   * What can be found again: every prefix (`any`), or only what a request marked (`marked`), looked
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

/** An empty cache. */
export function createCache(rules: CacheRules): PromptCache {
  const root = newPrefix(0);
  let now = 0;
  return {
    send(pieces, time) {
      // A clock that stands still or goes back makes nothing older.
      now = Math.max(now, time ?? now);
      const path = pathOf(root, pieces);
      const all = path.at(-1)?.tokens ?? 0;
      const isAlive = (one: Prefix): boolean => now - one.usedAt <= rules.lifeMs;
      const hit = found({ rules, path, pieces, isAlive });
      const read = hit < rules.least ? 0 : Math.floor(hit / rules.step) * rules.step;
      for (const [at, one] of path.entries()) {
        one.usedAt = now;
        if (pieces[at]?.isMarked === true || at === path.length - 1) one.isMarked = true;
      }
      const rest = all - read;
      const isWritten = rules.finds === "marked" && all >= rules.least;
      return { read, written: isWritten ? rest : 0, fresh: isWritten ? 0 : rest };
    },
  };
}

function newPrefix(tokens: number): Prefix {
  return { longer: new Map(), tokens, usedAt: -Infinity, isMarked: false };
}

/** The prefixes of a request, from its first piece to the whole of it. */
function pathOf(root: Prefix, pieces: readonly CachePiece[]): readonly Prefix[] {
  let at = root;
  return pieces.map(({ key, tokens }) => {
    const next = at.longer.get(key) ?? newPrefix(at.tokens + tokens);
    at.longer.set(key, next);
    return (at = next);
  });
}

/** The tokens of the longest prefix that the cache still has. */
function found(request: {
  readonly rules: CacheRules;
  readonly path: readonly Prefix[];
  readonly pieces: readonly CachePiece[];
  readonly isAlive: (one: Prefix) => boolean;
}): number {
  const { rules, path, pieces, isAlive } = request;
  let hit = 0;
  let blocks = 0;
  for (let at = path.length - 1; at >= 0; at--) {
    const one = path[at] as Prefix;
    const isNear = blocks <= rules.lookback || pieces[at]?.isMarked === true;
    const isThere = rules.finds === "any" || (isNear && one.isMarked);
    if (isThere && isAlive(one)) hit = Math.max(hit, one.tokens);
    blocks += pieces[at]?.blocks ?? 0;
  }
  return hit;
}
