import { joined, toJson } from "../text/json.ts";

/**
 * The neutral conversation. Every dialect decodes into it and encodes out of it; the whole core
 * speaks nothing else. Values are immutable: an edit makes a new object and leaves the old one.
 */

export type Role = "system" | "user" | "assistant" | "tool";

/**
 * The meaning of a message whose role alone would mislead. Absent means: what the role says (a `user`
 * message without a kind was typed by the person and starts a turn).
 * - `injected`: a program wrote it (a reminder, a notice, AGENTS.md, an observation).
 * - `summary`: the compacted head of the conversation, ours or another agent's.
 * - `continuation`: added after a compaction so that the agent goes on.
 */
export type MessageKind = "injected" | "summary" | "continuation";

/** The provider's report on the request that produced a message; all in tokens. */
export interface Usage {
  /** Input tokens that were not read from or written to a cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** A message without what the provider reported for it, which is about a list that was not edited. */
export function withoutUsage({ usage: _, ...message }: Message): Message {
  return message;
}

/** All tokens of a request, the cache included. JSON has `null` where nothing was reported. */
export function totalUsage(usage: Usage | null): number {
  const { input, output, cacheRead, cacheWrite } = usage ?? { input: 0, output: 0 };
  return input + (cacheRead ?? 0) + (cacheWrite ?? 0) + output;
}

/**
 * The native value behind a message or part, so that a dialect can give back exactly what it was given. `value` is
 * the native message or block; only the dialect named here looks into it.
 */
export interface Source {
  readonly dialect: string;
  readonly value: unknown;
}

/** The native message. The neutral one is untouched as long as `parts` is the message's own array. */
export interface MessageSource extends Source {
  readonly parts: readonly Part[];
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** The handle of the whole text, if this is not all of it. */
  readonly original?: string;
  readonly source?: Source;
}

/** Thinking of the model. With a `signature` it is bound to the provider that made it. */
export interface ReasoningPart {
  readonly type: "reasoning";
  /** May be empty when only the signature or an encrypted form exists. */
  readonly text: string;
  readonly signature?: string;
  readonly source?: Source;
}

/** An image, a document or any other file: inline (`data`) or by `url`. */
export interface FilePart {
  readonly type: "file";
  /** IANA media type, `application/octet-stream` when unknown. */
  readonly mediaType: string;
  readonly filename?: string;
  /** Base64, without a `data:` prefix; or the bytes themselves. */
  readonly data?: string | Uint8Array | ArrayBuffer;
  readonly url?: string;
  readonly source?: Source;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments, parsed; a string when they were no valid JSON or are free text. */
  readonly input: unknown;
  /** The handle of the whole input, if this is not all of it. */
  readonly original?: string;
  /**
   * The call was put before somebody who may approve or refuse it. As long as it has no result it
   * waits: nobody answers it in its place, and its input stays whole, because it may yet run.
   */
  readonly pending?: true;
  readonly source?: Source;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: readonly OutputPart[];
  /** True when the tool failed or was refused; false when its agent says that it did not. */
  readonly isError?: boolean;
  /** Of a command, from where its agent itself notes it; never from what the command printed. */
  readonly exitCode?: number;
  /** `compacted`: when its output was pruned, in ms since the epoch. */
  readonly time?: { readonly compacted: number };
  /** The handle or path of the whole output, if this is not all of it. */
  readonly original?: string;
  readonly source?: Source;
}

/** A block that no dialect field describes (server tools, citations, …). It travels untouched. */
export interface OpaquePart {
  readonly type: "opaque";
  /** The native type name, for reports. */
  readonly kind: string;
  /** The block's cost, if the dialect knows better than counting its JSON. */
  readonly tokens?: number;
  /**
   * A name that joins it with opaque parts of other messages that have the same link, e.g. a provider's own
   * call and its result: none of them is kept or dropped without the others.
   */
  readonly link?: string;
  readonly source: Source;
}

export type OutputPart = TextPart | FilePart | OpaquePart;
export type Part = TextPart | ReasoningPart | FilePart | ToolCallPart | ToolResultPart | OpaquePart;

export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly kind?: MessageKind;
  readonly id?: string;
  /** The time of its making, in ms since the epoch. */
  readonly time?: number;
  /** On assistant messages: what the provider reported. */
  readonly usage?: Usage;
  /** Plain JSON that travels with the message, e.g. `compaction_continue: true`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly source?: MessageSource;
}

/** A message with other parts; its source stays, so that unknown native fields survive. */
export function withParts(message: Message, parts: readonly Part[]): Message {
  return { ...message, parts };
}

/** True of a message that is exactly what the named dialect decoded. */
export function isUntouched(message: Message, dialect: string): boolean {
  const { source } = message;
  return source !== undefined && source.dialect === dialect && source.parts === message.parts;
}

/** The text of a tool's output, that of opaque pieces included; files are left out. */
export function outputText(output: readonly OutputPart[]): string {
  const only = output[0];
  if (output.length === 1 && only?.type === "text") return only.text;
  return joined(output.flatMap(textsOf), "\n");
}

function textsOf(piece: OutputPart): string[] {
  if (piece.type === "file") return [];
  return piece.type === "text" ? [piece.text] : textsIn(piece.source.value);
}

/** Blocks that hold a text have it in a field of this name, at whatever depth. */
function textsIn(value: unknown, depth = 8): string[] {
  if (typeof value !== "object" || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "text" && typeof inner === "string" ? [inner] : textsIn(inner, depth - 1),
  );
}

/** The text of one tool result. */
export function resultText(result: ToolResultPart): string {
  return outputText(result.output);
}

/** The plain text of a message: its text parts, one below the other. */
export function messageText(message: Message): string {
  const only = message.parts[0];
  if (message.parts.length === 1 && only?.type === "text") return only.text;
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** A tool call's input as text: a string as it is, anything else as JSON. */
export function inputText(input: unknown): string {
  return typeof input === "string" ? input : toJson(input);
}
