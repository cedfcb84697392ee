import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Where a client shall send its requests. */
export interface GatewayAddress {
  /** For Anthropic clients; OpenAI clients take it with `/v1` behind it. */
  readonly url: string;
  /** The provider of the client's own configuration that goes there. @default those built in */
  readonly provider?: string;
  /** Whether that provider speaks Anthropic Messages. */
  readonly isAnthropic: boolean;
}

/** What one child is started with. */
export interface ChildSettings {
  /** Before the arguments that the person gave. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Removes what was made for the child. */
  readonly cleanUp: () => void;
}

type Env = Readonly<Record<string, string | undefined>>;
type Settle = (address: GatewayAddress, env: Env) => Partial<ChildSettings>;

/** The clients that need more than a variable; nothing of their own configuration is changed. */
const CLIENTS: Readonly<Record<string, Settle>> = {
  codex: ({ url, provider }) => {
    const key = provider === undefined ? "openai_base_url" : `model_providers.${provider}.base_url`;
    return { args: ["-c", `${key}=${JSON.stringify(`${url}/v1`)}`] };
  },
  opencode: ({ url, provider }, { OPENCODE_CONFIG_CONTENT: own }) => {
    const names = provider === undefined ? ["anthropic", "openai"] : [provider];
    const options = { baseURL: `${url}/v1` };
    const entries = Object.fromEntries(names.map((name) => [name, { options }]));
    return { env: { OPENCODE_CONFIG_CONTENT: withProviders(own, entries) } };
  },
  pi: (address) => {
    const folder = mkdtempSync(path.join(tmpdir(), "longhaul-wrap-"));
    const file = path.join(folder, "longhaul-gateway.ts");
    writeFileSync(file, piExtension(address));
    const cleanUp = (): void => rmSync(folder, { recursive: true, force: true });
    return { args: ["-e", file], cleanUp };
  },
};

/** How one client is told, for as long as it runs. Any other program is told by its environment. */
export function settingsOf(client: string, address: GatewayAddress, env: Env): ChildSettings {
  const { url } = address;
  const settled = CLIENTS[client]?.(address, env);
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
    // What opencode could not read is for nobody.
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
