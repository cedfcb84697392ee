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
} from "../core/message/message.ts";
import { type Fields, fieldsOf, isRecord } from "../core/text/json.ts";
import type { CallPairing } from "./call-pairing.ts";
import {
  asText,
  exitCodeIn,
  reportedUsage,
  resultOf,
  saying,
  textParts,
  UNKNOWN_TYPE,
} from "./content.ts";
import { instant, number, records, text } from "./lenient.ts";

export interface Entry {
  readonly type: string;
  /** As the model was sent it; none for what only the screen showed. */
  readonly messages: readonly Message[];
  readonly time?: number;
  readonly tokens?: number;
  readonly usage?: Usage;
  readonly model?: string;
}

/** `undefined` for what is no record of a chat. */
export function decodeRecord(value: unknown, calls: CallPairing): Entry | undefined {
  const native = fieldsOf(value);
  const { type } = native;
  if (typeof type !== "string") return undefined;
  const time = instant(native["timestamp"]);
  const about = { id: text(native["id"]), time };
  if (type === "user") return { type, time, messages: saying(about, userMessages(native, calls)) };
  if (type !== "gemini") return { type, time, messages: [] };
  const usage = usageOf(fieldsOf(native["tokens"]));
  const total = number(fieldsOf(native["tokens"])["total"]);
  return {
    type,
    time,
    messages: saying(about, modelMessages(native, usage, calls)),
    tokens: usage && (total ?? totalUsage(usage)),
    usage,
    model: text(native["model"]),
  };
}

/** Openings of the message that gemini-cli itself puts before the first prompt. */
const SETUP = /^\s*(<session_context>|This is the Gemini CLI\.)/;

/**
 * The words that the person typed, and in a message of its own what gemini-cli added: with
 * `displayContent`, the prompt is the first part and referenced files are the others.
 */
function userMessages(native: Fields, calls: CallPairing): readonly Message[] {
  const parts = partsOf(native["content"]);
  const results = parts.flatMap((part) => responseResult(part, calls));
  const content = parts.flatMap(textOrFile);
  const typed = native["displayContent"] === undefined ? content : content.slice(0, 1);
  const [first] = typed;
  const isSetup = first?.type === "text" && SETUP.test(first.text);
  return [
    { role: "tool", parts: results },
    { role: "user", parts: typed, kind: isSetup ? "injected" : undefined },
    { role: "user", parts: content.slice(typed.length), kind: "injected" },
  ];
}

/** In a history that was written back, responses stand in user records; known ones are repeats. */
function responseResult({ functionResponse }: Fields, calls: CallPairing): ToolResultPart[] {
  if (!isRecord(functionResponse)) return [];
  const { id, name, response } = functionResponse;
  const call = calls.close(text(id), text(name));
  return call === undefined ? [] : [answered(call, answerOf(response))];
}

function modelMessages(
  native: Fields,
  usage: Usage | undefined,
  calls: CallPairing,
): readonly Message[] {
  calls.startStep();
  const parts = partsOf(native["content"]);
  const noted = records(native["toolCalls"]);
  const uses = noted.map((call) => decodeCall(call, calls));
  const recorded = new Set(noted.map(({ id }) => text(id)));
  const said: Part[] = [
    ...records(native["thoughts"]).flatMap(thoughtParts),
    ...parts.flatMap((part): Part[] => {
      const { functionCall } = part;
      if (!isRecord(functionCall)) return modelParts(part);
      const { id, name, args } = functionCall;
      if (recorded.has(text(id))) return [];
      return [calls.open(text(id), text(name) ?? "unknown", args ?? {})];
    }),
    ...uses.map((use) => use.call),
  ];
  return [
    { role: "assistant", parts: said, usage },
    { role: "tool", parts: uses.flatMap((use) => use.result ?? []) },
  ];
}

function thoughtParts({ subject, description }: Fields): Part[] {
  const title = text(subject);
  const pieces = [title && `**${title}**`, text(description)].filter(Boolean);
  return pieces.length === 0 ? [] : [{ type: "reasoning", text: pieces.join(" ") }];
}

interface ToolUse {
  readonly call: ToolCallPart;
  readonly result?: ToolResultPart;
}

/** A call record holds its result: the response and, beside it, images. */
function decodeCall(native: Fields, calls: CallPairing): ToolUse {
  const { args, result, status } = native;
  const [id, name] = [text(native["id"]), text(native["name"])];
  const call = calls.open(id, name ?? "unknown", args ?? {});
  const parts = result === undefined ? [] : partsOf(result);
  if (parts.length === 0) return { call };
  calls.close(id, name);
  const responses = parts.map((part) => part["functionResponse"]).filter(isRecord);
  const response = responses.find((one) => text(one["id"]) === id) ?? responses[0];
  const { output, failed } =
    response === undefined ? { output: [], failed: false } : answerOf(response["response"]);
  const made = answered(call, {
    output: [...output, ...parts.flatMap(textOrFile)],
    failed: failed || status === "error" || status === "cancelled",
  });
  return { call, result: { ...made, exitCode: exitCodeOf(native, output) } };
}

/** The screen shows a word of gemini-cli, or nothing, where a command printed nothing. */
const EMPTY = /^Output: (?:\(empty\)|\s*)\n/;
/** The line of gemini-cli behind the output of a command that ended with 0. */
const SUCCESS = /^(?:Background PIDs|Process Group PGID): /;

/**
 * A command's output stands between `Output:` and fields of gemini-cli, and in `resultDisplay`
 * alone: what follows it is the program's own, which names only exit codes other than 0.
 */
function exitCodeOf(
  { name, resultDisplay: shown }: Fields,
  [first]: readonly OutputPart[],
): number | undefined {
  const isCommand = name === "run_shell_command" && typeof shown === "string";
  if (!isCommand || first?.type !== "text") return undefined;
  const isEmpty = shown === "" || shown.startsWith("Command ");
  const known = `Output: ${shown}\n`;
  const empty = isEmpty ? EMPTY.exec(first.text)?.[0] : undefined;
  const head = empty ?? (first.text.startsWith(known) ? known : undefined);
  if (head === undefined) return undefined;
  const fields = first.text.slice(head.length);
  return exitCodeIn(fields, /^Exit Code: (-?\d+)$/m) ?? (SUCCESS.test(fields) ? 0 : undefined);
}

/** The rest of an output that gemini-cli masked; the whole of it is in the file it names. */
const MASKED = /^<tool_output_masked>/;
const MASKED_PATH = /(?:Output|output|string) (?:saved to|available at): ([^\n\]]+)/;

interface Answer {
  readonly output: readonly OutputPart[];
  readonly failed: boolean;
}

function answered(call: ToolCallPart, { output, failed }: Answer): ToolResultPart {
  const [first] = output;
  const isMasked = first?.type === "text" && MASKED.test(first.text);
  const original = isMasked ? MASKED_PATH.exec(first.text)?.[1] : undefined;
  return resultOf(call, { output, isError: failed || undefined, original });
}

/** `response` is `{output}` or `{error}`; tools of other servers may answer anything. */
function answerOf(response: unknown): Answer {
  const { error, output } = fieldsOf(response);
  const failed = error !== undefined;
  const said = failed ? error : (output ?? response ?? "");
  return { output: [{ type: "text", text: asText(said) }], failed };
}

/** Gemini counts cached tokens in the input, and thoughts apart from the output. */
function usageOf(tokens: Fields): Usage | undefined {
  const of = (name: string): number => number(tokens[name]) ?? 0;
  return reportedUsage({
    total: of("input") + of("tool"),
    cacheRead: Math.min(of("cached"), of("input")),
    output: of("output") + of("thoughts"),
  });
}

/** The pieces of a Gemini `PartListUnion`: a text, a part, or a list of both. */
function partsOf(content: unknown): Fields[] {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  return items.map((item) => (typeof item === "string" ? { text: item } : item)).filter(isRecord);
}

/** Text or file; calls and responses are looked at by their names. */
function textOrFile(part: Fields): (TextPart | FilePart)[] {
  const { text: said, inlineData, fileData } = part;
  if (typeof said === "string") return textParts(said);
  const [inline, stored] = [fieldsOf(inlineData), fieldsOf(fileData)];
  const [data, url] = [text(inline["data"]), text(stored["fileUri"])];
  if ((data ?? url) === undefined) return [];
  const named = text((data === undefined ? stored : inline)["mimeType"]);
  const where = data === undefined ? { url } : { data };
  return [{ type: "file", mediaType: named ?? UNKNOWN_TYPE, ...where }];
}

function modelParts(part: Fields): Part[] {
  if (part["thought"] !== true) return textOrFile(part);
  return [{ type: "reasoning", text: text(part["text"]) ?? "" }];
}
