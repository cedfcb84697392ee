/** Reads what `collect.ts` wrote, as samples of mixed size with their exact o200k counts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exact } from "./exact.ts";
import { seeded } from "./generate.ts";

export interface Sample {
  readonly kind: string;
  readonly text: string;
  /** Exact o200k tokens. */
  readonly tokens: number;
}

/** Where the corpus is when no folder is given. */
export const DEFAULT_FOLDER: string = join(tmpdir(), "token-corpus");

/** Documents of one kind: those for training (even numbers) or those held out (odd numbers). */
export function documents(folder: string, kind: string, heldOut: boolean): readonly string[] {
  const root = join(folder, "corpus", kind);
  const wanted = readdirSync(root).filter(
    (name) => Number.parseInt(name) % 2 === (heldOut ? 1 : 0),
  );
  return wanted
    .toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b))
    .map((name) => readFileSync(join(root, name), "utf8"));
}

export function kinds(folder: string): readonly string[] {
  const root = join(folder, "corpus");
  if (!existsSync(root)) {
    throw new Error(
      `There is no corpus in ${folder}. Run bench/tokens/collect.ts with that folder first.`,
    );
  }
  return readdirSync(root).toSorted();
}

/** `count` slices of 100 to 12,000 units, small ones as often as large ones, by a fixed seed. */
export function samplesOf(
  texts: readonly string[],
  kind: string,
  count: number,
): readonly Sample[] {
  const random = seeded(count);
  const samples: Sample[] = [];
  for (let i = 0; i < count && texts.length > 0; i++) {
    const document = texts[Math.floor(random() * texts.length)]!;
    const length = Math.min(document.length, Math.floor(100 * 120 ** random()));
    const at = Math.floor(random() * (document.length - length + 1));
    // A slice may cut an emoji in two; half of one is three tokens of nothing.
    const text = document
      .slice(at, at + length)
      .toWellFormed()
      .replaceAll("\uFFFD", "");
    if (text.length >= 80) samples.push({ kind, text, tokens: exact.count(text) });
  }
  return samples;
}
