import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { regexMatcher } from "../../src/archive/matcher.ts";
import { runs } from "../property/runs.ts";

/** A pattern, and a text that most likely matches it. */
interface Sampled {
  readonly source: string;
  readonly sample: string;
}

function atom(source: string, ...samples: readonly string[]): fc.Arbitrary<Sampled> {
  return fc.constantFrom(...samples).map((sample) => ({ source, sample }));
}

/** As a case-insensitive expression sees them, these are the same. */
function folded(text: string): string {
  return text.replaceAll("k", "\u212a").replaceAll("s", "ſ").toUpperCase();
}

const TIMES: readonly (readonly [times: string, count: number])[] = [
  ["*", 0],
  ["*", 2],
  ["+", 3],
  ["?", 1],
  ["{2}", 2],
  ["{1,3}", 2],
  ["+?", 1],
  ["{0,2}", 0],
];

const { pattern } = fc.letrec<{ pattern: Sampled; atom: Sampled; part: Sampled }>((tie) => ({
  atom: fc.oneof(
    ...["a", "b", "k", "s", "-", "7", "é", "ſ", "ab", "skip"].map((text) => atom(text, text)),
    atom("\\.", "."),
    atom("[ab]", "a", "b"),
    atom("[^a]", "b", "é", "7"),
    atom("\\d", "7"),
    atom("\\w", "k", "7"),
    atom("\\s", " "),
    atom(".", "x", "é", "😀"),
    atom("[k-t]", "k", "s"),
    atom("[[:alpha:]]", "b"),
    atom("\\pL", "é", "b"),
    atom("\\x41", "A"),
    ...["\\b", "^", "$", "\\B", ""].map((edge) => atom(edge, "")),
    tie("pattern").map(({ source, sample }) => ({ source: `(${source})`, sample })),
    tie("pattern").map(({ source, sample }) => ({
      source: `(?i:${source})`,
      sample: folded(sample),
    })),
  ),
  part: fc
    .tuple(tie("atom"), fc.option(fc.constantFrom(...TIMES), { freq: 3 }))
    .map(([each, times]) => {
      const isCountable =
        times !== null && each.sample !== "" && /^(?:.|\\..*|[([].*)$/.test(each.source);
      if (!isCountable) return each;
      return { source: `${each.source}${times[0]}`, sample: each.sample.repeat(times[1]) };
    }),
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.array(tie("part"), { minLength: 2, maxLength: 6 }).map((parts) => ({
      source: parts.map(({ source }) => source).join(""),
      sample: parts.map(({ sample }) => sample).join(""),
    })),
    fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => ({
      source: `${left.source}|${right.source}`,
      sample: right.sample,
    })),
  ),
}));

const noise = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."abksKSA-7. \t\n\n\réſ\u212a").map((text) => Buffer.from(text)),
      fc.constantFrom(0xff, 0xc3, 0xe2, 0x80).map((byte) => Buffer.of(byte)),
    ),
    { maxLength: 25 },
  )
  .map((pieces) => Buffer.concat(pieces));

/** Where the lines begin that the engine alone finds a match in. */
function linesWithMatch(text: Buffer, regex: RE2JS): number[] {
  const found: number[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.indexOf(10, from);
    const next = end < 0 ? text.length : end + 1;
    const line = text.subarray(from, end < 0 ? next : end);
    const isEnded = end >= 0 || line.at(-1) === 13;
    if (regex.test(isEnded && line.at(-1) === 13 ? line.subarray(0, -1) : line)) found.push(from);
    from = next;
  }
  return found;
}

/** The same by way of a matcher, block by block. */
async function linesFound(text: Buffer, source: string): Promise<number[]> {
  const matcher = await regexMatcher(source);
  const found: number[] = [];
  for (let block = 0; block < text.length;) {
    const next = afterLine(text, afterLine(text, block));
    for (let from = block; from < next;) {
      const rest = text.subarray(from, next);
      const at = matcher.find(rest, { isLast: true, isOver: () => false });
      if (at < 0) break;
      const place = from + at;
      found.push(place === 0 ? 0 : text.lastIndexOf(10, place - 1) + 1);
      from = afterLine(text, place);
    }
    block = next;
  }
  return found;
}

function afterLine(text: Buffer, from: number): number {
  const end = text.indexOf(10, from);
  return end < 0 ? text.length : end + 1;
}

describe("a regular expression", () => {
  it("finds the lines that the engine alone finds", async () => {
    let seen = 0;
    const texts = fc.array(fc.tuple(noise, fc.boolean()), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), texts, async (sampled, isFolded, pieces) => {
        const source = isFolded ? `(?i)${sampled.source}` : sampled.source;
        const text = Buffer.concat(
          pieces.flatMap(([before, isHit]) => [before, Buffer.from(isHit ? sampled.sample : "")]),
        );
        const regex = RE2JS.compile(source, RE2JS.MULTILINE);
        const expected = linesWithMatch(text, regex);
        if (source !== "") expect(await linesFound(text, source)).toEqual(expected);
        seen += expected.length;
      }),
      { numRuns: runs(500, 3_000) },
    );
    // Otherwise nothing was compared.
    expect(seen).toBeGreaterThan(50);
  });
});

it("says at which byte a match begins, also behind bytes that are no UTF-8", async () => {
  const text = Buffer.concat([
    Buffer.from("x\n"),
    Buffer.of(0xe9, 0xe8),
    Buffer.from("é NEEDLE-7"),
  ]);
  for (const source of ["NEEDLE-\\d", "\\d", "[A-Z]+-?\\d?"]) {
    const matcher = await regexMatcher(source);
    const at = matcher.find(text, { isLast: true, isOver: () => false });
    expect(at).toBe(text.indexOf(source === "\\d" ? "7" : "NEEDLE"));
  }
});
