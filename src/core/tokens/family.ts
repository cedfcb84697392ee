/** A model's tokenizer, as far as it is known before its provider has reported anything. */
export interface ModelFamily {
  /** For people, e.g. `Claude from 4.6`. */
  readonly name: string;
  /** Its tokens for one that is estimated. */
  readonly factor: number;
}

/**
 * Tokens that families of models count where the estimator, which is fitted to o200k, counts one
 * token; the first pattern that fits counts. Measured in November 2026 by `bench/tokens/factors.ts`
 * on recorded sessions, as the growth of reported requests over their estimates: Claude 4.6 and 5
 * 1.50 to 1.53, Claude 4 to 4.5 1.14 to 1.24, GPT-5 0.91 to 1.18, Gemini 3 1.13. Of DeepSeek there is no
 * recording. A name without a version is taken for a newer one: an estimate had better be too high.
 */
const FAMILIES: readonly (readonly [pattern: RegExp, family: ModelFamily])[] = [
  [
    /claude-(?:[123]|[a-z]+-4(?:[-.][0-5])?(?!\d|[-.]\d(?!\d{7})))/i,
    { name: "Claude to 4.5", factor: 1.2 },
  ],
  [/claude/i, { name: "Claude from 4.6", factor: 1.5 }],
  [/gpt|\bo[134](?:-|$)/i, { name: "GPT", factor: 1.05 }],
  [/gemini/i, { name: "Gemini", factor: 1.1 }],
  [/deepseek/i, { name: "DeepSeek", factor: 1.1 }],
];

/** The family of a model by its id; `undefined` where nothing is known, and a factor of 1 is taken. */
export function modelFamily(model: string): ModelFamily | undefined {
  return FAMILIES.find(([pattern]) => pattern.test(model))?.[1];
}
