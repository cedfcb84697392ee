import type { Ledger } from "../../ledger/index.ts";

/** Scripts that tell languages apart; the letters of Japanese are of three. */
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["Latin", /\p{Script=Latin}/gu],
  ["Han", /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Hangul", /\p{Script=Hangul}/gu],
  ["Cyrillic", /\p{Script=Cyrillic}/gu],
  ["Arabic", /\p{Script=Arabic}/gu],
  ["Devanagari", /\p{Script=Devanagari}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["Thai", /\p{Script=Thai}/gu],
];

/** Names of files and code are Latin in every language, so this much of another script is prose. */
const MOSTLY = 0.5;
/** A few letters may be quoted from anywhere. */
const HARDLY = 0.01;
const LOOK_UNITS = 20_000;
/** Less text than this does not show how people write. */
const LEAST_LETTERS = 60;

/** The script of a summary, if it is one that neither the user nor the agent writes. */
export function foreignScript(text: string, ledger: Ledger): string | undefined {
  if (/^[\t\n -~]*$/.test(text)) return undefined;
  const own = lettersIn(text.replace(/`[^`\n]*`|^#.*$/gm, "").slice(0, LOOK_UNITS));
  const script = [...own.shares].find(([name, share]) => name !== "Latin" && share > MOSTLY)?.[0];
  if (script === undefined || own.total < LEAST_LETTERS) return undefined;
  const said = saidIn(ledger).map(lettersIn);
  const isUsed = said.some(({ shares }) => (shares.get(script) ?? 0) >= HARDLY);
  const letters = said.reduce((sum, { total }) => sum + total, 0);
  return letters >= LEAST_LETTERS && !isUsed ? script : undefined;
}

/**
 * What people said and what the agent said, the newest first: each for itself, because a few words of
 * the user say more of their language than all that an agent writes.
 */
export function saidIn({ instructions, statements }: Ledger): readonly string[] {
  return [instructions, statements].map((facts) => newestWords(facts.map(({ text }) => text)));
}

function newestWords(texts: readonly string[]): string {
  const some: string[] = [];
  let left = LOOK_UNITS;
  for (const text of texts.toReversed()) {
    if (left <= 0) break;
    some.push(text.slice(0, left));
    left -= text.length;
  }
  return some.join("\n");
}

function lettersIn(text: string): {
  readonly total: number;
  readonly shares: ReadonlyMap<string, number>;
} {
  const counts = SCRIPTS.map(([name, letter]) => [name, text.match(letter)?.length ?? 0] as const);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return { total, shares: new Map(counts.map(([name, count]) => [name, count / (total || 1)])) };
}
