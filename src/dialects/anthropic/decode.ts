import type { Message, Part } from "../../core/message/index.ts";
import { type Draft, fromNative } from "../native-message.ts";
import { splitSummary } from "../summary-slice.ts";
import { describeValue, invalidWire, isWireObject, requiredString } from "../wire-value.ts";
import { type CallNames, decodeBlocks } from "./decode-block.ts";
import { ANTHROPIC, type AnthropicConversation, type AnthropicMessage } from "./wire.ts";

/**
 * Decodes the `system` and `messages` of a request. `system` becomes one leading system message.
 * A user message with tool results becomes a tool message and, if it holds more, a user message.
 * Throws `ContextError` code `invalid-message`.
 */
export function decodeAnthropic(conversation: AnthropicConversation): readonly Message[] {
  const place = { dialect: ANTHROPIC };
  if (!isWireObject(conversation)) {
    throw invalidWire(place, `is ${describeValue(conversation)} and no object with "messages"`);
  }
  const { system, messages } = conversation as AnthropicConversation;
  if (!Array.isArray(messages)) {
    throw invalidWire(place, `needs an array in "messages", not ${describeValue(messages)}`);
  }
  const decode = createAnthropicDecoder();
  const leading = system === undefined ? [] : decodeSystem(system);
  return [...leading, ...messages.flatMap((native: AnthropicMessage) => decode(native))];
}

/** A decoder that takes the entries of `messages` one by one, each in constant time. */
export function createAnthropicDecoder(): (native: AnthropicMessage) => readonly Message[] {
  const names: CallNames = new Map();
  let index = 0;
  return (native) => {
    const drafts = decodeMessage(native, names, index);
    index += 1;
    return fromNative(ANTHROPIC, native, drafts);
  };
}

/** The source of this message is the value of `system` itself: a string or an array. */
function decodeSystem(system: unknown): Message[] {
  const parts = decodeBlocks(system, new Map(), { dialect: ANTHROPIC });
  return fromNative(ANTHROPIC, system, [{ role: "system", parts }]);
}

function decodeMessage(native: unknown, names: CallNames, index: number): Draft[] {
  const place = { dialect: ANTHROPIC, index };
  if (!isWireObject(native)) throw invalidWire(place, `is ${describeValue(native)} and no object`);
  const role = requiredString(native, "role", place);
  const settings = native["output_config"];
  if (role === "system" && native["content"] === undefined && isWireObject(settings)) {
    const source = { dialect: ANTHROPIC, value: settings };
    return [{ role, parts: [{ type: "opaque", kind: "output_config", source }] }];
  }
  const parts = decodeBlocks(native["content"], names, place);
  if (role === "assistant") return [{ role, parts }];
  if (role === "system") return splitSummary({ role, parts });
  if (role === "user") return splitUser(parts);
  throw invalidWire(place, `has the unknown role "${role}"`);
}

/** Cuts a user message where tool results begin or end. */
function splitUser(parts: readonly Part[]): Draft[] {
  const runs: { role: "user" | "tool"; parts: Part[] }[] = [];
  for (const part of parts) {
    const role = part.type === "tool-result" ? "tool" : "user";
    const run = runs.at(-1);
    if (run?.role === role) run.parts.push(part);
    else runs.push({ role, parts: [part] });
  }
  const [first, ...rest] = runs.length > 0 ? runs : [{ role: "user" as const, parts: [] }];
  if (first === undefined) return [];
  return first.role === "user" ? [...splitSummary(first), ...rest] : [first, ...rest];
}
