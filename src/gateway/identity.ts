import { sha256Hex } from "../archive/digest.ts";
import { parseInput, isWireObject, textIn, type WireObject } from "../dialects/wire.ts";
import { headerOf, type RawHeaders } from "./headers.ts";

/** The parts of a request that tell its conversation before its messages are looked at. */
export interface Identity {
  readonly headers: RawHeaders;
  readonly params: WireObject;
  readonly url: URL;
}

/** The names under which clients say which conversation they are in; the first that is there counts. */
const CLIENT_HEADERS: readonly (readonly string[])[] = [
  ["x-longhaul-conversation"],
  ["x-claude-code-session-id", "x-claude-code-agent-id"],
  ["session-id", "thread-id"],
  ["thread-id"],
  ["x-session-affinity"],
  ["x-session-id"],
  ["session_id"],
];

/**
 * The conversation's name as far as headers and fields tell it: it begins with the credential, as a
 * digest, so that whoever asks is told by the name alone what is theirs. Another beginning is
 * another conversation even under one name.
 */
export function scopeOf({ headers, params, url }: Identity): string {
  const said = saidByHeaders(headers) ?? saidByFields(params) ?? "";
  return `${ownerOf(headers, url)}${digestTo(12, said)}-`;
}

/** The beginning of the names of conversations that a caller may see, who names one or none. */
export function visibleTo(headers: RawHeaders, url: URL): string {
  const said = saidByHeaders(headers);
  const owner = ownerOf(headers, url);
  return said === undefined ? owner : `${owner}${digestTo(12, said)}-`;
}

/** Nobody can be told by a request without a credential. */
export function isAnonymous(headers: RawHeaders, url: URL): boolean {
  return url.search === "" && CREDENTIALS.every((name) => headerOf(headers, name) === undefined);
}

function ownerOf(headers: RawHeaders, { search }: URL): string {
  // Some keys stand in the address.
  return `gateway-${digestTo(20, credentialOf(headers) + search)}-`;
}

export function digestTo(length: number, text: string): string {
  return sha256Hex(text).slice(0, length);
}

/**
 * Shared by a session's conversations, those of sub-agents included; `undefined` where nobody tells
 * one.
 */
export function sessionOf({ headers, params, url }: Identity): string | undefined {
  const header = CLIENT_HEADERS.map(([name = ""]) => headerOf(headers, name)).find(Boolean);
  const said = header ?? saidByFields(params);
  return said && `${ownerOf(headers, url)}${digestTo(12, said)}`;
}

function saidByHeaders(headers: RawHeaders): string | undefined {
  for (const names of CLIENT_HEADERS) {
    const values = names.map((name) => headerOf(headers, name));
    if (values[0] !== undefined) return JSON.stringify([names[0], ...values]);
  }
  return undefined;
}

function saidByFields(params: WireObject): string | undefined {
  const { metadata, prompt_cache_key: key } = params;
  const user = isWireObject(metadata) ? metadata["user_id"] : undefined;
  const fields = parseInput(user);
  // Claude Code says its session there, in JSON or at the end of a text; any other is a person.
  const session = isWireObject(fields)
    ? textIn(fields, "session_id")
    : /_session_(.+)$/.exec(typeof user === "string" ? user : "")?.[1];
  if (session !== undefined) return JSON.stringify(["user_id", session]);
  return typeof key === "string" && key !== "" ? JSON.stringify(["cache", key]) : undefined;
}

/** Credentials of providers, and the headers that choose between accounts of one. */
const CREDENTIALS = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "chatgpt-account-id",
  "openai-organization",
  "openai-project",
];

/**
 * Everything that a request is allowed by, as a digest. An account that a header claims is no proof
 * of anything, so the token of a login counts as it is: after the next login it is another one.
 */
export function credentialOf(headers: RawHeaders): string {
  return sha256Hex(JSON.stringify(CREDENTIALS.map((name) => headerOf(headers, name) ?? "")));
}
