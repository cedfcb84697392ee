/** Outputs with everything that programs really print, from a seed. */

export type Random = () => number;

/** A mulberry32 generator: numbers in [0, 1) that depend on the seed alone. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const words = (random: Random, most: number): string =>
  Array.from(
    { length: 1 + below(random, most) },
    () => "lorem ipsum dolor error sit".split(" ")[below(random, 5)],
  ).join(" ");

/** Pieces of text; every one is a thing that a careless cut breaks. */
const PIECES: readonly ((random: Random) => string)[] = [
  (random) => `${words(random, 12)}\n`,
  (random) => `${words(random, 12)}\r\n`,
  (random) => words(random, 400),
  (random) => "\n".repeat(1 + below(random, 300)),
  (random) => `\r${below(random, 100)}% `.repeat(1 + below(random, 200)),
  (random) => `\u001b[${31 + below(random, 7)};1m${words(random, 4)}\u001b[0m\n`,
  (random) => `\u001b]8;;https://example.com/${words(random, 3)}\u001b\\link\u001b]8;;\u001b\\`,
  () => "\u001b[",
  () => "\u001b]0;title without an end",
  (random) => "👨‍👩‍👧‍👦🎉🏳️‍🌈👍🏽".repeat(1 + below(random, 60)),
  (random) => "🇩🇪🇫🇷🇯🇵".repeat(1 + below(random, 60)),
  (random) => "e\u0301a\u0308o\u0302\u0323".repeat(1 + below(random, 90)),
  (random) => `${"漢字かな交じり文".repeat(1 + below(random, 40))}\n`,
  (random) => `e${"\u0301".repeat(1 + below(random, 200))}`,
  (random) => `N\bNA\bAM\bME\bE ${words(random, 5)}\n`,
  () => "\0",
  (random) => `${words(random, 3)}\0${words(random, 3)}\0`,
  (random) => " ".repeat(1 + below(random, 500)),
  (random) => `src/a.ts(${below(random, 900)},3): error TS2304: Cannot find name 'x'.\n`,
];

/** Bytes that are no text: half characters, overlong forms, surrogates, noise. */
const BROKEN: readonly ((random: Random) => readonly number[])[] = [
  () => [0xc3],
  () => [0xe2, 0x82],
  () => [0xf0, 0x9f, 0x8e],
  () => [0xed, 0xa0, 0x80],
  () => [0xc0, 0xaf, 0xff, 0xfe],
  (random) => Array.from({ length: below(random, 200) }, () => below(random, 256)),
];

/** An output of about so many pieces; `broken` is the share of pieces that are no UTF-8. */
export function oddOutput(random: Random, pieces: number, broken = 0): Uint8Array {
  // Some outputs are made of one kind of piece only, others of all.
  const few = random() < 0.3 ? [below(random, PIECES.length)] : undefined;
  const made = Array.from({ length: pieces }, () => {
    if (random() < broken) return Buffer.from(BROKEN[below(random, BROKEN.length)]!(random));
    const index = few?.[0] ?? below(random, PIECES.length);
    return Buffer.from(PIECES[index]!(random), "utf8");
  });
  return new Uint8Array(Buffer.concat(made));
}
