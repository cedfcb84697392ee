import type { Script } from "../provider/index.ts";

/** How often it calls a tool before it answers. */
const CALLS = 30;

/**
 * The model that examples talk to: it calls the first tool of the request for day 1, 2, 3 and so on,
 * and says at the end that all is well. Without tools it answers at once.
 */
export function scriptedModel(): Script {
  let calls = 0;
  return ({ tools: [tool] }) => {
    if (tool === undefined || calls >= CALLS) return "All is well.";
    calls += 1;
    return { parts: [{ type: "call", name: tool.name, input: { day: calls } }] };
  };
}

/** What makes the SDKs talk to a server at this address. */
export function environmentOf(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test",
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: "test",
  };
}
