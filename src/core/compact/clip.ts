import { describeMedia } from "../continuation/continuation.ts";
import {
  inputText,
  outputText,
  type Message,
  type Part,
  type ToolCallPart,
} from "../message/message.ts";
import type { Digest, Handle } from "../message/handle.ts";
import { originalHandle, type EditablePart } from "../message/original.ts";
import { startsTurn, waitingCalls } from "../message/structure.ts";
import { inputPlaceholder } from "../prune/placeholder.ts";
import { partTokens, type TokenCounter } from "../tokens/count.ts";
import { clip } from "../text/clip.ts";
import { countLines } from "../text/utf8.ts";
import type { Edit } from "../message/index.ts";

/** What may be clipped; each level includes the ones before it. */
const CLIP_LEVELS = ["nothing", "outputs", "inputs", "texts", "user", "protected"] as const;
export type ClipLevel = (typeof CLIP_LEVELS)[number];

/**
 * A piece costs some tokens beside its text (ids, type names), which clipping does not touch: so
 * much more of the text goes, or an excess of a few tokens would never be met.
 */
const FRAMING_TOKENS = 16;

export interface ClipContext {
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly now: number;
  /** False when the archive takes nothing: the notices then promise nothing. */
  readonly canRecall: boolean;
  readonly level: ClipLevel;
  /** No piece is clipped below this many tokens. */
  readonly floor: number;
  /** The ids of protected calls: they and their results are clipped last of all. */
  readonly protectedIds: ReadonlySet<string>;
}

/**
 * Edits that shorten the messages at the given indices by `excess` tokens, or as far as level and
 * floor allow: tool outputs from the oldest on, then inputs (a waiting call may yet run, so its
 * input stays), then texts and media, then what the person typed, and protected steps at last. Both
 * ends of a piece stay, and each names its original.
 */
export function clipToFit(
  messages: readonly Message[],
  indices: readonly number[],
  excess: number,
  context: ClipContext,
): Edit[] {
  const edits: Edit[] = [];
  let left = excess;
  const waiting = waitingCalls(messages);
  const levels = CLIP_LEVELS.slice(1, CLIP_LEVELS.indexOf(context.level) + 1);
  for (const level of levels) {
    for (const index of indices) {
      const message = messages[index];
      if (message === undefined || left <= 0) continue;
      message.parts.forEach((part, at) => {
        if (left <= 0 || levelOf(part, message, context) !== level) return;
        if (waiting.has(part as ToolCallPart)) return;
        const edit = clipPart(part as EditablePart, { message: index, part: at }, left, context);
        if (edit === undefined) return;
        edits.push(edit.edit);
        left -= edit.saving;
      });
    }
  }
  return edits;
}

function levelOf(
  part: Part,
  message: Message,
  { protectedIds }: ClipContext,
): ClipLevel | undefined {
  const isTool = part.type === "tool-result" || part.type === "tool-call";
  if (isTool && protectedIds.has(part.toolCallId)) return "protected";
  if (part.type === "tool-result") return "outputs";
  if (part.type === "tool-call") return "inputs";
  if (part.type !== "text" && part.type !== "file") return undefined;
  if (message.kind === "summary") return undefined;
  return startsTurn(message) ? "user" : "texts";
}

interface Place {
  readonly message: number;
  readonly part: number;
}

function clipPart(
  part: EditablePart,
  place: Place,
  excess: number,
  context: ClipContext,
): { edit: Edit; saving: number } | undefined {
  const { counter, floor } = context;
  const before = partTokens(part, counter);
  const maxTokens = Math.max(floor, before - excess - FRAMING_TOKENS);
  if (before <= floor) return undefined;
  const edit = clipEdit(part, place, maxTokens, context);
  const saving = edit === undefined ? 0 : before - partTokens(edit.result, counter);
  return edit === undefined || saving <= 0 ? undefined : { edit: edit.edit, saving };
}

function clipEdit(
  part: EditablePart,
  place: Place,
  maxTokens: number,
  { counter, digest, now, canRecall }: ClipContext,
): { edit: Edit; result: Part } | undefined {
  const handle = originalHandle(part, digest);
  const named = canRecall ? handle : undefined;
  const base = { ...place, reason: "clipped" as const, handle };
  const shorten = (text: string, what: string): string =>
    clipMiddle(text, what, { maxTokens, counter, handle: named });
  if (part.type === "tool-result") {
    const text = shorten(outputText(part.output), "output");
    const result: Part = { ...part, output: [{ type: "text", text }] };
    return { edit: { ...base, type: "replace-output", text, at: now }, result };
  }
  if (part.type === "tool-call") {
    const input = clippedInput(part.input, { maxTokens, counter, handle: named });
    const result: Part = { ...part, input };
    return { edit: { ...base, type: "replace-input", input }, result };
  }
  const text = part.type === "text" ? shorten(part.text, "message") : describeMedia(part, named);
  const reason = part.type === "text" ? "clipped" : "media";
  return { edit: { ...base, reason, type: "replace-text", text }, result: { type: "text", text } };
}

interface Shortening {
  readonly maxTokens: number;
  readonly counter: TokenCounter;
  readonly handle: Handle | undefined;
}

/** Both ends of a text, and a notice that says how many lines there were and how to get them back. */
function clipMiddle(
  text: string,
  what: string,
  { maxTokens, counter, handle }: Shortening,
): string {
  const count = (piece: string): number => counter.count(piece);
  const tokens = count(text);
  if (tokens <= maxTokens) return text;
  const recall =
    handle === undefined ? "the original was not kept" : `recall ${handle} for the whole`;
  const notice = `[… the middle of this ${what} was clipped: ${countLines(text)} lines, ${tokens} tokens in all; ${recall} …]`;
  const mark = (left: string): string => (left === text ? notice : `\n${notice}\n`);
  return clip(text, { tokens: maxTokens, count }, { keep: "both", mark, atLineEnds: true });
}

/**
 * An input whose longest fields became placeholders, so that it fits. Half an argument would look
 * like a real one and be copied into new calls, so a field goes whole.
 */
function clippedInput(input: unknown, { maxTokens, counter, handle }: Shortening): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return inputPlaceholder(inputText(input), handle ?? "not kept");
  }
  const clipped: Record<string, unknown> = { ...input };
  const fields = Object.entries(input)
    .map(([name, value]) => ({ name, text: inputText(value) }))
    .sort((a, b) => b.text.length - a.text.length);
  for (const { name, text } of fields) {
    if (counter.count(inputText(clipped)) <= maxTokens) break;
    clipped[name] = inputPlaceholder(text, handle ?? "not kept");
  }
  return clipped;
}
