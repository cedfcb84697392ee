import { type Fields, fieldsOf, isRecord, toJson } from "../../core/text/json.ts";
import type { AgentHookEvent } from "../hook-options.ts";

/** Nothing that is smaller has more lines or bytes than any limit that makes sense. */
const SMALL_UNITS = 1_000;
/** Codex keeps so much of a command's output in the session's file: its start and its end. */
const KEPT_BYTES = 65_536;
/** So far back it is looked: a call's line is among the last, and each has up to some 100 KB. */
const MOST_BYTES = 1_000_000;
/** Codex takes 2,500 tokens of a hook, at four bytes each; the notice needs its part of them. */
const SHOWN_BYTES = 8_000;

/**
 * T15 for what a tool of Codex gave back: a blocked result is replaced by the reason for it, and
 * the turn goes on. An output that Codex itself has cut comes from its file, which has up to 64 KB
 * of it.
 */
export async function answerPostToolUse(hook: AgentHookEvent): Promise<string | undefined> {
  const { tool_name: tool, tool_input: input, session_id: id, transcript_path: file } = hook.event;
  const text = textOf(hook.event["tool_response"]);
  if (typeof tool !== "string" || OWN_TOOL.test(tool)) return undefined;
  if (text === undefined || text.length < SMALL_UNITS) return undefined;
  const [{ truncateAndArchive }, { homeArchive }, truncation] = await Promise.all([
    import("../../tools/truncate-and-archive.ts"),
    import("../../settings/home-archive.ts"),
    import("../../core/truncate/index.ts"),
  ]);
  const isCut = truncation.isTruncated(text);
  const { toolLimits } = await hook.settings();
  const meta = { toolName: tool, input, ...hook.limits };
  const { limits, direction } = truncation.outputLimits(meta, toolLimits);
  const whole = { ...meta, ...limits, direction };
  if (!isCut && !truncation.truncateOutput(text, whole).truncation.isTruncated) return undefined;
  const kept = await keptOutput(hook.event);
  // Of what is not in the file there is nothing better to show than what Codex shows.
  if (isCut && kept === undefined) return undefined;
  const archive = homeArchive(hook.env, {
    conversation: typeof id === "string" ? id : undefined,
    namedBy: typeof file === "string" ? file : true,
  });
  const maxBytes = Math.min(limits.maxBytes, SHOWN_BYTES);
  const cut = await truncateAndArchive(kept?.output ?? text, { ...whole, maxBytes }, { archive });
  if (cut.entry === undefined) return undefined;
  return toJson({ decision: "block", reason: [...(kept?.facts ?? []), cut.text].join("\n") });
}

const OWN_TOOL = /^mcp__longhaul__/;

/** The text of a response; `undefined` where it is more than text. */
function textOf(response: unknown): string | undefined {
  if (typeof response === "string") return response;
  const { content } = fieldsOf(response);
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((piece) =>
    isRecord(piece) && piece["type"] === "text" ? piece["text"] : undefined,
  );
  return texts.every((one) => typeof one === "string") ? texts.join("\n") : undefined;
}

interface KeptOutput {
  readonly output: string;
  /** Facts that the model is told of a command, too, one line each. */
  readonly facts: readonly string[];
}

/** The output of a call as the session's file has it; `undefined` where it is not in there. */
async function keptOutput({
  transcript_path: file,
  tool_use_id: call,
}: Fields): Promise<KeptOutput | undefined> {
  if (typeof file !== "string" || typeof call !== "string") return undefined;
  const { lastLines } = await import("../last-lines.ts");
  for await (const line of lastLines(file, MOST_BYTES)) {
    if (!line.includes(call) || !line.includes("aggregated_output")) continue;
    const item = fieldsOf(fieldsOf(fieldsOf(JSON.parse(line))["payload"])["item"]);
    const { id, aggregated_output: output, exit_code: code } = item;
    if (id !== call || typeof output !== "string") continue;
    const isWhole = Buffer.byteLength(output) < KEPT_BYTES;
    return {
      output,
      facts: [
        ...(typeof code === "number" ? [`Process exited with code ${code}`] : []),
        ...(isWhole ? [] : ["[Codex kept 64 KB of this output, its start and its end]"]),
      ],
    };
  }
  return undefined;
}
