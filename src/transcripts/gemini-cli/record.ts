import {
  totalUsage,
  type FilePart,
  type Message,
  type OutputPart,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Usage,
} from "../../core/message/message.ts";
import { toJson } from "../../core/text/json.ts";
import type { CallPairing } from "../call-pairing.ts";
import { exitCodeIn } from "../content.ts";
import { anything, fields, flag, instant, list, number, text } from "../lenient.ts";

/** One record of a chat and what it means. */
export interface Entry {
  readonly id?: string;
  readonly type: string;
  /** As the model was sent it; none for what only the screen showed. */
  readonly messages: readonly Message[];
  readonly time?: number;
  readonly tokens?: number;
  readonly model?: string;
}

const recordSchema = fields({
  id: text,
  timestamp: anything,
  type: text,
  content: anything,
  displayContent: anything,
  model: text,
  thoughts: list,
  toolCalls: list,
  tokens: fields({
    input: number,
    output: number,
    cached: number,
    thoughts: number,
    tool: number,
    total: number,
  }),
});

const thoughtSchema = fields({ subject: text, description: text });

const callSchema = fields({
  id: text,
  name: text,
  args: anything,
  status: text,
  result: anything,
  /** What the screen showed; of a command, its output alone. */
  resultDisplay: text,
});

type Native = NonNullable<ReturnType<typeof recordSchema.parse>>;
type NativeCall = NonNullable<ReturnType<typeof callSchema.parse>>;

/** `undefined` for what is no record of a chat. */
export function decodeRecord(value: unknown, calls: CallPairing): Entry | undefined {
  const native = recordSchema.parse(value);
  if (native?.type === undefined) return undefined;
  const time = instant(native.timestamp);
  const base = { id: native.id, type: native.type, time };
  if (native.type === "user") return { ...base, messages: userMessages(native, time, calls) };
  if (native.type !== "gemini") return { ...base, messages: [] };
  const usage = usageOf(native);
  const tokens = usage && (native.tokens?.total ?? totalUsage(usage));
  const messages = modelMessages(native, time, calls);
  return { ...base, messages, tokens, model: native.model };
}

/** Openings of the message that gemini-cli itself puts before the first prompt. */
const SETUP = /^\s*(<session_context>|This is the Gemini CLI\.)/;

/**
 * What the person typed, and in a message of its own what gemini-cli added to it: with
 * `displayContent`, the prompt is the first part and referenced files are the others.
 */
function userMessages(native: Native, time: number | undefined, calls: CallPairing): Message[] {
  const parts = nativeParts(native.content);
  const results = parts.flatMap((part) => responseResult(part, calls) ?? []);
  const content = textAndFiles(parts);
  const typed = native.displayContent === undefined ? content : content.slice(0, 1);
  const added = content.slice(typed.length);
  const base = { role: "user" as const, id: native.id, time };
  const messages: Message[] = [];
  if (results.length > 0) messages.push({ ...base, role: "tool", parts: results });
  const first = typed[0];
  const isSetup = first?.type === "text" && SETUP.test(first.text);
  if (first !== undefined && isSetup) messages.push({ ...base, kind: "injected", parts: typed });
  else if (first !== undefined) messages.push({ ...base, parts: typed });
  if (added.length > 0) messages.push({ ...base, kind: "injected", parts: added });
  return messages;
}

/** In a history that was written back, responses stand in user records; known ones are repeats. */
function responseResult(part: NativePart, calls: CallPairing): ToolResultPart | undefined {
  const response = part.functionResponse;
  if (response === undefined) return undefined;
  const call = calls.close(response.id, response.name);
  if (call === undefined) return undefined;
  return resultOf(call, answerOf(response.response));
}

function modelMessages(native: Native, time: number | undefined, calls: CallPairing): Message[] {
  calls.startStep();
  const parts = nativeParts(native.content);
  const uses = native.toolCalls
    .map((call) => callSchema.parse(call))
    .filter((call) => call !== undefined)
    .map((call) => decodeCall(call, calls));
  const recorded = new Set(native.toolCalls.map((call) => callSchema.parse(call)?.id));
  const more = parts.flatMap((part): ToolCallPart[] => {
    const call = part.functionCall;
    if (call === undefined || recorded.has(call.id)) return [];
    return [calls.open(call.id, call.name ?? "unknown", call.args ?? {})];
  });
  const all: Part[] = [
    ...thoughtParts(native.thoughts),
    ...modelParts(parts),
    ...uses.map((use) => use.call),
    ...more,
  ];
  const results = uses.flatMap((use) => use.result ?? []);
  const base = { id: native.id, time };
  const usage = usageOf(native);
  const messages: Message[] = [];
  if (all.length > 0) {
    messages.push({ ...base, role: "assistant" as const, parts: all, usage });
  }
  if (results.length > 0) messages.push({ ...base, role: "tool", parts: results });
  return messages;
}

function thoughtParts(thoughts: readonly unknown[]): Part[] {
  return thoughts.flatMap((thought): Part[] => {
    const { subject, description } = thoughtSchema.parse(thought) ?? {};
    const pieces = [subject && `**${subject}**`, description].filter(Boolean);
    return pieces.length === 0 ? [] : [{ type: "reasoning", text: pieces.join(" ") }];
  });
}

interface ToolUse {
  readonly call: ToolCallPart;
  readonly result?: ToolResultPart;
}

/** A call record holds its result: the response and, beside it, images. */
function decodeCall(native: NativeCall, calls: CallPairing): ToolUse {
  const call = calls.open(native.id, native.name ?? "unknown", native.args ?? {});
  const parts = nativeParts(native.result);
  if (native.result === undefined || parts.length === 0) return { call };
  calls.close(native.id, native.name);
  const responses = parts.flatMap((part) => part.functionResponse ?? []);
  const response = responses.find(({ id }) => id === native.id) ?? responses[0];
  const beside = textAndFiles(parts);
  if (response === undefined) {
    return { call, result: resultOf(call, { output: beside, failed: isFailed(native) }) };
  }
  const { output, failed } = answerOf(response.response);
  const answer = { output: [...output, ...beside], failed: failed || isFailed(native) };
  return { call, result: { ...resultOf(call, answer), exitCode: exitCodeOf(native, output) } };
}

/** The screen shows a word of gemini-cli, or nothing, where a command printed nothing. */
const EMPTY = /^Output: (?:\(empty\)|\s*)\n/;
/** What gemini-cli puts behind the output of a command that ended with 0. */
const SUCCESS = /^(?:Background PIDs|Process Group PGID): /;

/**
 * A command's output stands between `Output:` and fields of gemini-cli, and in `resultDisplay`
 * alone: what follows it is the program's own, which names only exit codes other than 0.
 */
function exitCodeOf(
  { name, resultDisplay: shown }: NativeCall,
  [first]: readonly OutputPart[],
): number | undefined {
  if (name !== "run_shell_command" || first?.type !== "text" || shown === undefined)
    return undefined;
  const isEmpty = shown === "" || shown.startsWith("Command ");
  const known = `Output: ${shown}\n`;
  const empty = isEmpty ? EMPTY.exec(first.text)?.[0] : undefined;
  const head = empty ?? (first.text.startsWith(known) ? known : undefined);
  if (head === undefined) return undefined;
  const fields = first.text.slice(head.length);
  return exitCodeIn(fields, /^Exit Code: (-?\d+)$/m) ?? (SUCCESS.test(fields) ? 0 : undefined);
}

function isFailed({ status }: NativeCall): boolean {
  return status === "error" || status === "cancelled";
}

/** What gemini-cli leaves of an output that it masked; the whole of it is in the file it names. */
const MASKED = /^<tool_output_masked>/;
const MASKED_PATH = /(?:Output|output|string) (?:saved to|available at): ([^\n\]]+)/;

function resultOf(
  { toolCallId, toolName }: ToolCallPart,
  { output, failed }: { output: readonly OutputPart[]; failed: boolean },
): ToolResultPart {
  const first = output[0];
  const masked = first?.type === "text" && MASKED.test(first.text) ? first.text : undefined;
  return {
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output,
    isError: failed ? true : undefined,
    original: masked === undefined ? undefined : MASKED_PATH.exec(masked)?.[1],
  };
}

/** Gemini counts cached tokens in the input, and thoughts apart from the output. */
function usageOf({ tokens }: Native): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { input = 0, output = 0, cached = 0, thoughts = 0, tool = 0 } = tokens;
  if (input + output + thoughts + tool === 0) return undefined;
  const cacheRead = Math.min(cached, input);
  return { input: input + tool - cacheRead, output: output + thoughts, cacheRead };
}

const partSchema = fields({
  text,
  thought: flag,
  inlineData: fields({ mimeType: text, data: text }),
  fileData: fields({ mimeType: text, fileUri: text }),
  functionCall: fields({ id: text, name: text, args: anything }),
  functionResponse: fields({ id: text, name: text, response: anything }),
});

/** One piece of a Gemini `PartListUnion`: a text alone counts as one. */
interface NativePart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly inlineData?: { mimeType?: string; data?: string | undefined } | undefined;
  readonly fileData?: { mimeType?: string; fileUri?: string | undefined } | undefined;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
}

interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
}

interface FunctionResponse {
  readonly id?: string;
  readonly name?: string;
  readonly response?: unknown;
}

/** Content is a text, a part, or a list of both. */
function nativeParts(content: unknown): NativePart[] {
  const items = Array.isArray(content) ? list.parse(content) : [content];
  return items.map(nativePart).filter((part) => part !== undefined);
}

function nativePart(item: unknown): NativePart | undefined {
  return typeof item === "string" ? { text: item } : partSchema.parse(item);
}

/** Text or file; calls and responses are looked at by their names. */
function textOrFile(part: NativePart): TextPart | FilePart | undefined {
  if (part.text !== undefined) return part.text === "" ? undefined : textPart(part.text);
  const { inlineData, fileData } = part;
  if (inlineData?.data !== undefined) {
    return { type: "file", mediaType: mediaType(inlineData.mimeType), data: inlineData.data };
  }
  if (fileData?.fileUri === undefined) return undefined;
  return { type: "file", mediaType: mediaType(fileData.mimeType), url: fileData.fileUri };
}

function textAndFiles(parts: readonly NativePart[]): (TextPart | FilePart)[] {
  return parts.map(textOrFile).filter((part) => part !== undefined);
}

/** What the model wrote: its thoughts apart from what it said. */
function modelParts(parts: readonly NativePart[]): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.thought === true) return [{ type: "reasoning", text: part.text ?? "" }];
    return textAndFiles([part]);
  });
}

const responseSchema = fields({ output: anything, error: anything });

/** What a tool answered, and whether that says that it failed. */
interface Answer {
  readonly output: readonly OutputPart[];
  readonly failed: boolean;
}

/** `response` is `{output}` or `{error}`; tools of other servers may answer anything. */
function answerOf(response: unknown): Answer {
  const known = responseSchema.parse(response);
  if (known?.error !== undefined) return { output: [textPart(asText(known.error))], failed: true };
  const output = known?.output ?? response;
  return { output: [textPart(output === undefined ? "" : asText(output))], failed: false };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

function textPart(content: string): TextPart {
  return { type: "text", text: content };
}

function mediaType(given: string | undefined): string {
  return given ?? "application/octet-stream";
}
