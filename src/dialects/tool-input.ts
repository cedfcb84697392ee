/** Arguments as a model wrote them: parsed, or the text itself when it is no valid JSON. */
export function parseInput(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
