import { toJson } from "../../core/text/json.ts";
import type { FilePart, OutputPart, Part, ToolResultPart } from "../../core/message/index.ts";
import type { CallPairing } from "../call-pairing.ts";
import { anything, fields, flag, list, text } from "../lenient.ts";

const sourceSchema = fields({ type: text, media_type: text, data: text, url: text });

const blockSchema = fields({
  type: text,
  text,
  thinking: text,
  signature: text,
  data: text,
  id: text,
  name: text,
  input: anything,
  tool_use_id: text,
  content: anything,
  is_error: flag,
  path: text,
  title: text,
  source: sourceSchema,
});

type Block = NonNullable<ReturnType<typeof blockSchema.parse>>;

/** The parts of one user message by who made them. */
export interface UserContent {
  readonly results: readonly ToolResultPart[];
  /** What the person gave. */
  readonly typed: readonly Part[];
  /** Attached files, notices and surroundings that the program put beside it. */
  readonly injected: readonly Part[];
}

export function decodeUserContent(content: unknown, calls: CallPairing): UserContent {
  const results: ToolResultPart[] = [];
  const typed: Part[] = [];
  const injected: Part[] = [];
  for (const block of blocksOf(content)) {
    if (block.type === "tool_result") results.push(decodeResult(block, calls));
    else if (block.type === "text") addText(block.text ?? "", { typed, injected });
    else if (block.type === "file") injected.push(attachedFile(block));
    else {
      const file = decodeFile(block);
      if (file !== undefined) (results.length > 0 ? injected : typed).push(file);
    }
  }
  return { results, typed, injected };
}

/** Tags in which the extension wraps what the person typed. */
const TYPED_TAGS = ["task", "feedback", "answer", "user_message"];

/** What is inside such a tag; `undefined` without one around the whole text. */
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

interface Pieces {
  readonly typed: Part[];
  readonly injected: Part[];
}

function addText(content: string, { typed, injected }: Pieces): void {
  if (content.trim() === "") return;
  const wrapped = unwrapped(content);
  if (wrapped !== undefined) typed.push({ type: "text", text: wrapped });
  else if (WRITTEN_BY_PROGRAM.test(content)) injected.push({ type: "text", text: content });
  else typed.push({ type: "text", text: content });
}

function attachedFile({ path = "", content }: Block): Part {
  const body = typeof content === "string" ? content : toJson(content ?? "");
  return { type: "text", text: `<file_content path="${path}">\n${body}\n</file_content>` };
}

function decodeResult(block: Block, calls: CallPairing): ToolResultPart {
  const call = calls.close(block.tool_use_id, block.name);
  return {
    type: "tool-result" as const,
    toolCallId: call?.toolCallId ?? block.tool_use_id ?? "",
    toolName: call?.toolName ?? block.name ?? "unknown",
    output: outputOf(block.content),
    isError: block.is_error === true || saysItFailed(block.content) ? true : undefined,
  };
}

/** A text, Anthropic blocks, or the SDK's list of `{query, result, success}`. */
function outputOf(content: unknown): OutputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [{ type: "text", text: toJson(content ?? "") }];
  const parts = content.map((item): OutputPart => {
    const block = blockSchema.parse(item);
    if (block?.type === "text") return { type: "text", text: block.text ?? "" };
    return (block && decodeFile(block)) ?? { type: "text", text: toJson(item) };
  });
  return parts.length > 0 ? parts : [{ type: "text", text: "" }];
}

const outcomeSchema = fields({ success: flag });

/** The SDK's tools say in their result whether they succeeded; one failure of a batch counts. */
function saysItFailed(content: unknown): boolean {
  const value = typeof content === "string" && content.startsWith("{") ? parsed(content) : content;
  const outcomes = Array.isArray(value) ? value : [value];
  return outcomes.some((outcome) => outcomeSchema.parse(outcome)?.success === false);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What the model wrote, in order. */
export function decodeAssistantContent(content: unknown, calls: CallPairing): Part[] {
  return blocksOf(content).flatMap((block): Part[] => {
    switch (block.type) {
      case "text":
        return block.text ? [{ type: "text", text: block.text }] : [];
      case "thinking":
      case "reasoning":
        return [reasoning(block.thinking ?? block.text ?? "", block.signature)];
      case "redacted_thinking":
        return [reasoning("", block.data)];
      case "tool_use":
        return [calls.open(block.id, block.name ?? "unknown", block.input ?? {})];
      default:
        return otherBlock(block);
    }
  });
}

export function reasoning(content: string, signature?: string): Part {
  return { type: "reasoning" as const, text: content, signature };
}

/** A block of a kind that is not known here goes along as it is. */
function otherBlock(block: Block): Part[] {
  const file = decodeFile(block);
  if (file !== undefined) return [file];
  if (block.type === undefined) return [];
  return [{ type: "opaque", kind: block.type, source: { dialect: "anthropic", value: block } }];
}

function decodeFile({ type, title, source }: Block): FilePart | undefined {
  if (type !== "image" && type !== "document") return undefined;
  if (source?.data === undefined && source?.url === undefined) return undefined;
  return {
    type: "file" as const,
    mediaType: source.media_type ?? "application/octet-stream",
    filename: title,
    data: source.data,
    url: source.data === undefined ? source.url : undefined,
  };
}

function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return list
    .parse(content)
    .map((block) => blockSchema.parse(block))
    .filter((block) => block !== undefined);
}
