import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CACHE_RULES, type CachePiece, createCache } from "../../src/simulate/index.ts";

const [anthropic, openai] = CACHE_RULES;

/** A piece of 1,000 tokens. */
function piece(key: string, more: Partial<CachePiece> = {}): CachePiece {
  return { key, tokens: 1_000, blocks: 1, ...more };
}

const pieces = (keys: string): CachePiece[] => [...keys].map((key) => piece(key));

describe("a prompt cache", () => {
  it("reads what the request before ended with, and writes the rest", () => {
    const cache = createCache(anthropic);
    expect(cache.send(pieces("abc"))).toEqual({ fresh: 0, read: 0, written: 3_000 });
    expect(cache.send(pieces("abcde"))).toEqual({ fresh: 0, read: 3_000, written: 2_000 });
  });

  it("finds only what was marked, where marks decide", () => {
    const cache = createCache(anthropic);
    cache.send(pieces("abcd"));
    expect(cache.send(pieces("abx"))).toEqual({ fresh: 0, read: 0, written: 3_000 });
    const system = piece("system", { tokens: 5_000, isMarked: true });
    cache.send([system, ...pieces("ab")]);
    expect(cache.send([system, ...pieces("xy")]).read).toBe(5_000);
  });

  it("finds every prefix in steps, where no marks are needed, and nobody pays for writing", () => {
    const cache = createCache(openai);
    cache.send(pieces("abcd"));
    expect(cache.send(pieces("abx"))).toEqual({ fresh: 3_000 - 1_920, read: 1_920, written: 0 });
  });

  it("looks back over so many blocks and no more", () => {
    const far = createCache(anthropic);
    far.send(pieces("ab"));
    const new21 = Array.from({ length: 21 }, (_, at) => piece(`new ${at}`));
    expect(far.send([...pieces("ab"), ...new21]).read).toBe(0);
    const near = createCache(anthropic);
    near.send(pieces("ab"));
    expect(near.send([...pieces("ab"), ...new21.slice(1)]).read).toBe(2_000);
  });

  it("forgets what was not used for its life, and counts from the last use", () => {
    const minute = 60_000;
    const cache = createCache(anthropic);
    cache.send(pieces("ab"), 0);
    expect(cache.send(pieces("ab"), 4 * minute).read).toBe(2_000);
    expect(cache.send(pieces("ab"), 8 * minute).read).toBe(2_000);
    expect(cache.send(pieces("ab"), 14 * minute).read).toBe(0);
  });

  it("caches nothing below the least size", () => {
    for (const rules of CACHE_RULES) {
      const cache = createCache(rules);
      cache.send(pieces("a"));
      expect(cache.send(pieces("a"))).toEqual({ fresh: 1_000, read: 0, written: 0 });
    }
  });

  it("accounts for every token, and reads no more than was sent before", () => {
    const request = fc.array(fc.constantFrom(..."abc"), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), fc.nat(1), (requests, at) => {
        const cache = createCache(CACHE_RULES[at]!);
        const before: string[] = [];
        for (const keys of requests) {
          const { fresh, read, written } = cache.send(pieces(keys.join("")));
          expect(fresh + read + written).toBe(keys.length * 1_000);
          const shared = before.map((other) => sharedLength(other, keys.join("")));
          expect(read).toBeLessThanOrEqual(1_000 * Math.max(0, ...shared));
          before.push(keys.join(""));
        }
      }),
    );
  });
});

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
