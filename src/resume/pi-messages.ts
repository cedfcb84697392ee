import type { FilePart, Message, OutputPart, Part } from "../core/message/message.ts";
import { isRecord } from "../core/text/json.ts";
import { foreignText } from "../dialects/foreign-text.ts";
import { nativeOf, withFields } from "../dialects/native-message.ts";
import { objectInput } from "./session.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A message as pi has it in its list: `user`, `assistant`, `toolResult`, or one of its own roles. */
export interface PiMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

/** Fields that new messages are given, because pi expects them. */
export interface PiMade {
  readonly model?: string;
  readonly provider?: string;
  /** In ms since the epoch, of the first message; the next are one later each. */
  readonly now: number;
}

const PI = "pi";
/** The name under which messages that no person typed are kept. */
export const CUSTOM = "longhaul";

/**
 * Messages in the form of pi. Those that came from pi and were not edited are the very objects that
 * they came from; of the edited ones, what was not edited.
 */
export function piMessages(messages: readonly Message[], made: PiMade): PiMessage[] {
  const known = messages.map(nativeMessage).find((native) => typeof native?.["api"] === "string");
  const ids = nativeIds(messages);
  return messages.flatMap((message, index): PiMessage[] => {
    const native = nativeMessage(message);
    if (native !== undefined && message.source?.parts === message.parts) return [native];
    const timestamp = made.now + index;
    if (message.role === "tool") return results(message, native, { timestamp, ids });
    if (message.role === "assistant") return [assistant(message, native ?? known, made)];
    const content = blocks(message.parts);
    if (message.kind !== undefined) {
      return [{ role: "custom", customType: CUSTOM, content, display: false, timestamp }];
    }
    return [{ ...native, role: "user", content, timestamp }];
  });
}

function nativeMessage({ source }: Message): PiMessage | undefined {
  const isPi = source?.dialect === PI && isRecord(source.value);
  return isPi ? (source.value as unknown as PiMessage) : undefined;
}

/** The ids of calls as pi has them, by ours: with OpenAI's Responses API they are longer. */
function nativeIds(messages: readonly Message[]): ReadonlyMap<string, unknown> {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
  return new Map(
    calls.flatMap((call) => {
      const block = nativeOf(call, PI);
      return isRecord(block) ? [[call.toolCallId, block["id"]] as const] : [];
    }),
  );
}

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** pi sends thinking as thinking only to the model that it names here. */
function assistant(
  { parts, time }: Message,
  native: PiMessage | undefined,
  { model = "unknown", provider, now }: PiMade,
): PiMessage {
  const isClaude = /claude/i.test(model);
  const calls = parts.some(({ type }) => type === "tool-call");
  return {
    role: "assistant",
    content: parts.flatMap(assistantBlock),
    api: native?.["api"] ?? (isClaude ? "anthropic-messages" : "openai-responses"),
    provider: native?.["provider"] ?? provider ?? (isClaude ? "anthropic" : "openai"),
    model: native?.["model"] ?? model,
    usage: NO_USAGE,
    stopReason: calls ? "toolUse" : "stop",
    timestamp: time ?? now,
  };
}

function assistantBlock(part: Part): Fields[] {
  if (part.type === "text") return [block(part, { type: "text", text: part.text })];
  if (part.type === "reasoning") {
    const native = nativeOf(part, PI);
    if (isRecord(native)) return [native];
    return [{ type: "thinking", thinking: part.text, thinkingSignature: part.signature }];
  }
  if (part.type !== "tool-call") return [];
  const { toolCallId, toolName: name, input } = part;
  const native = nativeOf(part, PI);
  const id = isRecord(native) ? native["id"] : toolCallId;
  return [block(part, { type: "toolCall", id, name, arguments: objectInput(input) })];
}

/** A block with these fields: the native one where nothing differs, else a copy with its others. */
function block(part: Part, fields: Fields): Fields {
  const native = nativeOf(part, PI);
  return isRecord(native) ? withFields(native, fields) : fields;
}

interface ResultPlace {
  readonly timestamp: number;
  readonly ids: ReadonlyMap<string, unknown>;
}

function results(
  message: Message,
  native: PiMessage | undefined,
  { timestamp, ids }: ResultPlace,
): PiMessage[] {
  return message.parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { toolName, isError = false } = part;
    const toolCallId = native?.["toolCallId"] ?? ids.get(part.toolCallId) ?? part.toolCallId;
    const content = blocks(part.output);
    return [{ ...native, role: "toolResult", toolCallId, toolName, content, isError, timestamp }];
  });
}

function blocks(parts: readonly (Part | OutputPart)[]): Fields[] {
  return parts.flatMap((part): Fields[] => {
    if (part.type === "text") return [block(part, { type: "text", text: part.text })];
    return part.type === "file" ? [image(part)] : [];
  });
}

/** pi knows inline images only; anything else is named. */
function image(part: FilePart): Fields {
  const { data, mediaType } = part;
  if (typeof data === "string" && mediaType.startsWith("image/")) {
    return block(part, { type: "image", data, mimeType: mediaType });
  }
  return { type: "text", text: foreignText(part) };
}
