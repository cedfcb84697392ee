import {
  type ChildSettings,
  type ClientWorld,
  clineSettings,
  continueSettings,
  copyOf,
  type GatewayAddress,
  qwenSettings,
} from "./wrap-copies.ts";

type Settle = (address: GatewayAddress, world: ClientWorld) => Partial<ChildSettings>;

/** The clients that need more than a variable; nothing of their own configuration is changed. */
const CLIENTS: Readonly<Record<string, Settle>> = {
  codex: ({ url, provider }) => {
    const key = provider === undefined ? "openai_base_url" : `model_providers.${provider}.base_url`;
    return { args: ["-c", `${key}=${JSON.stringify(`${url}/v1`)}`] };
  },
  opencode: ({ url, provider }, { env: { OPENCODE_CONFIG_CONTENT: own } }) => {
    const names = provider === undefined ? ["anthropic", "openai"] : [provider];
    const options = { baseURL: `${url}/v1` };
    const entries = Object.fromEntries(names.map((name) => [name, { options }]));
    return { env: { OPENCODE_CONFIG_CONTENT: withProviders(own, entries) } };
  },
  pi: (address) => {
    const { file, cleanUp } = copyOf("longhaul-gateway.ts", piExtension(address));
    return { args: ["-e", file], cleanUp };
  },
  qwen: qwenSettings,
  cline: clineSettings,
  cn: continueSettings,
};

/** Programs that have another name than their product. */
const PROGRAMS: Readonly<Record<string, string>> = { continue: "cn", "qwen-code": "qwen" };

/** The program of a client, by the name of either. */
export function programOf(client: string): string {
  return PROGRAMS[client] ?? client;
}

/**
 * The way to tell one client, for as long as it runs. Any other program is told by its environment. Throws
 * `invalid-options` for a provider that the client's settings do not have.
 */
export function settingsOf(
  client: string,
  address: GatewayAddress,
  world: ClientWorld,
): ChildSettings {
  const { url } = address;
  const settled = CLIENTS[programOf(client)]?.(address, world);
  return {
    args: settled?.args ?? [],
    env: { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, ...settled?.env },
    cleanUp: settled?.cleanUp ?? (() => undefined),
  };
}

/** The person's own settings of the environment, with these addresses of providers. */
function withProviders(own: string | undefined, entries: object): string {
  let before: unknown;
  try {
    before = JSON.parse(own ?? "{}");
  } catch {
    // A file that opencode could not read is for nobody.
  }
  const settings = (typeof before === "object" && before !== null ? before : {}) as {
    readonly provider?: object;
  };
  return JSON.stringify({ ...settings, provider: { ...settings.provider, ...entries } });
}

/** An extension of pi that sends its providers to the gateway. */
function piExtension({ url, provider, isAnthropic }: GatewayAddress): string {
  const own = provider === undefined ? undefined : { [provider]: isAnthropic ? url : `${url}/v1` };
  const all = own ?? { anthropic: url, openai: `${url}/v1` };
  const calls = Object.entries(all).map(
    ([name, baseUrl]) =>
      `  pi.registerProvider(${JSON.stringify(name)}, { baseUrl: ${JSON.stringify(baseUrl)} });`,
  );
  return `export default function (pi) {\n${calls.join("\n")}\n}\n`;
}
