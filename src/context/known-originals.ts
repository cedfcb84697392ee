import type { Archive } from "../archive/archive.ts";
import { openOriginal, readPiece } from "../archive/reading.ts";
import { type Handle, isHandle } from "../core/message/handle.ts";
import { earlierOriginal } from "../core/message/original.ts";
import { isPruned } from "../core/message/edit.ts";
import {
  inputText,
  outputText,
  withParts,
  type Message,
  type Part,
} from "../core/message/message.ts";
import { decodeUtf8 } from "../core/text/utf8.ts";
import { showControls } from "../core/text/clean.ts";
import { terminalText } from "../core/text/terminal.ts";
import { DEFAULT_LIMITS, windowBytes } from "../core/truncate/limits.ts";
import { findTruncation } from "../core/truncate/marker.ts";
import { NOTICE_LIMITS } from "../core/truncate/notice.ts";

/**
 * The messages for a plan: an output that is an excerpt of an original in this archive names that
 * original. A placeholder then leads to the whole at once, and the excerpt is not archived as well.
 * A part whose original the archive does not have is an original itself, and so is one whose words
 * no longer name it: an agent that writes over a part may copy its other fields. The same list
 * where there is nothing of the kind. Never rejects.
 */
export async function withKnownOriginals(
  archive: Archive,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const known = new Map<Part, Part>();
  for (const part of messages.flatMap(mayBeKnown)) {
    const named = "original" in part ? part.original : undefined;
    if (named !== undefined && !(await standsFor(part, named, archive))) {
      const time = part.type === "tool-result" ? { time: undefined } : undefined;
      known.set(part, { ...part, original: undefined, ...time } as Part);
      continue;
    }
    if (part.type !== "tool-result" || part.output.length !== 1) continue;
    const [only] = part.output;
    if (only?.type !== "text" || isPruned(part) || earlierOriginal(part) !== undefined) continue;
    const element = excerptElement(only.text);
    if (element === undefined) continue;
    const original = await wholeOfExcerpt(only.text, element, archive);
    if (original !== undefined) known.set(part, { ...part, original });
  }
  if (known.size === 0) return messages;
  return messages.map((message) => {
    if (!message.parts.some((part) => known.has(part))) return message;
    const parts = message.parts.map((part) => known.get(part) ?? part);
    return withParts(message, parts);
  });
}

/** The parts that name an original or end like an excerpt of one; hardly any does. */
function mayBeKnown({ parts }: Message): readonly Part[] {
  return parts.some(isSuspect) ? parts.filter(isSuspect) : NO_PARTS;
}

const NO_PARTS: readonly Part[] = [];

function isSuspect(part: Part): boolean {
  if ("original" in part && part.original !== undefined) return true;
  if (part.type !== "tool-result" || part.output.length !== 1) return false;
  const [only] = part.output;
  return only?.type === "text" && endsLikeElement(only.text);
}

function endsLikeElement(text: string): boolean {
  return text.endsWith(">") || text.endsWith(">\n");
}

/**
 * A part is the rest that an edit of ours left of an original. An archive that does not answer is
 * believed to have it: a later request finds out.
 */
async function standsFor(part: Part, named: string, archive: Archive): Promise<boolean> {
  if (isHandle(named) && !wordsOf(part).includes(named)) return false;
  const isPlaceholder = part.type === "tool-result" && isPruned(part);
  return isPlaceholder || archive.has(named).catch(() => true);
}

function wordsOf(part: Part): string {
  if (part.type === "tool-result") return outputText(part.output);
  if (part.type === "tool-call") return inputText(part.input);
  return part.type === "text" ? part.text : "";
}

/** The element that ends an output, if a notice does. */
function excerptElement(text: string): string | undefined {
  return EXCERPT_END.exec(text.slice(-64))?.[1];
}

const EXCERPT_END = /<\/(tool-output-truncated|archive-result)>\n?$/;
/** The line between the two ends of an output. */
const GAP = /(?:\n|^)\[… \d+ bytes left out here, [^\n]* …\]\n/;

/**
 * The original that the notice of a truncated output, or of a recalled one, names: if this archive
 * has it and the text above the notice is a part of it. Any output can claim anything, so every
 * other one is an original itself.
 */
async function wholeOfExcerpt(
  text: string,
  element: string,
  archive: Archive,
): Promise<Handle | undefined> {
  const { by, handle } = findTruncation(text) ?? {};
  const at = text.lastIndexOf(`<${element} `);
  if (by !== "longhaul" || handle === undefined || text.length - at > NOTICE_LIMITS.maxBytes) {
    return undefined;
  }
  try {
    const shown = await shownPart(archive, handle, text.slice(at));
    const pieces = text.slice(0, at).split(GAP);
    const isPart = pieces.every((piece) => shown.includes(piece.replace(/\n$/, "")));
    return isPart && /\S/.test(pieces.join("")) ? handle : undefined;
  } catch {
    // It is not there, or cannot be read.
    return undefined;
  }
}

/** The part that a recall says it shows; of any other original both ends, as a preview shows them. */
async function shownPart(archive: Archive, handle: Handle, notice: string): Promise<string> {
  const reader = await openOriginal(archive, handle);
  try {
    const [, from, to] = /\bbytes (\d{1,15}) to (\d{1,15}) of /.exec(notice) ?? [];
    const size = windowBytes();
    const isRecalled = notice.startsWith("<archive-result");
    const start = isRecalled ? Number(from ?? 0) : 0;
    const end = isRecalled
      ? Math.min(start + DEFAULT_LIMITS.maxBytes, Number(to ?? Infinity))
      : size;
    const head = decodeUtf8(await readPiece(reader, start, end - start)).text;
    if (isRecalled) return showControls(head);
    const tail = await readPiece(reader, Math.max(0, reader.bytes - size), size);
    return `${terminalText(head).text}\n${terminalText(decodeUtf8(tail).text).text}`;
  } finally {
    await reader.close();
  }
}
