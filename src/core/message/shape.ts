import { type Fields, isRecord } from "../text/json.ts";
import { ContextError } from "../error.ts";
import { isBytes } from "./file-data.ts";
import type { Message, Part } from "./message.ts";

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

/** The fields that a part of each type must have as strings. */
const REQUIRED: Readonly<Record<Part["type"], readonly string[]>> = {
  text: ["text"],
  reasoning: ["text"],
  file: ["mediaType"],
  "tool-call": ["toolCallId", "toolName"],
  "tool-result": ["toolCallId", "toolName"],
  opaque: ["kind"],
};

/** The test of a field that need not be there; JSON has `null` for none. */
interface OptionalField {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const TEXT: OptionalField = { expected: "a string", fits: (value) => typeof value === "string" };
const RECORD: OptionalField = { expected: "an object", fits: isRecord };

const COUNTS = ["input", "output", "cacheRead", "cacheWrite"];
const USAGE: OptionalField = {
  expected: "an object of numbers",
  fits: (value) =>
    isRecord(value) && COUNTS.every((name) => typeof (value[name] ?? 0) === "number"),
};

const MESSAGE_FIELDS: Readonly<Record<string, OptionalField>> = {
  kind: TEXT,
  usage: USAGE,
  metadata: RECORD,
  source: RECORD,
};

const PART_FIELDS: Readonly<Record<string, OptionalField>> = {
  filename: TEXT,
  url: TEXT,
  signature: TEXT,
  original: TEXT,
  link: TEXT,
  time: RECORD,
  source: RECORD,
  data: {
    expected: "base64 or bytes",
    fits: (value) => typeof value === "string" || isBytes(value),
  },
};

const IN_OUTPUTS: ReadonlySet<unknown> = new Set(["text", "file", "opaque"]);

/**
 * The reason why a value is no neutral message, to go on from "Message 3 …"; `undefined` for a message. Only
 * the shape is looked at; whether a conversation is legal, `checkMessages` tells.
 */
export function shapeProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return `is ${describeValue(value)} and no object`;
  const { role, parts } = value;
  if (!ROLES.has(role)) {
    return `has the unknown role ${typeof role === "string" ? `"${role}"` : describeValue(role)}`;
  }
  if (!Array.isArray(parts)) return `needs an array in "parts"`;
  for (const part of parts) {
    const problem = partProblem(part);
    if (problem !== undefined) return problem;
  }
  return oddField(value, MESSAGE_FIELDS);
}

function oddField(
  value: Fields,
  fields: Readonly<Record<string, OptionalField>>,
): string | undefined {
  for (const name in fields) {
    const field = value[name] ?? undefined;
    const { expected, fits } = fields[name] as OptionalField;
    if (field !== undefined && !fits(field)) {
      return `needs ${expected} in "${name}" and has ${describeValue(field)}`;
    }
  }
  return undefined;
}

function partProblem(part: unknown): string | undefined {
  if (!isRecord(part) || typeof part["type"] !== "string") return "has a part without a type";
  const { type } = part;
  const required = Object.hasOwn(REQUIRED, type) ? REQUIRED[type as Part["type"]] : undefined;
  if (required === undefined) return `has a part of the unknown type "${type}"`;
  const missing = required.find((field) => typeof part[field] !== "string");
  if (missing !== undefined) {
    return `needs a string in "${missing}" and has ${describeValue(part[missing])}`;
  }
  const odd = oddField(part, PART_FIELDS);
  if (odd !== undefined) return odd;
  if (type === "opaque" && !isRecord(part["source"])) return "has an opaque part without a source";
  return type === "tool-result" ? outputProblem(part["output"]) : undefined;
}

function outputProblem(output: unknown): string | undefined {
  if (!Array.isArray(output)) return "has a tool result whose output is no array";
  for (const piece of output) {
    const problem = partProblem(piece);
    if (problem !== undefined) return problem;
    const { type } = piece as Part;
    if (!IN_OUTPUTS.has(type)) return `has a tool result that holds a ${type} part`;
  }
  return undefined;
}

/** Tells callers that bring another format what to do with it. */
export function assertMessage(value: unknown, index: number): asserts value is Message {
  const problem = shapeProblem(value);
  if (problem === undefined) return;
  throw new ContextError(
    "invalid-message",
    `Message ${index} ${problem}, so it is no neutral message; decode messages of a provider or an SDK first, e.g. with \`anthropic.decode\` of longhaul/dialects.`,
    { details: { index, problem } },
  );
}

/** Throws `invalid-message` for a history that is no list. */
export function assertMessageList(value: unknown): asserts value is readonly unknown[] {
  if (Array.isArray(value)) return;
  const problem = `The history is ${describeValue(value)} and no array of messages.`;
  throw new ContextError("invalid-message", problem);
}

/** Throws `invalid-message` for what is no list of messages. */
export function assertMessages(value: unknown): asserts value is readonly Message[] {
  assertMessageList(value);
  value.forEach(assertMessage);
}

/** A wrong value in two or three words. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
