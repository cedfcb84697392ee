/**
 * Windows of model families, in tokens, as their makers publish them, or the largest input where that
 * is less; the first pattern that fits counts. Only used where neither the person nor the session names the window.
 */
const MODEL_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude.*\[1m\]/i, 1_000_000],
  [/claude/i, 200_000],
  [/gpt-4\.1/i, 1_047_576],
  [/gpt-5[^/]*-chat/i, 128_000],
  // Sold with 400,000, of which 128,000 are for the answer: a longer input is refused.
  [/gpt-5/i, 272_000],
  [/gpt-4o|gpt-4-turbo/i, 128_000],
  [/\bo[134](?:-|$)/i, 200_000],
  [/gemini/i, 1_048_576],
  [/deepseek/i, 128_000],
  [/kimi|qwen3?-?coder/i, 256_000],
  [/glm-4\.[5-9]|glm-5/i, 200_000],
];

/** The window of a model by its id, in tokens; `undefined` for families that are not known here. */
export function modelWindow(model: string): number | undefined {
  return MODEL_WINDOWS.find(([pattern]) => pattern.test(model))?.[1];
}
