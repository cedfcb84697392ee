import {
  type Message,
  type OutputPart,
  type Part,
  type TextPart,
  type ToolResultPart,
  type Usage,
} from "../../core/message/message.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { parseInput } from "../../dialects/wire.ts";
import type { CallPairing } from "../call-pairing.ts";
import {
  asText,
  blockFile,
  blockParts,
  reasoningParts,
  reportedUsage,
  resultOf,
  saying,
} from "../content.ts";
import { list, number, records, text } from "../lenient.ts";

export interface Entry {
  /** As the model is sent it; several when results, typed and injected text are in it. */
  readonly messages: readonly Message[];
  readonly isSummary: boolean;
  /** Whether the message came about by a compaction, as a summary or as a mark. */
  readonly isCompaction: boolean;
  /** Roo: what this message stands for, and what stands for this message. */
  readonly replaces?: string;
  readonly replacedBy: readonly string[];
  /** A reply of its own kind that belongs to the next message: Roo's encrypted reasoning. */
  readonly isReasoning: boolean;
  readonly time?: number;
  readonly usage?: Usage;
  /** US dollars. */
  readonly cost?: number;
  readonly model?: string;
}

/** `undefined` for what is no message of a user or an assistant. */
export function decodeEntry(value: unknown, calls: CallPairing): Entry | undefined {
  const native = fieldsOf(value);
  const { role } = native;
  if (role !== "user" && role !== "assistant") return undefined;
  const usage = role === "assistant" ? usageOf(fieldsOf(native["metrics"])) : undefined;
  const { id, modelId } = fieldsOf(native["modelInfo"]);
  const marked = marks(native);
  const about = { id: text(native["id"]), time: number(native["ts"]) };
  return {
    ...marked,
    isReasoning: native["type"] === "reasoning",
    messages: saying(about, draftsOf(native, { isSummary: marked.isSummary, usage, calls })),
    time: about.time,
    usage,
    cost: number(fieldsOf(native["metrics"])["cost"]),
    model: text(id) ?? text(modelId),
  };
}

/** Cline marks compactions in `metadata`; Roo keeps what it hides and names what stands for it. */
function marks(
  native: Fields,
): Pick<Entry, "isSummary" | "isCompaction" | "replacedBy" | "replaces"> {
  const { kind } = fieldsOf(native["metadata"]);
  const isSummary = kind === "compaction_summary" || native["isSummary"] === true;
  const isMarker = native["isTruncationMarker"] === true;
  const replaces = isMarker ? native["truncationId"] : isSummary && native["condenseId"];
  const replacedBy = [native["condenseParent"], native["truncationParent"]];
  return {
    isSummary,
    isCompaction: isSummary || isMarker || kind === "compaction",
    replaces: text(replaces),
    replacedBy: replacedBy.filter((id) => typeof id === "string"),
  };
}

interface Known {
  readonly isSummary: boolean;
  readonly usage: Usage | undefined;
  readonly calls: CallPairing;
}

function draftsOf(native: Fields, { isSummary, usage, calls }: Known): readonly Message[] {
  const metadata = fieldsOf(native["metadata"]);
  if (isSummary) {
    const { typed, injected } = userContent(native["content"]);
    const facts = { tokensBefore: number(metadata["tokensBefore"]), details: metadata["details"] };
    const parts = [...typed, ...injected];
    return [{ role: "user", kind: "summary", parts, metadata: facts }];
  }
  if (native["role"] === "assistant") {
    calls.startStep();
    return [{ role: "assistant", parts: assistantParts(native, calls), usage }];
  }
  const isMarker = native["isTruncationMarker"] === true;
  const isNotice = metadata["displayRole"] === "system" && metadata["kind"] !== "compaction";
  const { results, typed, injected } = userContent(native["content"], calls);
  const said: readonly Message[] =
    isMarker || isNotice
      ? [{ role: "user", kind: "injected", parts: [...typed, ...injected] }]
      : [
          { role: "user", parts: typed },
          { role: "user", kind: "injected", parts: injected },
        ];
  return [{ role: "tool", parts: results }, ...said];
}

/** Input counts the cached tokens too, in the SDK as in the extension. */
function usageOf(metrics: Fields): Usage | undefined {
  const { prompt, completion, cached } = fieldsOf(metrics["tokens"]);
  return reportedUsage({
    total: metrics["inputTokens"] ?? prompt,
    cacheRead: cached ?? metrics["cacheReadTokens"],
    cacheWrite: metrics["cacheWriteTokens"],
    output: metrics["outputTokens"] ?? completion,
  });
}

function assistantParts(native: Fields, calls: CallPairing): readonly Part[] {
  if (native["type"] === "reasoning") {
    const pieces = records(native["summary"]).flatMap((piece) => text(piece["text"]) || []);
    return [reasoning(text(native["text"]) ?? pieces.join("\n"))];
  }
  const parts = blocksOf(native["content"]).flatMap((block): Part[] => {
    const { type, id, name, input, signature } = block;
    switch (type) {
      case "thinking":
      case "reasoning":
        return [reasoning(text(block["thinking"]) ?? text(block["text"]), text(signature))];
      case "redacted_thinking":
        return [reasoning("", text(block["data"]))];
      case "tool_use":
        return [calls.open(text(id), text(name) ?? "unknown", input ?? {})];
      default:
        return blockParts(block);
    }
  });
  return [...reasoningParts(native["reasoning_content"]), ...parts];
}

function reasoning(content = "", signature?: string): Part {
  return { type: "reasoning", text: content, signature };
}

function blocksOf(content: unknown): Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : records(content);
}

interface UserContent {
  readonly results: ToolResultPart[];
  /** The input of the person. */
  readonly typed: Part[];
  /** Attached files, notices and surroundings that the program put beside it. */
  readonly injected: Part[];
}

/** `calls` are those that results may answer; a summary has none. */
function userContent(content: unknown, calls?: CallPairing): UserContent {
  const results: ToolResultPart[] = [];
  const typed: Part[] = [];
  const injected: Part[] = [];
  for (const block of blocksOf(content)) {
    const said = block["type"] === "text" ? (text(block["text"]) ?? "") : undefined;
    if (block["type"] === "tool_result") results.push(decodeResult(block, calls));
    else if (block["type"] === "file") injected.push(attachedFile(block));
    else if (said === undefined) {
      const file = blockFile(block);
      if (file !== undefined) (results.length > 0 ? injected : typed).push(file);
    } else if (said.trim() !== "") {
      const wrapped = unwrapped(said);
      const isTyped = wrapped !== undefined || !WRITTEN_BY_PROGRAM.test(said);
      (isTyped ? typed : injected).push({ type: "text", text: wrapped ?? said });
    }
  }
  return { results, typed, injected };
}

/** Tags in which the extension wraps what the person typed. */
const TYPED_TAGS = ["task", "feedback", "answer", "user_message"];

/** The inside of such a tag; `undefined` without one around the whole text. */
function unwrapped(content: string): string | undefined {
  const whole = content.trim();
  const tag = TYPED_TAGS.find((name) => whole.startsWith(`<${name}>`));
  if (tag === undefined || !whole.endsWith(`</${tag}>`)) return undefined;
  return whole.slice(tag.length + 2, -(tag.length + 3)).trim();
}

/**
 * Openings of texts that the program writes into user messages: its notices and the surroundings,
 * and the results of tools where tools are XML in text.
 */
const WRITTEN_BY_PROGRAM =
  /^\s*(<SYSTEM_NOTICE>|<environment_details>|<file_content |<explicit_instructions|\[[a-z_]+(?: for '[^\n]*')?\] Result:|\[ERROR\] |\[TASK RESUMPTION\])/;

function attachedFile({ path, content }: Fields): TextPart {
  const body = `<file_content path="${text(path) ?? ""}">\n${asText(content ?? "")}\n</file_content>`;
  return { type: "text", text: body };
}

function decodeResult(block: Fields, calls: CallPairing | undefined): ToolResultPart {
  const { content } = block;
  const id = text(block["tool_use_id"]);
  const name = text(block["name"]);
  const call = calls?.close(id, name) ?? { toolCallId: id ?? "", toolName: name ?? "unknown" };
  const isError = block["is_error"] === true || saysItFailed(content, call.toolName) || undefined;
  return resultOf(call, { output: outputOf(content), isError });
}

/** A text, Anthropic blocks, or the SDK's list of `{query, result, success}`. */
function outputOf(content: unknown): readonly OutputPart[] {
  if (!Array.isArray(content)) return [{ type: "text", text: asText(content ?? "") }];
  const parts = content.map((item): OutputPart => {
    const block = fieldsOf(item);
    const said = block["type"] === "text" ? (text(block["text"]) ?? "") : asText(item);
    return blockFile(block) ?? { type: "text", text: said };
  });
  return parts.length > 0 ? parts : [{ type: "text", text: "" }];
}

/**
 * The SDK's tools say in their result whether they succeeded; one failure of a batch counts. Only
 * its editor does so in a text: that of any other tool may be what a command printed.
 */
function saysItFailed(content: unknown, toolName: string): boolean {
  const isJson = typeof content === "string" && toolName === "editor";
  const value = isJson ? parseInput(content) : content;
  const outcomes = Array.isArray(value) ? list(value) : [value];
  return outcomes.some((outcome) => {
    const { query, success } = fieldsOf(outcome);
    return typeof query === "string" && success === false;
  });
}
