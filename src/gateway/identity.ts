import { sha256Hex } from "../archive/digest.ts";
import { parseInput, isWireObject, textIn, type WireObject } from "../dialects/wire.ts";
import { headerOf, type RawHeaders } from "./headers.ts";

/** What tells one conversation from others before its messages are looked at. */
export interface Identity {
  readonly headers: RawHeaders;
  readonly params: WireObject;
  /** The address and the API that the request goes to. */
  readonly to: string;
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
 * The conversation's name as far as headers and fields tell it: scoped by the credential, which goes
 * into it as a digest only, and by the address. What begins otherwise is another conversation even
 * under one name.
 */
export function scopeOf({ headers, params, to }: Identity): string {
  const said = saidByHeaders(headers) ?? saidByFields(params) ?? "";
  return sha256Hex(JSON.stringify([to, credentialOf(headers), said]));
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

/** Tokens of a login, which are another every few hours: a conversation must not end with one. */
const ROTATING = /^bearer\s+(?:sk-ant-oat|ey[\w-]+\.[\w-]+\.[\w-]*$)/i;
const ACCOUNTS = ["chatgpt-account-id", "openai-organization", "openai-project"];

function credentialOf(headers: RawHeaders): string {
  const bearer = headerOf(headers, "authorization") ?? "";
  const key = headerOf(headers, "x-api-key") ?? "";
  const accounts = ACCOUNTS.map((name) => headerOf(headers, name) ?? "");
  const login = ROTATING.test(bearer) ? "login" : bearer;
  return sha256Hex(JSON.stringify([login, key, ...accounts]));
}
