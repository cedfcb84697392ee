import {
  type FilePart,
  type Message,
  type Part,
  resultText,
  type TextPart,
  type ToolResultPart,
  type Usage,
} from "../../core/message/message.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import type { CallPairing } from "../call-pairing.ts";
import { exitCodeIn, reportedUsage, resultOf, textParts, UNKNOWN_TYPE } from "../content.ts";
import { flag, instant, number, records, text } from "../lenient.ts";

/** A message of pi as the model is sent it, and what is known of its request. */
export interface PiContent {
  /** As the model is sent it, if it is. */
  readonly message?: Message;
  /** Of the request that made this message, if it reached the model. */
  readonly usage?: Usage;
  /** US dollars. */
  readonly cost?: number;
  readonly model?: string;
}

/** Blocks that were decoded keep what they were, so that an edit leaves their other fields. */
const PI = "pi";

/** One message of a session, or of the list that pi sends: they have the same form. */
export function decodeMessage(
  native: Fields,
  lineTime: number | undefined,
  calls: CallPairing,
): PiContent {
  const { role, content, summary, excludeFromContext } = native;
  const time = instant(native["timestamp"]) ?? lineTime;
  switch (role) {
    case "user":
      return { message: { role, parts: partsOf(content), time } };
    case "assistant":
      return decodeAssistant(native, time, calls);
    case "toolResult":
      return { message: { role: "tool", parts: [decodeResult(native, calls)], time } };
    case "bashExecution":
      return excludeFromContext === true ? {} : { message: bashMessage(native, time) };
    case "custom":
    case "hookMessage":
      return { message: injected(partsOf(content), time) };
    case "branchSummary":
      return { message: injected(textParts(summary), time) };
    case "compactionSummary":
      return { message: { ...injected(textParts(summary), time), kind: "summary" } };
    default:
      return {};
  }
}

function decodeAssistant(native: Fields, time: number | undefined, calls: CallPairing): PiContent {
  calls.startStep();
  const parts = blocksOf(native["content"]).flatMap((block) => assistantParts(block, calls));
  const { input: noCache, cacheRead, cacheWrite, output, cost } = fieldsOf(native["usage"]);
  const usage = reportedUsage({ noCache, cacheRead, cacheWrite, output });
  const message: Message = { role: "assistant", parts, time, usage };
  return { message, model: text(native["model"]), usage, cost: number(fieldsOf(cost)["total"]) };
}

function assistantParts(block: Fields, calls: CallPairing): Part[] {
  const source = { dialect: PI, value: block };
  switch (block["type"]) {
    case "text":
      return textParts(block["text"]).map((part) => ({ ...part, source }));
    case "thinking": {
      const signature = text(block["thinkingSignature"]) || undefined;
      return [{ type: "reasoning", text: text(block["thinking"]) ?? "", signature, source }];
    }
    case "toolCall": {
      const { id, name, arguments: input } = block;
      const call = calls.open(providerId(id), text(name) ?? "unknown", input ?? {});
      return [{ ...call, source }];
    }
    default:
      return [];
  }
}

/** With OpenAI's Responses API pi joins the id of the call and that of its item: `call_…|fc_…`. */
function providerId(id: unknown): string | undefined {
  return text(id)?.split("|", 1)[0];
}

function decodeResult(native: Fields, calls: CallPairing): ToolResultPart {
  const recordedId = providerId(native["toolCallId"]);
  const name = text(native["toolName"]);
  const call = calls.close(recordedId, name);
  const output = partsOf(native["content"]);
  const made = { toolCallId: recordedId ?? "", toolName: name ?? "unknown" };
  const result = resultOf(call ?? made, {
    output: output.length > 0 ? output : [{ type: "text", text: "" }],
    isError: flag(native["isError"]),
    original: originalOf(native, call?.input),
  });
  return { ...result, exitCode: exitCodeOf(result) };
}

/** A failed command's result ends with its exit code, after what it printed. */
function exitCodeOf(result: ToolResultPart): number | undefined {
  if (result.toolName !== "bash" || result.isError !== true) return undefined;
  return exitCodeIn(resultText(result), /(?:^|\n)Command exited with code (-?\d+)$/);
}

/** The spill file of a truncated output; a truncated read names the file that was read. */
function originalOf(native: Fields, input: unknown): string | undefined {
  const { fullOutputPath, truncation } = fieldsOf(native["details"]);
  const isCutRead = native["toolName"] === "read" && fieldsOf(truncation)["truncated"] === true;
  return text(fullOutputPath) ?? (isCutRead ? text(fieldsOf(input)["path"]) : undefined);
}

/** A command that the person ran: told to the model as user text, but nothing that they asked. */
function bashMessage(native: Fields, time: number | undefined): Message {
  const command = text(native["command"]) ?? "";
  const output = text(native["output"]);
  const exitCode = number(native["exitCode"]);
  const original = text(native["fullOutputPath"]);
  const lines = [`Ran \`${command}\``, output ? `\`\`\`\n${output}\n\`\`\`` : "(no output)"];
  if (native["cancelled"] === true) lines.push("(command cancelled)");
  else if (exitCode !== undefined && exitCode !== 0) lines.push(`(exit code ${exitCode})`);
  if (original !== undefined) lines.push(`[Output truncated. All of it: ${original}]`);
  const metadata = { command, exitCode, original };
  return { ...injected(textParts(lines.join("\n")), time), metadata };
}

export function injected(parts: readonly Part[], time: number | undefined): Message {
  return { role: "user", parts, time, kind: "injected" };
}

function blocksOf(content: unknown): Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : records(content);
}

export function partsOf(content: unknown): (TextPart | FilePart)[] {
  return blocksOf(content).flatMap((block): (TextPart | FilePart)[] => {
    const { type, text: said, data, mimeType } = block;
    const source = { dialect: PI, value: block };
    if (type === "text") return textParts(said).map((part) => ({ ...part, source }));
    if (type !== "image" || typeof data !== "string") return [];
    return [{ type: "file", mediaType: text(mimeType) ?? UNKNOWN_TYPE, data, source }];
  });
}
