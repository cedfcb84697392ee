import { type Fields, isRecord } from "../text/json.ts";
import { ContextError } from "../error.ts";
import { describeValue, is, optional, type Rules, TEXT } from "../rules.ts";
import { isBytes } from "./file-data.ts";
import type { Message, Part } from "./message.ts";

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

const RECORD = is("an object", isRecord);
const COUNTS = ["input", "output", "cacheRead", "cacheWrite"];
const USAGE = is(
  "an object of numbers",
  (value) => isRecord(value) && COUNTS.every((name) => typeof (value[name] ?? 0) === "number"),
);

const MESSAGE_FIELDS: Rules = {
  kind: optional(TEXT),
  usage: optional(USAGE),
  metadata: optional(RECORD),
  source: optional(RECORD),
};

const PART_FIELDS: Rules = {
  filename: optional(TEXT),
  url: optional(TEXT),
  signature: optional(TEXT),
  original: optional(TEXT),
  link: optional(TEXT),
  time: optional(RECORD),
  source: optional(RECORD),
  data: optional(is("base64 or bytes", (value) => typeof value === "string" || isBytes(value))),
};

const CALL: Rules = { toolCallId: TEXT, toolName: TEXT };

/** The fields that a part of each type must have. */
const REQUIRED: Readonly<Record<Part["type"], Rules>> = {
  text: { text: TEXT },
  reasoning: { text: TEXT },
  file: { mediaType: TEXT },
  "tool-call": CALL,
  "tool-result": { ...CALL, output: is("an array", Array.isArray) },
  opaque: { kind: TEXT, source: RECORD },
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

/** JSON has `null` for a field that is not there. */
function oddField(value: Fields, fields: Rules): string | undefined {
  for (const name in fields) {
    const problem = fields[name]?.(value[name] ?? undefined, name);
    if (problem === undefined) continue;
    return `needs ${problem.expected} in "${name}" and has ${describeValue(problem.value)}`;
  }
  return undefined;
}

function partProblem(part: unknown): string | undefined {
  if (!isRecord(part) || typeof part["type"] !== "string") return "has a part without a type";
  const { type, output } = part;
  const required = Object.hasOwn(REQUIRED, type) ? REQUIRED[type as Part["type"]] : undefined;
  if (required === undefined) return `has a part of the unknown type "${type}"`;
  const odd = oddField(part, required) ?? oddField(part, PART_FIELDS);
  return odd ?? (type === "tool-result" ? outputProblem(output as unknown[]) : undefined);
}

function outputProblem(output: readonly unknown[]): string | undefined {
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
