import { isUtf8 } from "node:buffer";
import { ContextError, errorMessage } from "../core/error.ts";
import { documentTooLong, type Head } from "./head.ts";
import { isDeeperThan, raising, type TranscriptLimits } from "./limits.ts";
import { createLineSplitter } from "./lines.ts";
import { closedDocument, isCutShort, recoverRecords } from "./recover.ts";
import { unreadable } from "./source.ts";
import type { Warnings } from "./transcript.ts";

export interface ParsedDocument {
  readonly value: unknown;
  /** It was cut short and closed by us. */
  readonly isTorn: boolean;
}

interface DocumentContext {
  readonly name: string;
  readonly limits: TranscriptLimits;
  readonly warnings: Warnings;
}

/**
 * Reads and parses one JSON document; one that was cut short is closed where it ends.
 * Throws `ContextError` code `limit-exceeded` above the limits of size and depth, and
 * `unreadable-file` for what cannot be repaired.
 */
export async function parseDocument(head: Head, context: DocumentContext): Promise<ParsedDocument> {
  const text = await documentText(head, context);
  const document = parse(text, context);
  if (isDeeperThan(document.value, context.limits.depth)) throw tooDeep(context);
  return document;
}

async function documentText(head: Head, { limits, warnings }: DocumentContext): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of head.whole ? [head.bytes] : head.stream) {
    size += chunk.length;
    if (size > limits.documentBytes) throw documentTooLong(limits);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) warnOfWrongBytes(bytes, warnings);
  return bytes.toString();
}

function warnOfWrongBytes(bytes: Buffer, warnings: Warnings): void {
  const splitter = createLineSplitter(bytes.length);
  for (const line of [...splitter.push(bytes), ...splitter.end()]) {
    if (isUtf8(line.bytes)) continue;
    warnings.add("This line is not valid UTF-8; the wrong bytes were replaced.", line.number);
  }
}

function parse(text: string, context: DocumentContext): ParsedDocument {
  try {
    return { value: JSON.parse(text), isTorn: false };
  } catch (cause) {
    return repair(text, context, cause);
  }
}

function repair(text: string, context: DocumentContext, cause: unknown): ParsedDocument {
  const start = text.search(/^[ \t]*[{[]/m);
  const body = start > 0 ? text.slice(start) : text;
  const isTorn = isCutShort(body);
  const value = isTorn ? closedDocument(body) : recoverRecords(body).values[0];
  if (value === undefined) {
    throw unreadable(
      context.name,
      `is no valid JSON (${errorMessage(cause)})`,
      "Export the session again",
      cause,
    );
  }
  context.warnings.add(
    isTorn
      ? "The JSON document is cut short; what is whole was read, without the last message."
      : "What stands around the JSON document was left out.",
  );
  return { value, isTorn };
}

function tooDeep({ name, limits }: DocumentContext): ContextError {
  return new ContextError(
    "limit-exceeded",
    `${name} is nested deeper than ${limits.depth} levels, which no session is. ${raising("depth", "5000")}`,
    { details: { file: name, limit: "depth", value: limits.depth } },
  );
}
