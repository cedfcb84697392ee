import { describeMedia } from "../continuation/continuation.ts";
import { type Edit, editPart } from "../message/edit.ts";
import {
  inputText,
  outputText,
  type Message,
  type Part,
  type ToolCallPart,
} from "../message/message.ts";
import { type Handle, namedOriginal } from "../message/handle.ts";
import { originalHandle, type EditablePart } from "../message/original.ts";
import { startsTurn, waitingCalls } from "../message/structure.ts";
import { inputPlaceholder } from "../prune/placeholder.ts";
import { jsonBytes, type MessageSize, partSize } from "../tokens/meter.ts";
import { clip, type TextSize } from "../text/clip.ts";
import { countLines } from "../text/utf8.ts";
import { describeOutput, describePart, type MediaContext } from "./media.ts";
import { newestUserMessage } from "./tail.ts";
import type { TokenCounter } from "../tokens/index.ts";

/** The parts that may be clipped; each level includes the ones before it. */
const CLIP_LEVELS = [
  "nothing",
  "outputs",
  "media",
  "inputs",
  "texts",
  "user",
  "protected",
] as const;
export type ClipLevel = (typeof CLIP_LEVELS)[number];

/**
 * A piece costs some tokens and bytes beside its text (ids, type names), which clipping does not
 * touch: so much more of the text goes, or an excess of a few would never be met.
 */
const FRAMING_TOKENS = 16;
const FRAMING_BYTES = 160;

/** A floor in tokens is one of so many bytes: JSON writes some characters as six of them. */
const BYTES_PER_TOKEN = 8;

/** The surroundings of an edit of one part. */
interface EditContext extends MediaContext {
  readonly counter: TokenCounter;
}

export interface ClipContext extends EditContext {
  readonly level: ClipLevel;
  /** No piece is clipped below this many tokens. */
  readonly floor: number;
  /** The ids of protected calls: they and their results are clipped last of all. */
  readonly protectedIds: ReadonlySet<string>;
  /** Whether media without a reply go as late as the words beside them. */
  readonly keepsMedia: boolean;
}

/**
 * Edits that make the messages at the given indices smaller by `excess`, or as far as level and
 * floor allow: tool outputs from the oldest on, then the media of messages, then inputs (a waiting
 * call may yet run, so its input stays), then texts, then what the person typed, and protected steps
 * at last. Both ends of a text stay, whatever is no text is described, and each piece names its
 * original.
 */
export function clipToFit(
  messages: readonly Message[],
  indices: readonly number[],
  excess: MessageSize,
  context: ClipContext,
): Edit[] {
  const edits: Edit[] = [];
  let left = excess;
  const waiting = waitingCalls(messages);
  const newest = newestUserMessage(messages);
  const levels = CLIP_LEVELS.slice(1, CLIP_LEVELS.indexOf(context.level) + 1);
  for (const level of levels) {
    for (const index of indices) {
      const message = messages[index];
      if (message === undefined || !isExceeded(left)) continue;
      const late = { ...context, keepsMedia: context.keepsMedia && index === newest };
      message.parts.forEach((part, at) => {
        if (levelOf(part, message, late) !== level || waiting.has(part as ToolCallPart)) return;
        const place = { message: index, part: at };
        const clipped = clipPart(part as EditablePart, place, left, context);
        if (clipped === undefined) return;
        edits.push(clipped.edit);
        left = lessBy(left, clipped.saving);
      });
    }
  }
  return edits;
}

function isExceeded({ tokens, bytes, images }: MessageSize): boolean {
  return tokens > 0 || bytes > 0 || images > 0;
}

function lessBy(size: MessageSize, { tokens, bytes, images }: MessageSize): MessageSize {
  return {
    tokens: size.tokens - tokens,
    bytes: size.bytes - bytes,
    images: size.images - images,
  };
}

function levelOf(
  part: Part,
  message: Message,
  { protectedIds, keepsMedia }: ClipContext,
): ClipLevel | undefined {
  const isTool = part.type === "tool-result" || part.type === "tool-call";
  if (isTool && protectedIds.has(part.toolCallId)) return "protected";
  if (part.type === "tool-result") return "outputs";
  if (part.type === "tool-call") return "inputs";
  if (message.kind === "summary") return undefined;
  const words = startsTurn(message) ? "user" : "texts";
  if (part.type === "file") return keepsMedia ? words : "media";
  // A block of the model belongs to what stands around it, and so do linked ones.
  const isLoose = part.type === "opaque" && message.role === "user" && part.link === undefined;
  return part.type === "text" || isLoose ? words : undefined;
}

/** The place of a part. */
type Place = Pick<Edit, "message" | "part">;

/** The room of a piece. */
type Room = Pick<MessageSize, "tokens" | "bytes">;

function clipPart(
  part: EditablePart,
  place: Place,
  excess: MessageSize,
  context: ClipContext,
): { edit: Edit; saving: MessageSize } | undefined {
  const { counter, floor } = context;
  const least = { tokens: floor, bytes: floor * BYTES_PER_TOKEN };
  const before = partSize(part, counter);
  const takesTokens = excess.tokens > 0 && before.tokens > least.tokens;
  const takesBytes = excess.bytes > 0 && before.bytes > least.bytes;
  const takesImages = excess.images > 0 && before.images > 0;
  if (!takesTokens && !takesBytes && !takesImages) return undefined;
  const most = lessBy(before, excess);
  const room: Room = {
    tokens: takesTokens ? Math.max(least.tokens, most.tokens - FRAMING_TOKENS) : Infinity,
    bytes: takesBytes ? Math.max(least.bytes, most.bytes - FRAMING_BYTES) : Infinity,
  };
  const edit = shorten(part, place, room, context);
  if (edit === undefined) return undefined;
  const saving = lessBy(before, partSize(editPart(part, edit), counter));
  const isSmaller =
    (takesTokens && saving.tokens > 0) ||
    (takesBytes && saving.bytes > 0) ||
    (takesImages && saving.images > 0);
  return isSmaller ? { edit, saving } : undefined;
}

/** Nothing where the part has room already: its pieces as one text would be no shorter. */
function shorten(
  part: EditablePart,
  place: Place,
  room: Room,
  context: EditContext,
): Edit | undefined {
  const { counter, digest, canRecall, recall } = context;
  const handle = originalHandle(part, digest);
  const named = canRecall === false ? undefined : handle;
  const base = { ...place, reason: "clipped" as const, handle };
  const clipped = (text: string, what: string): string =>
    clipMiddle(text, what, { room, counter, handle: named, recall });
  switch (part.type) {
    case "tool-call":
      return {
        ...base,
        type: "replace-input",
        input: clippedInput(part, { room, counter, handle: named, recall }),
      };
    case "text":
      return { ...base, type: "replace-text", text: clipped(part.text, "message") };
    case "tool-result": {
      const whole = outputText(part.output);
      const text = clipped(whole, "output");
      const isText = describeMedia(part.output, named) === "";
      return text === whole && isText ? undefined : describeOutput(part, text, place, context);
    }
    default:
      return describePart(part, place, context);
  }
}

interface Shortening {
  readonly room: Room;
  readonly counter: TokenCounter;
  readonly handle: Handle | undefined;
  readonly recall: boolean | undefined;
}

/** Both ends of a text, and a notice that says how many lines there were and how to get them back. */
function clipMiddle(
  text: string,
  what: string,
  { room, counter, handle, recall }: Shortening,
): string {
  const tokens = counter.count(text);
  if (tokens <= room.tokens && (room.bytes === Infinity || jsonBytes(text) <= room.bytes)) {
    return text;
  }
  const where =
    handle === undefined
      ? "the original was not kept"
      : `${namedOriginal(handle, recall)} for the whole`;
  const notice = `[… the middle of this ${what} was clipped: ${countLines(text)} lines, ${tokens} tokens in all; ${where} …]`;
  const mark = (left: string): string => (left === text ? notice : `\n${notice}\n`);
  return clip(text, sizeOf(room, tokens, counter), { keep: "both", mark, atLineEnds: true });
}

/** Both limits as one: a byte counts as the share of the limit that it takes. */
function sizeOf({ tokens, bytes }: Room, most: number, counter: TokenCounter): TextSize {
  const limit = Math.min(tokens, most);
  const count = (text: string): number => counter.count(text);
  if (bytes === Infinity) return { tokens: limit, count };
  return {
    tokens: limit,
    count: (text) => Math.max(count(text), Math.ceil((jsonBytes(text) * limit) / bytes)),
  };
}

/**
 * An input whose longest fields became placeholders, so that it fits. Half an argument would look
 * like a real one and be copied into new calls, so a field goes whole.
 */
function clippedInput(
  { input }: ToolCallPart,
  { room, counter, handle, recall }: Shortening,
): unknown {
  const fits = (value: unknown): boolean => {
    const text = inputText(value);
    return counter.count(text) <= room.tokens && jsonBytes(text) <= room.bytes;
  };
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return inputPlaceholder(inputText(input), handle ?? "not kept", recall);
  }
  const clipped: Record<string, unknown> = { ...input };
  const fields = Object.entries(input)
    .map(([name, value]) => ({ name, text: inputText(value) }))
    .sort((a, b) => b.text.length - a.text.length);
  for (const { name, text } of fields) {
    if (fits(clipped)) break;
    clipped[name] = inputPlaceholder(text, handle ?? "not kept", recall);
  }
  return clipped;
}
