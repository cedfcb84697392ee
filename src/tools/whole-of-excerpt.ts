import type { Archive, OriginalReader } from "../archive/archive.ts";
import { openOriginal, readPiece } from "../archive/open-original.ts";
import { type RecallInput, rangesOf } from "../archive/recall/recall-tools.ts";
import { recalledText, recallRange } from "../archive/recall/recall.ts";
import type { Handle } from "../core/message/index.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import {
  completeLimits,
  type Direction,
  findTruncation,
  type Limits,
  type OutputMeta,
  outputLimits,
  type ToolLimitOverrides,
  truncateEnds,
  windowBytes,
  withNotice,
} from "../core/truncate/index.ts";

/** The archive that may have the whole, and the limits that outputs are truncated with. */
export interface ExcerptSource {
  readonly archive: Archive;
  readonly toolLimits?: ToolLimitOverrides;
  readonly toolKinds?: ToolKinds;
}

const EXCERPT_END = /<\/(tool-output-truncated|archive-result)>\n?$/;
const END_UNITS = 64;

/**
 * The original that a truncated output, or the answer of a recall, is an excerpt of: what its notice
 * names, if the archive's original makes the very same text when it is cut, or recalled, once more.
 * Any output can claim anything in a notice; one that is not proven right is an original itself.
 * Never rejects.
 */
export async function wholeOfExcerpt(
  text: string,
  call: OutputMeta,
  source: ExcerptSource,
): Promise<Handle | undefined> {
  const end = EXCERPT_END.exec(text.slice(-END_UNITS))?.[1];
  const earlier = end === undefined ? undefined : findTruncation(text);
  if (earlier?.by !== "longhaul" || earlier.handle === undefined) return undefined;
  const { handle, path } = earlier;
  try {
    const isProven =
      end === "archive-result"
        ? await isRecalled(text, handle, { call, ...source })
        : await isTruncatedFrom(text, { handle, path }, { call, ...source });
    return isProven ? handle : undefined;
  } catch {
    // It is not there, or not what was stored.
    return undefined;
  }
}

type Claim = ExcerptSource & { readonly call: OutputMeta };

/** Whether the call, made again, has this answer. */
async function isRecalled(
  text: string,
  handle: Handle,
  { call, archive }: Claim,
): Promise<boolean> {
  const { input } = call;
  if (typeof input !== "object" || input === null) return false;
  const asked = input as RecallInput;
  if (asked.handle !== handle) return false;
  return recalledText(await recallRange(archive, handle, rangesOf(asked))) === text;
}

/** Larger originals were cut by their ends; of others the middle was searched for errors as well. */
const WHOLE_BYTES = 4_194_304;

async function isTruncatedFrom(
  text: string,
  target: { readonly handle: Handle; readonly path: string | undefined },
  { call, archive, toolLimits, toolKinds }: Claim,
): Promise<boolean> {
  const shown = text.endsWith("\n") ? text.slice(0, -1) : text;
  const totalLines = linesIn(shown);
  const facts = {
    ...(totalLines !== undefined && { totalLines }),
    direction: directionIn(shown),
  };
  const { limits } = outputLimits({ toolKinds, ...call }, toolLimits);
  const reader = await openOriginal(archive, target.handle, { look: true });
  try {
    for await (const ends of waysToCut(reader, limits)) {
      const truncation = truncateEnds({ ...ends, ...facts, totalBytes: reader.bytes });
      if (withNotice(truncation, target) === shown) return true;
    }
    return false;
  } finally {
    await reader.close();
  }
}

/** What the notice says is above it. */
function directionIn(text: string): Direction {
  const notice = text.slice(text.lastIndexOf("<tool-output-truncated "));
  const [, part] = /\nOnly the (start and the end|start|end) of /.exec(notice) ?? [];
  if (part === "start and the end") return "both";
  return part === "start" ? "head" : "tail";
}

/** Of a huge output nobody counts the lines, and only its ends are looked at here. */
function linesIn(text: string): number | undefined {
  const tag = text.slice(text.lastIndexOf("<tool-output-truncated "));
  const [, lines] = /^<[a-z-]+ lines="(\d{1,15})" /.exec(tag) ?? [];
  return lines === undefined ? undefined : Number(lines);
}

interface WayToCut {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly limits: Limits;
}

/** With the limits of the tool or the usual ones; all of it may have been at hand, or its ends. */
async function* waysToCut(reader: OriginalReader, own: Limits): AsyncGenerator<WayToCut> {
  const { bytes } = reader;
  const usual = completeLimits();
  const isUsual = own.maxBytes === usual.maxBytes && own.maxLines === usual.maxLines;
  const whole = bytes > WHOLE_BYTES ? undefined : await readPiece(reader, 0, bytes);
  for (const limits of isUsual ? [own] : [own, usual]) {
    const size = windowBytes(limits);
    if (whole !== undefined) yield { head: whole, tail: whole, limits };
    if (bytes <= 2 * size) continue;
    const head = await readPiece(reader, 0, size);
    yield { head, tail: await readPiece(reader, bytes - size, size), limits };
  }
}
