import {
  totalUsage,
  type FilePart,
  type Message,
  type Part,
  resultText,
  type ToolResultPart,
  type Usage,
} from "../../core/message/message.ts";
import type { CallPairing } from "../call-pairing.ts";
import { exitCodeIn } from "../content.ts";
import { anything, fields, flag, instant, list, number, text } from "../lenient.ts";

/** What one line of a pi session means, apart from its place in the tree. */
export interface Content {
  /** As the model is sent it, if it is. */
  readonly message?: Message;
  /** For counting: whether the line is a message, sent or not. */
  readonly isMessage: boolean;
  readonly compaction?: Compaction;
  readonly time?: number;
  /** Tokens of the request that made this message, if it reached the model. */
  readonly tokens?: number;
  readonly model?: string;
  readonly title?: string;
}

/** Where the kept tail of a compaction starts: an entry's id, or in version 1 its index. */
export interface Compaction {
  /** Absent where it is not in the file. */
  readonly summary?: Message;
  readonly firstKeptId?: string;
  readonly firstKeptIndex?: number;
}

const messageSchema = fields({
  role: text,
  content: anything,
  timestamp: anything,
  model: text,
  usage: fields({ input: number, output: number, cacheRead: number, cacheWrite: number }),
  toolCallId: text,
  toolName: text,
  isError: flag,
  details: fields({ truncation: fields({ truncated: flag }), fullOutputPath: text }),
  command: text,
  output: text,
  exitCode: number,
  cancelled: flag,
  fullOutputPath: text,
  excludeFromContext: flag,
  summary: text,
});

const lineSchema = fields({
  type: text,
  timestamp: anything,
  message: messageSchema,
  content: anything,
  modelId: text,
  name: text,
  summary: text,
  firstKeptEntryId: text,
  firstKeptEntryIndex: number,
  tokensBefore: number,
  details: fields({ readFiles: list, modifiedFiles: list }),
});

const blockSchema = fields({
  type: text,
  text,
  thinking: text,
  thinkingSignature: text,
  id: text,
  name: text,
  arguments: anything,
  data: text,
  mimeType: text,
});

type Line = NonNullable<ReturnType<typeof lineSchema.parse>>;
type Native = NonNullable<Line["message"]>;
type Block = NonNullable<ReturnType<typeof blockSchema.parse>>;

/** `undefined` for what is no entry of a pi session. */
export function decodeContent(value: unknown, calls: CallPairing): Content | undefined {
  const line = lineSchema.parse(value);
  if (line?.type === undefined) return undefined;
  const time = instant(line.timestamp);
  const base = { time, isMessage: false };
  switch (line.type) {
    case "message":
      return (
        line.message && { ...base, isMessage: true, ...decodeMessage(line.message, time, calls) }
      );
    case "custom_message":
      return { ...base, ...sent(injected(partsOf(line.content), time)) };
    case "branch_summary":
      return { ...base, ...sent(injected(textParts(line.summary), time)) };
    case "compaction":
      return { ...base, compaction: decodeCompaction(line, time) };
    case "model_change":
      return { ...base, model: line.modelId };
    case "session_info":
      return { ...base, title: line.name };
    default:
      return base;
  }
}

function decodeCompaction(line: Line, time: number | undefined): Compaction {
  const metadata = {
    tokensBefore: line.tokensBefore,
    readFiles: line.details?.readFiles,
    modifiedFiles: line.details?.modifiedFiles,
  };
  const parts = textParts(line.summary);
  return {
    ...(parts.length > 0 && {
      summary: { ...userMessage(parts, time), kind: "summary" as const, metadata },
    }),
    firstKeptId: line.firstKeptEntryId,
    firstKeptIndex: line.firstKeptEntryIndex,
  };
}

function decodeMessage(
  native: Native,
  entryTime: number | undefined,
  calls: CallPairing,
): Omit<Content, "isMessage"> {
  const time = instant(native.timestamp) ?? entryTime;
  switch (native.role) {
    case "user":
      return sent(userMessage(partsOf(native.content), time));
    case "assistant":
      return decodeAssistant(native, time, calls);
    case "toolResult":
      return sent({ role: "tool" as const, parts: [decodeResult(native, calls)], time });
    case "bashExecution":
      return native.excludeFromContext === true ? {} : sent(bashMessage(native, time));
    case "custom":
    case "hookMessage":
      return sent(injected(partsOf(native.content), time));
    case "branchSummary":
      return sent(injected(textParts(native.summary), time));
    case "compactionSummary":
      return sent({ ...userMessage(textParts(native.summary), time), kind: "summary" });
    default:
      return {};
  }
}

function decodeAssistant(
  native: Native,
  time: number | undefined,
  calls: CallPairing,
): Omit<Content, "isMessage"> {
  calls.startStep();
  const parts = blocksOf(native.content).flatMap((block) => assistantPart(block, calls) ?? []);
  const usage = usageOf(native.usage);
  const message: Message = { role: "assistant" as const, parts, time, usage };
  return { ...sent(message), model: native.model, tokens: usage && totalUsage(usage) };
}

function assistantPart(block: Block, calls: CallPairing): Part | undefined {
  if (block.type === "text") return block.text ? { type: "text", text: block.text } : undefined;
  if (block.type === "thinking") {
    const signature = block.thinkingSignature === "" ? undefined : block.thinkingSignature;
    return { type: "reasoning" as const, text: block.thinking ?? "", signature };
  }
  if (block.type !== "toolCall") return undefined;
  return calls.open(providerId(block.id), block.name ?? "unknown", block.arguments ?? {});
}

/** With OpenAI's Responses API pi joins the id of the call and that of its item: `call_…|fc_…`. */
function providerId(id: string | undefined): string | undefined {
  return id?.split("|", 1)[0];
}

function decodeResult(native: Native, calls: CallPairing): ToolResultPart {
  const call = calls.close(providerId(native.toolCallId), native.toolName);
  const output = blocksOf(native.content).flatMap((block) => textOrImage(block) ?? []);
  const result = {
    type: "tool-result" as const,
    toolCallId: call?.toolCallId ?? providerId(native.toolCallId) ?? "",
    toolName: call?.toolName ?? native.toolName ?? "unknown",
    output: output.length > 0 ? output : [{ type: "text" as const, text: "" }],
    isError: native.isError,
    original: originalOf(native, call?.input),
  };
  return { ...result, exitCode: exitCodeOf(result) };
}

/** A failed command's result ends with its exit code, after what it printed. */
function exitCodeOf(result: ToolResultPart): number | undefined {
  if (result.toolName !== "bash" || result.isError !== true) return undefined;
  return exitCodeIn(resultText(result), /(?:^|\n)Command exited with code (-?\d+)$/);
}

const pathSchema = fields({ path: text });

/** The spill file of a truncated output; a truncated read names the file that was read. */
function originalOf({ details, toolName }: Native, input: unknown): string | undefined {
  if (details?.fullOutputPath !== undefined) return details.fullOutputPath;
  if (details?.truncation?.truncated !== true || toolName !== "read") return undefined;
  return pathSchema.parse(input)?.path;
}

/** A command that the person ran: told to the model as user text, but nothing that they asked. */
function bashMessage(native: Native, time: number | undefined): Message {
  const { command = "", exitCode, fullOutputPath } = native;
  const lines = [`Ran \`${command}\``, native.output ? fenced(native.output) : "(no output)"];
  if (native.cancelled === true) lines.push("(command cancelled)");
  else if (exitCode !== undefined && exitCode !== 0) lines.push(`(exit code ${exitCode})`);
  if (fullOutputPath !== undefined) lines.push(`[Output truncated. All of it: ${fullOutputPath}]`);
  const metadata = { command, exitCode, original: fullOutputPath };
  return { ...injected(textParts(lines.join("\n")), time), metadata };
}

function fenced(output: string): string {
  return `\`\`\`\n${output}\n\`\`\``;
}

function usageOf(usage: Native["usage"]): Usage | undefined {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
  if (input + output + cacheRead + cacheWrite === 0) return undefined;
  return { input, output, cacheRead, cacheWrite };
}

function sent(message: Message): { message: Message } {
  return { message };
}

function userMessage(parts: readonly Part[], time: number | undefined): Message {
  return { role: "user" as const, parts, time };
}

function injected(parts: readonly Part[], time: number | undefined): Message {
  return { ...userMessage(parts, time), kind: "injected" };
}

function textParts(content: string | undefined): Part[] {
  return content ? [{ type: "text", text: content }] : [];
}

function partsOf(content: unknown): Part[] {
  return blocksOf(content).flatMap((block) => textOrImage(block) ?? []);
}

/** Content is a text or a list of blocks. */
function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return list
    .parse(content)
    .map((block) => blockSchema.parse(block))
    .filter((block) => block !== undefined);
}

function textOrImage(block: Block): { type: "text"; text: string } | FilePart | undefined {
  if (block.type === "text") return block.text ? { type: "text", text: block.text } : undefined;
  if (block.type !== "image" || block.data === undefined) return undefined;
  return {
    type: "file",
    mediaType: block.mimeType ?? "application/octet-stream",
    data: block.data,
  };
}
