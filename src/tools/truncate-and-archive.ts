import { isWellFormed } from "../core/text/utf8.ts";
import { toJson } from "../core/text/json.ts";
import type { Archive, ArchiveEntry } from "../archive/archive.ts";
import { type Failure, failureOf } from "../core/error.ts";
import { checkNames } from "../core/options.ts";
import {
  META_NAMES,
  outputLimits,
  type OutputMeta,
  type ToolLimitOverrides,
} from "../core/truncate/limits.ts";
import { truncateText } from "../core/truncate/truncate-output.ts";
import { withNotice } from "../core/truncate/notice.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import type { Truncation } from "../core/truncate/index.ts";

/** Settings of the truncation of tool outputs; `context.truncation` is one of these. */
export interface TruncationOptions {
  /** The place for the whole of a truncated output; without one it is not kept. */
  readonly archive?: Archive;
  /** Limits and direction by tool name. @default 2000 lines, 50000 bytes, direction by kind of tool */
  readonly toolLimits?: ToolLimitOverrides;
  /** Names the kind of tools that the built-in table does not know. */
  readonly toolKinds?: ToolKinds;
  /** The agent has the tool `recall`, or a function that tells it then. @default true */
  readonly recall?: boolean | (() => boolean);
  /** Is told about every truncated output. Its errors cost no output: they are left aside. */
  readonly onTruncated?: (event: TruncatedEvent) => void;
}

export interface TruncatedOutput {
  /** The text for the model: the output as it is, or the kept part with its notice. */
  readonly text: string;
  readonly truncation: Truncation;
  /** The archived whole; absent when the output was not truncated, or not kept. */
  readonly entry?: ArchiveEntry;
  /** The reason why the original was not kept. */
  readonly failure?: Failure;
}

export interface TruncatedEvent extends TruncatedOutput {
  readonly toolName: string;
}

/**
 * T15 for one output: what does not fit goes to the archive as a whole, and the kept part names it.
 * Never rejects because of the archive: then the notice and `failure` say what was not kept.
 */
export async function truncateAndArchive(
  output: string,
  meta: OutputMeta = {},
  options: TruncationOptions = {},
): Promise<TruncatedOutput> {
  checkNames(meta, META_NAMES);
  const facts = { toolKinds: options.toolKinds, ...meta };
  const truncation = truncateText(output, outputLimits(facts, options.toolLimits));
  if (!truncation.isTruncated) return { text: output, truncation };
  return archiveTruncated(output, truncation, { ...options, toolName: meta.toolName ?? "" });
}

/** Archives the original of a truncation that was made already, and writes its notice. */
export async function archiveTruncated(
  output: string,
  truncation: Truncation,
  options: TruncationOptions & { readonly toolName: string },
): Promise<TruncatedOutput> {
  const stored = await keepOriginal(output, options.archive);
  const { entry, failure } = stored;
  const recall = typeof options.recall === "function" ? options.recall() : options.recall;
  const target = { path: entry?.path, handle: entry?.handle, notKept: failure?.message, recall };
  const text = withNotice(truncation, target);
  const truncated = { text, truncation, ...stored };
  tell(options, truncated);
  return truncated;
}

function tell(
  { onTruncated, toolName }: TruncationOptions & { readonly toolName: string },
  truncated: TruncatedOutput,
): void {
  try {
    const told: unknown = onTruncated?.({ toolName, ...truncated });
    if (told instanceof Promise) told.catch(() => undefined);
  } catch {
    // A listener must not be able to take the output of a tool away.
  }
}

interface Stored {
  readonly entry?: ArchiveEntry;
  readonly failure?: Failure;
}

/** A text with half a surrogate pair has no bytes in UTF-8, so it is kept as JSON. */
async function keepOriginal(output: string, archive: Archive | undefined): Promise<Stored> {
  if (archive === undefined) return {};
  if (isWellFormed(output)) return store(() => archive.put("out", output));
  return store(() => archive.put("parts", toJson([{ type: "text", text: output }])));
}

async function store(put: () => Promise<ArchiveEntry>): Promise<Stored> {
  try {
    return { entry: await put() };
  } catch (error) {
    return { failure: failureOf(error, "archive-failed") };
  }
}

/** Archives a piece that stays in the context as it is, because it is no text to cut. */
export async function archivePiece(piece: unknown, archive: Archive | undefined): Promise<void> {
  if (archive === undefined) return;
  // The piece itself is still in the context, so a failure loses nothing.
  await store(async () => archive.put("parts", toJson([piece])));
}
