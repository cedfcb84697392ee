import type { Block } from "../split-entries.ts";
import { contentWords } from "../words.ts";

/** Whether what a model wrote says a text already, in these or nearly these words. */
export type IsSaid = (text: string) => boolean;

/** Of the words of a text, so many must stand in one entry. */
const LEAST_SHARE = 0.8;
/** A single word stands anywhere. */
const LEAST_WORDS = 2;

export function createIsSaid(blocks: readonly Block[]): IsSaid {
  let entries: readonly ReadonlySet<string>[] | undefined;
  return (text) => {
    entries ??= blocks.map((block) => new Set(contentWords(block.text)));
    const words = [...new Set(contentWords(text))];
    if (words.length < LEAST_WORDS) return false;
    const least = Math.ceil(words.length * LEAST_SHARE);
    return entries.some((entry) => words.filter((word) => entry.has(word)).length >= least);
  };
}
