/** What the GenAI conventions call providers, by how a summarizer's name begins. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^anthropic/, "anthropic"],
  [/^openai-compatible/, "openai_compatible"],
  [/^openai/, "openai"],
  [/^google\.vertex|^vertex/, "gcp.vertex_ai"],
  [/^google|^gemini/, "gcp.gemini"],
  [/^azure/, "azure.ai.openai"],
  [/^amazon-bedrock|^bedrock/, "aws.bedrock"],
  [/^mistral/, "mistral_ai"],
  [/^deepseek/, "deepseek"],
  [/^groq/, "groq"],
  [/^xai/, "x_ai"],
  [/^cohere/, "cohere"],
  [/^perplexity/, "perplexity"],
];

/** Takes the name of a summarizer, e.g. `anthropic:claude-haiku-4-5`, apart. */
export function providerAndModel(name: string): {
  readonly provider: string;
  readonly model: string;
} {
  const colon = name.indexOf(":");
  const start = colon < 0 ? "" : name.slice(0, colon);
  const rest = colon < 0 ? name : name.slice(colon + 1);
  const provider = PROVIDERS.find(([pattern]) => pattern.test(start))?.[1] ?? (start || "custom");
  // `URL#MODEL` for servers of one's own.
  return { provider, model: rest.slice(rest.lastIndexOf("#") + 1) };
}
