import type { FilePart, OutputPart, ToolResultPart } from "../../core/message/index.ts";
import type { ToolCallPart } from "../../core/message/index.ts";
import type { CallPairing } from "../call-pairing.ts";
import { anything, fields, flag, list, number, text } from "../lenient.ts";

/** What opencode sends in place of an output that it pruned. */
const CLEARED = "[Old tool result content cleared]";

const fileSchema = fields({ mime: text, filename: text, url: text });

const toolSchema = fields({
  callID: text,
  tool: text,
  state: fields({
    status: text,
    input: anything,
    output: text,
    error: text,
    attachments: list,
    metadata: fields({
      truncated: flag,
      outputPath: text,
      interrupted: flag,
      output: text,
      exit: number,
    }),
    time: fields({ compacted: number }),
  }),
});

type ToolState = NonNullable<NonNullable<ReturnType<typeof toolSchema.parse>>["state"]>;

/** A call and, if the tool came to an end, its result. */
export interface ToolUse {
  readonly call: ToolCallPart;
  readonly result?: ToolResultPart;
}

/** An opencode tool part holds call and result together; a pending or running one has no result. */
export function decodeTool(part: unknown, calls: CallPairing): ToolUse | undefined {
  const tool = toolSchema.parse(part);
  if (tool?.tool === undefined) return undefined;
  const call = calls.open(tool.callID, tool.tool, tool.state?.input ?? {});
  const outcome = tool.state && outcomeOf(tool.state);
  if (outcome === undefined) return { call };
  const { toolCallId, toolName } = call;
  return { call, result: { type: "tool-result", toolCallId, toolName, ...outcome } };
}

type Outcome = Pick<ToolResultPart, "output" | "isError" | "exitCode" | "time" | "original">;

function outcomeOf(state: ToolState): Outcome | undefined {
  if (state.status === "error") return failure(state);
  if (state.status !== "completed") return undefined;
  const compacted = state.time?.compacted;
  const exitCode = state.metadata?.exit;
  if (compacted !== undefined) {
    return { output: [textPart(CLEARED)], time: { compacted }, exitCode };
  }
  const files = state.attachments.flatMap((file) => decodeFile(file) ?? []);
  const output: OutputPart[] = [textPart(state.output ?? ""), ...files];
  return { output, exitCode, original: originalOf(state) };
}

/** A command that the person stopped counts with what it had printed; anything else failed. */
function failure({ error, metadata }: ToolState): Outcome {
  if (metadata?.interrupted === true && metadata.output !== undefined) {
    return { output: [textPart(metadata.output)] };
  }
  return { output: [textPart(error ?? "")], isError: true };
}

const pathSchema = fields({ filePath: text });

/** The spill file of a truncated output; a truncated read names the file that was read. */
function originalOf({ metadata, input }: ToolState): string | undefined {
  if (metadata?.outputPath !== undefined) return metadata.outputPath;
  return metadata?.truncated === true ? pathSchema.parse(input)?.filePath : undefined;
}

/**
 * An attached file, unless it is text or a folder: those are never sent as files, because opencode
 * writes their content into the message as synthetic text.
 */
export function decodeFile(part: unknown): FilePart | undefined {
  const file = fileSchema.parse(part);
  if (file?.url === undefined) return undefined;
  const mediaType = file.mime ?? "application/octet-stream";
  if (mediaType === "text/plain" || mediaType === "application/x-directory") return undefined;
  const data = base64Of(file.url);
  const where = data === undefined ? { url: file.url } : { data };
  return { type: "file" as const, mediaType, filename: file.filename, ...where };
}

function base64Of(url: string): string | undefined {
  const comma = url.indexOf(",");
  const isInline = url.startsWith("data:") && url.slice(0, comma).endsWith(";base64");
  return isInline ? url.slice(comma + 1) : undefined;
}

function textPart(content: string): OutputPart {
  return { type: "text", text: content };
}
