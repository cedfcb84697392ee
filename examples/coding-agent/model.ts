import type { Model } from "./offline/types.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A provider that the environment can name. */
interface Provider {
  readonly name: string;
  /** The variables that must be set. */
  readonly needs: readonly string[];
  readonly usualModel: string | undefined;
  readonly open: (env: Env) => Promise<(model: string) => Model>;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    needs: ["ANTHROPIC_API_KEY"],
    usualModel: "claude-haiku-4-5",
    open: async () => (await import("@ai-sdk/anthropic")).createAnthropic(),
  },
  {
    name: "openai",
    needs: ["OPENAI_API_KEY"],
    usualModel: "gpt-5-mini",
    open: async () => (await import("@ai-sdk/openai")).createOpenAI(),
  },
  {
    name: "openai-compatible",
    needs: ["OPENAI_COMPATIBLE_BASE_URL", "MODEL"],
    usualModel: undefined,
    async open({ OPENAI_COMPATIBLE_BASE_URL: baseURL = "", OPENAI_COMPATIBLE_API_KEY: apiKey }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ name: "compatible", baseURL, ...(apiKey && { apiKey }) });
    },
  },
];

/**
 * The model that the environment asks for: `MODEL=provider:model`, or the usual model of the first
 * provider whose key is set. Throws an error for the person if there is none.
 */
export async function modelFrom(env: Env): Promise<Model> {
  const [, name, id] = /^(?:([a-z-]+):)?(.+)$/.exec(env["MODEL"] ?? "") ?? [];
  const candidates = PROVIDERS.filter((provider) => name === undefined || provider.name === name);
  if (candidates.length === 0) {
    const names = PROVIDERS.map((provider) => `${provider.name}:…`).join(", ");
    throw new Error(`MODEL is ${env["MODEL"]}; it must begin with one of ${names}`);
  }
  for (const { needs, usualModel, open } of candidates) {
    const model = id ?? usualModel;
    if (model !== undefined && needs.every((variable) => env[variable])) {
      return (await open(env))(model);
    }
  }
  throw new Error(missing(candidates));
}

function missing(providers: readonly Provider[]): string {
  const ways = providers.map(({ name, needs }) => `  ${name.padEnd(18)} ${needs.join(" and ")}`);
  return [
    "There is no model. Set the environment variables of one of these:",
    ...ways,
    "and MODEL=provider:model for another model than the usual one.",
    "Or watch it without a model and a key: npm run agent -- --offline",
  ].join("\n");
}
