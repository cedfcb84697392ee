import type { IncomingMessage, ServerResponse } from "node:http";
import type { DirectoryArchiveOptions } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import { isFolder } from "../archive/open.ts";
import type { ContextOptions } from "../context/options.ts";
import { ContextError } from "../core/error.ts";
import type { Message, Usage } from "../core/message/index.ts";
import { withDefaults } from "../core/options.ts";
import type { PriceOf } from "./receipts.ts";

/** One event; no field ever holds content of a conversation, or a credential. */
export interface LogEntry {
  readonly level: "info" | "warn";
  readonly event: "request" | "failed" | "edited" | "stopping";
  readonly [field: string]: unknown;
}

/** A request as it goes to a provider, with all of its content. */
export interface SentRequest {
  /** Of its conversation. */
  readonly id: string;
  /** Shared by the conversations of one session, where the client tells it. */
  readonly session: string | undefined;
  readonly model: string;
  readonly window: number | undefined;
  readonly messages: readonly Message[];
  readonly tools: unknown;
  readonly isEdited: boolean;
}

/** Looks on, on this machine: what it hears is never logged. */
export interface GatewayWatch {
  sent(request: SentRequest): void;
  /** The provider's report for the newest request of a conversation. */
  learned(id: string, usage: Usage): void;
  /** Returns true for a request to the watch itself, which is answered then. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

/** The settings of a gateway; every field has a default. */
export interface GatewayOptions {
  /** The address to listen on. Any but a loopback address needs a `token`. @default "127.0.0.1" */
  readonly host?: string;
  /** The port to listen on; 0 for any that is free. @default 4141 */
  readonly port?: number;
  /** The base URL of requests to Anthropic Messages. @default "https://api.anthropic.com" */
  readonly anthropic?: string;
  /** The base URL of requests to the OpenAI APIs. @default "https://api.openai.com/v1" */
  readonly openai?: string;
  /** The window of all models, in tokens. @default by the model's name, and learned from refusals */
  readonly window?: number;
  /**
   * The archive: a folder, or `postgres://…` or `s3://…` for gateways on several machines.
   * @default the folder of the command line
   */
  readonly archive?: string;
  /** Limits on an archive that is a folder. @default as `directoryArchive` does */
  readonly retention?: DirectoryArchiveOptions["retention"];
  /** Only tells what would be edited, and edits nothing. @default false */
  readonly audit?: boolean;
  /**
   * The way back to what left the context: the files of the archive, which its agent opens
   * with its own tools; tools that are put into its requests and answered here; or none.
   * @default "file" on a loopback address with a folder, whose clients see those files, else "tool"
   */
  readonly recall?: RecallWay;
  /**
   * The answer to a client's own compaction, where its request holds the history: a model is asked
   * as it wants, or it gets the recorded facts at once.
   * @default "pass"
   */
  readonly compaction?: CompactionWay;
  /**
   * The moments at which old outputs are pruned: only when the window is full; also when the
   * provider's cache has gone cold, so that it costs nothing; or also when the prices say that it
   * pays, by the requests expected.
   * @default "cold"
   */
  readonly epochs?: EpochTime;
  /** The token that clients have to send as `x-longhaul-token`. @default none is asked for */
  readonly token?: string;
  /** The version that its tools over MCP tell. @default "0" */
  readonly version?: string;
  readonly limits?: Partial<GatewayLimits>;
  /** For every conversation, as in the library: templates, tools that are protected, who hears events. */
  readonly plugins?: ContextOptions["plugins"];
  /** Prices of models, for receipts. @default nobody knows: receipts are about tokens alone */
  readonly priceOf?: PriceOf;
  /** Hears what happens, never with any content of a conversation. @default nobody */
  readonly log?: (entry: LogEntry) => void;
  /** Hears what is sent, with its content, and answers for a page of it. @default nobody */
  readonly watch?: GatewayWatch;
}

export type RecallWay = "tool" | "file" | "none";
export const WAYS: readonly RecallWay[] = ["tool", "file", "none"];

export type CompactionWay = "pass" | "answer";
export const COMPACTION_WAYS: readonly CompactionWay[] = ["pass", "answer"];

export type EpochTime = "full" | "cold" | "gain";
export const EPOCH_TIMES: readonly EpochTime[] = ["full", "cold", "gain"];

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

type Defaulted = "host" | "port" | "archive" | "audit" | "recall" | "compaction" | "epochs";

/** The options with their defaults, checked. */
export interface GatewaySettings
  extends
    Required<Pick<GatewayOptions, Defaulted | "version" | "plugins" | "log">>,
    Pick<GatewayOptions, "window" | "retention" | "token" | "priceOf" | "watch"> {
  readonly anthropic: URL;
  readonly openai: URL;
  readonly limits: GatewayLimits;
}

/** Throws `invalid-options` for what makes no sense. */
export function gatewaySettings(options: GatewayOptions): GatewaySettings {
  const { host = "127.0.0.1", port = 4141, token, window, audit = false, limits, log } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalid("port", `The port is ${port}; give a whole number from 0 to 65535.`);
  }
  const { archive = archiveFolder(process.env) } = options;
  const { recall = isLoopback(host) && isFolder(archive) ? "file" : "tool" } = options;
  if (!WAYS.includes(recall)) {
    throw invalid("recall", `"${recall as string}" is no way to recall; give ${WAYS.join(", ")}.`);
  }
  if (recall === "file" && !isFolder(archive)) {
    throw invalid("recall", "Only a folder has files to recall from; give tool or none.");
  }
  const { compaction = "pass", epochs = "cold" } = options;
  if (!COMPACTION_WAYS.includes(compaction)) {
    throw invalid("compaction", `"${compaction as string}" is none; give pass or answer.`);
  }
  if (!EPOCH_TIMES.includes(epochs)) {
    throw invalid("epochs", `"${epochs as string}" is none; give ${EPOCH_TIMES.join(", ")}.`);
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
    archive,
    retention: options.retention,
    audit,
    recall,
    compaction,
    epochs,
    token: token === "" ? undefined : token,
    version: options.version ?? "0",
    plugins: options.plugins ?? [],
    priceOf: options.priceOf,
    limits: withDefaults(LIMITS, limits),
    log: log ?? (() => undefined),
    watch: options.watch,
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
