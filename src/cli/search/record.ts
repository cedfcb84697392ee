import { createEntry } from "../../transcripts/claude-code/entry.ts";
import { fieldsOf, isRecord } from "../../core/text/json.ts";
import type { Needle } from "./needle.ts";

/** A text in a record of a session, and the names of the fields that lead to it. */
export interface RecordText {
  readonly text: string;
  readonly names: readonly string[];
  /** Types of the pieces that it stands in, e.g. `tool_result`. */
  readonly types: readonly string[];
}

/** The place of a value in its record. */
type Place = Omit<RecordText, "text">;

const TOP: Place = { names: [], types: [] };

/** Fields that nobody reads: signatures and what only its provider can open. */
export const SEALED = /^(?:signature|thinkingSignature|encrypted_content|reasoningOpaque)$/;
const DEEPEST = 40;

/** Every text in a record; JSON in a text is opened, too. */
export function* textsOf(
  value: unknown,
  place: Place = TOP,
  depth = 0,
): Generator<RecordText, void, undefined> {
  if (depth > DEEPEST) return;
  if (typeof value === "string") {
    const inner = depth > 0 ? packed(value) : undefined;
    if (inner === undefined) yield { text: value, ...place };
    else yield* textsOf(inner, place, depth + 1);
  } else if (Array.isArray(value)) {
    for (const item of value) yield* textsOf(item, place, depth + 1);
  } else if (isRecord(value)) {
    const { type } = value;
    const types = typeof type === "string" ? [...place.types, type] : place.types;
    for (const [name, item] of Object.entries(value)) {
      if (SEALED.test(name)) continue;
      yield* textsOf(item, { names: [...place.names, name], types }, depth + 1);
    }
  }
}

function packed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The first text of a record that the needle is in. */
export function findInRecord(
  record: unknown,
  needle: Needle,
): (RecordText & { readonly at: number }) | undefined {
  for (const one of textsOf(record)) {
    const at = needle.find(one.text);
    if (at >= 0) return { ...one, at };
  }
  return undefined;
}

/** The kind of a text, by the names and types that lead to it; the first that fits counts. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [
    /tool_?use_?result|tool_?result|functionresponse|_output\b|\.output\b|\bstd(?:out|err)|tool\.execution_complete/i,
    "tool result",
  ],
  [/tool_use|_call\b|\.(?:input|arguments|args)\b|toolcall|toolrequests/i, "tool call"],
  [/thinking|reasoning|thoughts/i, "reasoning"],
  [/^(?:summary|compaction|compacted)\b|isCompactSummary/, "summary"],
];

/** The kind of a text in a record, for people. */
export function kindOfText(record: unknown, { names, types }: Place = TOP): string {
  const fields = fieldsOf(record);
  const { type, role, message, info, payload } = fields;
  const mark = fields["isCompactSummary"] === true ? ".isCompactSummary" : "";
  const way = `${types.join(" ")} .${names.join(".")}${mark}`;
  const known = KINDS.find(([pattern]) => pattern.test(way));
  if (known !== undefined) return known[1];
  const who = [message, info, payload].map((one) => fieldsOf(one)["role"]).find(isText) ?? role;
  if (who === "tool") return "tool result";
  if (isText(who)) return who;
  return type === "gemini" ? "assistant" : isText(type) ? type.replace(/\.message$/, "") : "text";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Whether a record is what a person typed, by the agent that wrote it. */
export function beginsTurn(agent: string, record: unknown): boolean {
  const fields = fieldsOf(record);
  const { type } = fields;
  if (agent === "claude-code") {
    if (type !== "user" || fields["isSidechain"] === true) return false;
    const { content } = createEntry(fields, 0);
    if (content.type !== "input") return false;
    return content.messages.some(({ role, kind }) => role === "user" && kind === undefined);
  }
  if (agent === "codex") return fieldsOf(fields["payload"])["type"] === "user_message";
  if (agent === "gemini-cli" || agent === "qwen-code") return type === "user";
  if (agent === "copilot-cli") return type === "user.message" && fields["agentId"] === undefined;
  if (agent === "opencode") return fieldsOf(fields["info"])["role"] === "user";
  return fieldsOf(fields["message"])["role"] === "user" || fields["role"] === "user";
}

/** The time at which a record was written, in ms since the epoch, where it says so. */
export function timeOfRecord(record: unknown): number | undefined {
  const { timestamp, ts, info } = fieldsOf(record);
  const created = fieldsOf(fieldsOf(info)["time"])["created"];
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : (timestamp ?? ts ?? created);
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}
