import type {
  FilePart,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/message.ts";
import { resultText } from "../../core/message/message.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import {
  groupByNative,
  type NativeGroup,
  nativeOf,
  withFields,
} from "../../dialects/native-message.ts";
import type { MessageSource } from "../../core/message/index.ts";

/** A message of opencode: what it is, and its parts. */
export interface OpencodeMessage {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

export function isMessage(value: unknown): value is OpencodeMessage {
  return isRecord(value) && isRecord(value["info"]) && Array.isArray(value["parts"]);
}

/** A message that is one of several made of the same native one. */
export interface OpencodeSource extends MessageSource {
  readonly slice: number;
  readonly slices: number;
  /** Native messages that say nothing by themselves, and stand before this one. */
  readonly before: readonly OpencodeMessage[];
}

const OPENCODE = "opencode";
/** The beginning of the ids of messages that no agent said. */
export const OWN_ID = "msg_longhaul";

/**
 * Messages in the form of opencode. Those that were not edited are the very objects that they came
 * from; of the edited ones, every part that was not edited. A call has its result in its own part.
 */
export function encodeOpencode(messages: readonly Message[]): OpencodeMessage[] {
  const results = new Map<string, ToolResultPart>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-result") results.set(part.toolCallId, part);
  }
  const like = messages.flatMap(({ source }) =>
    source?.dialect === OPENCODE ? [source.value as OpencodeMessage] : [],
  );
  return groupByNative(messages, OPENCODE).flatMap((group, index): OpencodeMessage[] => {
    const native = group.native as OpencodeMessage | undefined;
    if (native !== undefined && group.isWhole) return [...standingBefore(group), native];
    if (native !== undefined) return edited(group, native, results);
    return group.messages.flatMap((message) => made(message, { like, results, index }));
  });
}

function standingBefore({ messages: [first] }: NativeGroup): readonly OpencodeMessage[] {
  return (first?.source as OpencodeSource | undefined)?.before ?? [];
}

type Results = ReadonlyMap<string, ToolResultPart>;

function edited(
  { messages }: NativeGroup,
  native: OpencodeMessage,
  results: Results,
): OpencodeMessage[] {
  const parts = messages.flatMap((message) => partsOf(message, results));
  return parts.length === 0 ? [] : [{ ...native, parts }];
}

/** A step begins with a part of its own, by which opencode tells it from the one before. */
function partsOf({ role, parts }: Message, results: Results): Fields[] {
  if (role === "tool") return [];
  const natives = parts.flatMap((part) => nativePart(part, results));
  return role === "assistant" && natives.length > 0 ? [STEP, ...natives] : natives;
}

const STEP: Fields = { type: "step-start" };

function nativePart(part: Part, results: Results): Fields[] {
  const source = nativeOf(part, OPENCODE);
  const native = isRecord(source) ? source : undefined;
  switch (part.type) {
    case "text":
      return [withFields(native ?? { type: "text", synthetic: true }, { text: part.text })];
    case "reasoning":
      return [native ?? { type: "reasoning", text: part.text }];
    case "file":
      return [native ?? file(part)];
    case "tool-call":
      return [toolPart(part, native, results.get(part.toolCallId))];
    default:
      return [];
  }
}

function toolPart(
  { toolCallId, toolName, input }: ToolCallPart,
  native: Fields | undefined,
  result: ToolResultPart | undefined,
): Fields {
  const given = isRecord(input) ? input : { input };
  if (native === undefined) {
    const tool = { type: "tool", callID: toolCallId, tool: toolName };
    return { ...tool, state: { input: given, ...madeState(result) } };
  }
  const state = fieldsOf(native["state"]);
  const called = withFields(state, { input: given });
  // A call that was interrupted is told so by opencode itself.
  const isAnswered = result !== undefined && nativeOf(result, OPENCODE) !== undefined;
  return withFields(native, { state: isAnswered ? answered(called, result) : called });
}

/** The state of a call whose result says what it says now. */
function answered(state: Fields, result: ToolResultPart): Fields {
  const said = resultText(result);
  const { status, metadata } = state;
  if (status === "error") {
    const isStopped = fieldsOf(metadata)["interrupted"] === true && result.isError !== true;
    if (!isStopped) return withFields(state, { error: said });
    return withFields(state, { metadata: withFields(fieldsOf(metadata), { output: said }) });
  }
  // An output that opencode itself has cleared says the same as every other.
  if (fieldsOf(state["time"])["compacted"] !== undefined) return state;
  const files = result.output.flatMap((part) => (part.type === "file" ? [nativeFile(part)] : []));
  const before = Array.isArray(state["attachments"]) ? (state["attachments"] as unknown[]) : [];
  const attachments = files.length === before.length ? state["attachments"] : files;
  return withFields(state, { output: said, attachments });
}

function madeState(result: ToolResultPart | undefined): Fields {
  const time = { start: 0, end: 0 };
  if (result === undefined || result.isError === true) {
    const error = result === undefined ? "The call was interrupted." : resultText(result);
    return { status: "error", error, time };
  }
  return { status: "completed", output: resultText(result), title: "", metadata: {}, time };
}

function nativeFile(part: FilePart): Fields {
  const native = nativeOf(part, OPENCODE);
  return isRecord(native) ? native : file(part);
}

function file({ data, mediaType, filename, url }: FilePart): Fields {
  const where = typeof data === "string" ? `data:${mediaType};base64,${data}` : (url ?? "");
  return { type: "file", mime: mediaType, filename, url: where };
}

interface Making {
  /** The native messages beside it. */
  readonly like: readonly OpencodeMessage[];
  readonly results: Results;
  readonly index: number;
}

/** A message that no agent said: a summary, what lets a run go on. */
function made(message: Message, { like, results, index }: Making): OpencodeMessage[] {
  const { role } = message;
  const parts = partsOf(message, results);
  if (parts.length === 0) return [];
  const spoken = role === "assistant" ? "assistant" : "user";
  return [ownMessage(like, { role: spoken, parts, id: `${OWN_ID}_${index}` })];
}

/** A message of the person that says this. */
export function userMessage(text: string, like: readonly OpencodeMessage[]): OpencodeMessage {
  return ownMessage(like, { role: "user", parts: [{ type: "text", text }], id: OWN_ID });
}

interface Own {
  readonly role: "user" | "assistant";
  readonly parts: readonly Fields[];
  readonly id: string;
}

function ownMessage(like: readonly OpencodeMessage[], { role, parts, id }: Own): OpencodeMessage {
  const found = like.find(({ info }) => info["role"] === role)?.info;
  const { error: _e, summary: _s, tokens: _t, ...info } = found ?? {};
  return { info: { ...info, id, role, time: { created: 0 } }, parts };
}
