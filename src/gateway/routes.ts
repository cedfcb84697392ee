import { headerOf, type RawHeaders } from "./headers.ts";
import type { GatewaySettings } from "./options.ts";

/** The APIs whose requests are conversations. */
export type ProtocolName = "anthropic" | "openai-chat" | "openai-responses";

export interface Route {
  readonly provider: "anthropic" | "openai";
  readonly url: URL;
  /** The API of a conversation; absent for all that passes unread. */
  readonly protocol?: ProtocolName;
  /** The conversation is only to be counted. */
  readonly isCount?: boolean;
}

const CALLS: readonly (readonly [RegExp, ProtocolName])[] = [
  [/^\/v1\/messages(?:\/count_tokens)?$/, "anthropic"],
  [/^\/v1\/chat\/completions$/, "openai-chat"],
  [/^\/v1\/responses$/, "openai-responses"],
];

/**
 * The target of a request: always one of the two addresses of the settings, whatever it says itself.
 * `undefined` for a target that is no path.
 */
export function routeOf(
  { method, target, headers }: { method: string; target: string; headers: RawHeaders },
  settings: Pick<GatewaySettings, "anthropic" | "openai">,
): Route | undefined {
  if (!target.startsWith("/")) return undefined;
  const end = target.indexOf("?");
  const path = end < 0 ? target : target.slice(0, end);
  const query = end < 0 ? "" : target.slice(end);
  const protocol = method === "POST" ? CALLS.find(([form]) => form.test(path))?.[1] : undefined;
  const provider = providerOf(path, headers, protocol);
  const url = joined(settings[provider], path, query);
  if (url === undefined) return undefined;
  return {
    provider,
    url,
    ...(protocol !== undefined && { protocol, isCount: path.endsWith("/count_tokens") }),
  };
}

/** OpenAI clients have `/v1` in their address, Anthropic's name their version. */
function providerOf(
  path: string,
  headers: RawHeaders,
  protocol: ProtocolName | undefined,
): Route["provider"] {
  if (protocol !== undefined) return protocol === "anthropic" ? "anthropic" : "openai";
  const isAnthropic =
    !path.startsWith("/v1/") ||
    /^\/v1\/(?:messages|complete$)/.test(path) ||
    headerOf(headers, "anthropic-version") !== undefined ||
    headerOf(headers, "x-api-key") !== undefined;
  return isAnthropic ? "anthropic" : "openai";
}

/** An address with a version of its own has that in place of `/v1`. */
function joined(base: URL, path: string, query: string): URL | undefined {
  const own = base.pathname.replace(/\/+$/, "");
  const rest = /\/v\d+$/.test(own) ? path.replace(/^\/v1(?=\/|$)/, "") : path;
  const text = `${base.origin}${own}${rest}${query}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === base.origin ? url : undefined;
}
