import { archiveFolder } from "../archive/home.ts";
import { ContextError } from "../core/error.ts";
import type { LogEntry } from "./log.ts";

/** How a gateway is started; every field has a default. */
export interface GatewayOptions {
  /** The address to listen on. Any but a loopback address needs a `token`. @default "127.0.0.1" */
  readonly host?: string;
  /** The port to listen on; 0 for any that is free. @default 4141 */
  readonly port?: number;
  /** Where requests to Anthropic Messages go. @default "https://api.anthropic.com" */
  readonly anthropic?: string;
  /** Where requests to the OpenAI APIs go. @default "https://api.openai.com/v1" */
  readonly openai?: string;
  /** The window of all models, in tokens. @default by the model's name, and learned from refusals */
  readonly window?: number;
  /** The folder of the archive. @default that of the command line */
  readonly archive?: string;
  /** Only tells what would be edited, and edits nothing. @default false */
  readonly audit?: boolean;
  /** What clients have to send as `x-longhaul-token`. @default none is asked for */
  readonly token?: string;
  readonly limits?: Partial<GatewayLimits>;
  /** Hears what happens, never with any content of a conversation. @default nobody */
  readonly log?: (entry: LogEntry) => void;
}

export interface GatewayLimits {
  /** The largest request that is looked into, in bytes, packed or not; larger ones pass unread. @default 64 MiB */
  readonly maxBodyBytes: number;
  /** The headers of a request, in bytes. @default 64 KiB */
  readonly maxHeaderBytes: number;
  /** Requests that are answered at once. @default 512 */
  readonly maxStreams: number;
  /** So long a provider may say nothing, in ms. @default 600,000 */
  readonly idleMs: number;
  /** After so long without a word a client of a stream is told that somebody is there, in ms. @default 15,000 */
  readonly keepAliveMs: number;
  /** So long answers may go on after a stop was asked for, in ms. @default 600,000 */
  readonly graceMs: number;
}

const LIMITS: GatewayLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxStreams: 512,
  idleMs: 600_000,
  keepAliveMs: 15_000,
  graceMs: 600_000,
};

/** The options with their defaults, checked. */
export interface GatewaySettings {
  readonly host: string;
  readonly port: number;
  readonly anthropic: URL;
  readonly openai: URL;
  readonly window: number | undefined;
  /** A folder. */
  readonly archive: string;
  readonly audit: boolean;
  readonly token: string | undefined;
  readonly limits: GatewayLimits;
  readonly log: (entry: LogEntry) => void;
}

/** Throws `invalid-options` for what makes no sense. */
export function gatewaySettings(options: GatewayOptions): GatewaySettings {
  const { host = "127.0.0.1", port = 4141, token, window, audit = false, limits, log } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalid("port", `The port is ${port}; give a whole number from 0 to 65535.`);
  }
  if (!isLoopback(host) && (token ?? "") === "") {
    throw invalid(
      "token",
      `The address ${host} can be reached from other machines; set LONGHAUL_GATEWAY_TOKEN to what clients have to send as x-longhaul-token, or listen on 127.0.0.1.`,
    );
  }
  return {
    host,
    port,
    anthropic: upstreamUrl(options.anthropic ?? "https://api.anthropic.com", "anthropic"),
    openai: upstreamUrl(options.openai ?? "https://api.openai.com/v1", "openai"),
    window,
    archive: options.archive ?? archiveFolder(process.env),
    audit,
    token: token === "" ? undefined : token,
    limits: { ...LIMITS, ...limits },
    log: log ?? (() => undefined),
  };
}

export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

function upstreamUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.search === "" && url.hash === "" && url.username === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw invalid(
    option,
    `"${text}" is no address of a provider; give one such as https://api.example.com/v1.`,
  );
}

function invalid(option: string, message: string): ContextError {
  return new ContextError("invalid-options", message, { details: { option } });
}
