import { encodeUtf8, isWellFormed, textOf } from "../text/utf8.ts";
import { joined, toJson } from "../text/json.ts";
import {
  handleFor,
  isHandle,
  type Digest,
  type Handle,
  type OriginalKind,
  type Piece,
  type RunningDigest,
} from "./handle.ts";
import { fileData, isBytes } from "./file-data.ts";
import {
  type FilePart,
  inputText,
  type Message,
  type OpaquePart,
  outputText,
  type OutputPart,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from "./message.ts";

/** Something that is about to leave the window: what it is and its whole content. */
export interface Original {
  readonly handle: Handle;
  readonly kind: OriginalKind;
  /** Throws `limit-exceeded` where no string can hold it. */
  readonly content: string;
  /** The messages of a head, for callers who need no text of it. */
  readonly pieces?: readonly Piece[];
}

/** A part that can be edited, and therefore has an original. */
export type EditablePart = ToolResultPart | ToolCallPart | TextPart | FilePart | OpaquePart;

/**
 * The original of a part, as the archive keeps it: the very text where the part is text, JSON
 * where it is more. A text with lone surrogates has no UTF-8 form, so it is kept as JSON as well.
 */
export function originalOf(part: EditablePart, digest: Digest): Original {
  const { kind, content } = originalContent(part);
  return { handle: handleFor(kind, content, digest), kind, content };
}

/** The same without its name, for whoever has that already: making it takes longest. */
export function originalContent(part: EditablePart): Omit<Original, "handle"> {
  if (part.type === "tool-result") return outputContent(part.output);
  if (part.type === "tool-call") return { kind: "in", content: wellFormed(inputText(part.input)) };
  if (part.type !== "text") return { kind: "parts", content: toJson(plainOutput([part])) };
  const { text } = part;
  if (isWellFormed(text)) return { kind: "msg", content: text };
  return { kind: "parts", content: toJson([{ type: "text", text }]) };
}

/**
 * The handle under which a part's whole original is, or will be. A part that was shortened before
 * keeps naming its first original: a recall must give the whole, never a piece that names it.
 */
export function originalHandle(part: EditablePart, digest: Digest): Handle {
  return earlierOriginal(part) ?? originalOf(part, digest).handle;
}

/** The handle of a part that was shortened before; its original is in the archive already. */
export function earlierOriginal(part: EditablePart): Handle | undefined {
  if (part.type === "file" || part.type === "opaque") return undefined;
  return part.original !== undefined && isHandle(part.original) ? part.original : undefined;
}

function outputContent(output: readonly OutputPart[]): Omit<Original, "handle"> {
  const only = output[0];
  if (output.length === 1 && only?.type === "text" && isWellFormed(only.text)) {
    return { kind: "out", content: only.text };
  }
  return { kind: "parts", content: toJson(plainOutput(output)) };
}

/**
 * The original of whole messages, from their lines: one JSON message a line, without native sources.
 * Every line is well-formed, whatever the texts hold.
 */
export function originalOfLines(
  pieces: readonly Piece[],
  digest: Digest,
  running?: RunningDigest,
): Original {
  const text = (): string => joined(pieces.map(textOf));
  const handle = handleFor("head", "", () => running?.hex() ?? digest(text()));
  return {
    handle,
    kind: "head",
    pieces,
    get content() {
      return text();
    },
  };
}

/** Every engine can hold a text of so many units in one string, and none much more. */
export const MOST_UNITS = 500_000_000;

/** A message as plain JSON: everything but the native source; opaque parts keep their value. */
export function plainMessage(message: Message): PlainMessage {
  const isTraced = message.source !== undefined || message.parts.some(isTracedPart);
  if (!isTraced) return message;
  return { ...message, source: undefined, parts: message.parts.map(plainPart) };
}

type PlainMessage = Omit<Message, "parts" | "source"> & {
  readonly parts: readonly unknown[];
  readonly source?: unknown;
};

/** True of a part that names its origin or holds bytes; where none does, nothing has to be copied. */
function isTracedPart(part: Part): boolean {
  if (part.source !== undefined) return true;
  if (part.type === "file") return isBytes(part.data);
  if (part.type !== "tool-result") return false;
  return part.time !== undefined || part.output.some(isTracedPart);
}

function plainPart(part: Part): unknown {
  if (part.type === "opaque" || !isTracedPart(part)) return part;
  if (part.type === "file") return plainFile(part);
  if (part.type !== "tool-result") return { ...part, source: undefined };
  // That it was pruned stays, when does not: a session that runs again has the same handles.
  const time = part.time && { compacted: 0 };
  return { ...part, source: undefined, time, output: part.output.map(plainPart) };
}

function plainFile(part: FilePart): FilePart {
  return { ...part, source: undefined, data: fileData(part) };
}

function wellFormed(text: string): string {
  return isWellFormed(text) ? text : toJson(text);
}

/** An output without the traces of its origin, as plain JSON. */
export function plainOutput(output: readonly OutputPart[]): unknown {
  return output.map((piece) => {
    if (piece.type === "opaque") return { type: piece.kind, value: piece.source.value };
    return piece.type === "file" ? plainFile(piece) : { ...piece, source: undefined };
  });
}

/** All that an output holds as one text: two images are not the same because neither has words. */
export function wholeOutput(output: readonly OutputPart[]): string {
  const isText = output.every(({ type }) => type === "text");
  return isText ? outputText(output) : toJson(plainOutput(output));
}

export type MessageLines = ReturnType<typeof createMessageLines>;

interface MessageLinesOptions {
  /** The usual start of a stretch; blocks are counted from there. @default 0 */
  readonly first?: number;
  /** Begins a digest, of which each block is a part as soon as it is written. @default none */
  readonly begin?: () => RunningDigest;
}

/**
 * Lines of one block die young; all lines of a long list would be moved about by the garbage
 * collector.
 */
const LINES_PER_BLOCK = 32;
const PIECE_UNITS = 4_194_304;
/** A stretch ends a little before the end of the list; so many digests of beginnings are kept. */
const MARKS = 8;

/**
 * The messages of a list that grows, and is empty so far, as JSON, one message a line, without native
 * sources. A block is written when its last message comes, and only once, and where there is a digest
 * it is kept as the bytes that this has read; the lines of messages that do not fill a block are
 * written when they are asked for.
 */
export function createMessageLines({ first = 0, begin }: MessageLinesOptions = {}) {
  const messages: Message[] = [];
  const blocks: (readonly Piece[] | undefined)[] = [];
  const write = (from: number, to: number): readonly string[] =>
    writtenLines(messages.slice(from, to));
  const pieces = (from: number, to: number): readonly Piece[] => {
    const all: Piece[] = [];
    for (let at = from, end = at; at < to; at = end) {
      const inBlock = (at - first) % LINES_PER_BLOCK;
      end = Math.min(to, at < first ? first : at - inBlock + LINES_PER_BLOCK);
      const isWhole = end - at === LINES_PER_BLOCK && at >= first;
      const block = isWhole ? blocks[(at - first) / LINES_PER_BLOCK] : undefined;
      all.push(...(block ?? write(at, end)));
    }
    return all;
  };
  const marks = begin === undefined ? [] : [{ at: first, running: begin() }];
  return {
    add(message: Message): void {
      const end = messages.push(message);
      if (end <= first || (end - first) % LINES_PER_BLOCK !== 0) return;
      const last = marks.at(-1);
      try {
        const lines = write(end - LINES_PER_BLOCK, end);
        const block = begin === undefined ? lines : lines.map(encodeUtf8);
        blocks.push(block);
        if (last?.at !== end - LINES_PER_BLOCK) return;
        const running = last.running.copy();
        block.forEach(running.add);
        if (marks.push({ at: end, running }) > MARKS) marks.shift();
      } catch {
        // It holds something that is no JSON, which concerns only those who ask for the text.
        blocks.push(undefined);
      }
    },
    /**
     * The lines of the messages from `from` up to `to`, which is exclusive, each with its `\n`: in
     * pieces, because those of a long list may be more than one string can hold.
     */
    pieces: (from: number, to: number): readonly Piece[] => pieces(from, to),
    /** The same with their digest, where there is one that runs. */
    stretch(from: number, to: number): { pieces: readonly Piece[]; running?: RunningDigest } {
      const mark = from === first ? marks.findLast(({ at }) => at <= to) : undefined;
      const running = mark?.running.copy() ?? begin?.();
      const rest = pieces(mark?.at ?? from, to);
      if (running !== undefined) rest.forEach(running.add);
      return { pieces: mark === undefined ? rest : [...pieces(from, mark.at), ...rest], running };
    },
  };
}

function writtenLines(messages: readonly Message[]): readonly string[] {
  const pieces: string[] = [];
  let lines: string[] = [];
  let units = 0;
  for (const message of messages) {
    const line = toJson(plainMessage(message));
    lines.push(line, "\n");
    units += line.length;
    if (units < PIECE_UNITS) continue;
    pieces.push(...(units > MOST_UNITS ? lines : [lines.join("")]));
    [lines, units] = [[], 0];
  }
  return [...pieces, lines.join("")];
}

/** The lines of a list of messages, in pieces. Throws `invalid-message` for a value that is no JSON. */
export function linesOf(messages: readonly Message[]): readonly Piece[] {
  const lines = createMessageLines();
  for (const message of messages) lines.add(message);
  return lines.pieces(0, messages.length);
}
