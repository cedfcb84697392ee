import { mediaName } from "../core/message/media-names.ts";
import { type FilePart, fileData, type Handle } from "../core/message/index.ts";
import { toJson } from "../core/text/json.ts";
import type { Archive, OriginalReader } from "./archive.ts";
import { openOriginal, readerOf, readPiece } from "./reading.ts";

/** An original that a sentence tells of its files, and the files. */
interface ToldMedia {
  readonly text: string;
  readonly files: readonly FilePart[];
}

/** A larger original is read as it is: its JSON would take too much memory. */
const MOST_BYTES = 33_554_432;
/** Base64 that is no file of ours: inside a block that only its provider knows, or a call's input. */
const BASE64 = /^(?:data:[^,]{0,200},)?[\w+/-]{4000,}={0,2}$/;

/**
 * The same originals, with sentences in place of the bytes of images and files: as text they are
 * tokens that tell nothing. A line stays a line in an original of messages.
 */
export function toldArchive(archive: Archive): Archive {
  let listed: ReturnType<Archive["list"]> | undefined;
  const list = (): ReturnType<Archive["list"]> => (listed = archive.list());
  return {
    name: archive.name,
    put: (kind, content) => archive.put(kind, content),
    get: async (handle) => archive.get(handle),
    has: async (handle) => archive.has(handle),
    list: async () => list(),
    async mayHold(pattern, isRegex) {
      const held = await archive.mayHold?.(pattern, isRegex);
      if (held === undefined) return undefined;
      // The medium looks at what is stored, which is another text where files are told.
      const all = (await (listed ?? list())).map(({ handle }) => handle);
      return new Set([...held, ...all.filter(isOfMessages)]);
    },
    read: async (handle) => toldReader(await openOriginal(archive, handle), handle as Handle),
  };
}

async function toldReader(reader: OriginalReader, handle: Handle): Promise<OriginalReader> {
  const told = await toldMedia(reader, handle);
  if (told === undefined) return reader;
  await reader.close();
  return readerOf(new TextEncoder().encode(told.text));
}

/** The files of an original, in their order; none where it is text. */
export async function filesOf(archive: Archive, handle: string): Promise<readonly FilePart[]> {
  const reader = await openOriginal(archive, handle);
  try {
    return (await toldMedia(reader, handle as Handle))?.files ?? [];
  } finally {
    await reader.close();
  }
}

/** Only such originals are JSON, in which there may be files. */
function isOfMessages(handle: Handle): boolean {
  return handle.startsWith("parts_") || handle.startsWith("head_");
}

/** An original with its files told; `undefined` where it holds none. */
async function toldMedia(reader: OriginalReader, handle: Handle): Promise<ToldMedia | undefined> {
  if (!isOfMessages(handle) || reader.bytes > MOST_BYTES) return undefined;
  const content = new TextDecoder().decode(await readPiece(reader, 0, reader.bytes));
  try {
    return tellFiles(content, handle);
  } catch {
    // A program may have put anything under such a name.
    return undefined;
  }
}

function tellFiles(content: string, handle: Handle): ToldMedia | undefined {
  const files: FilePart[] = [];
  let isTold = false;
  const tell = (value: unknown): unknown => {
    if (isFile(value)) {
      isTold = true;
      files.push(value);
      return { type: "file", told: fileSentence(value, handle, files.length) };
    }
    if (typeof value === "string" && BASE64.test(value)) {
      isTold = true;
      return `[${value.length} characters of base64]`;
    }
    if (Array.isArray(value)) return value.map(tell);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, tell(each)]));
  };
  const lines = content.split("\n").map((line) => {
    if (line === "") return "";
    const value = tell(JSON.parse(line));
    return handle.startsWith("parts_") ? piecesText(value) : toJson(value);
  });
  return isTold ? { text: lines.join("\n"), files } : undefined;
}

function piecesText(pieces: unknown): string {
  if (!Array.isArray(pieces)) return toJson(pieces);
  return pieces
    .map((piece: { readonly text?: unknown; readonly told?: unknown } | null) => {
      const said = piece?.told ?? piece?.text;
      return typeof said === "string" ? said : toJson(piece);
    })
    .join("\n");
}

function isFile(value: unknown): value is FilePart {
  if (typeof value !== "object" || value === null) return false;
  const { type, mediaType } = value as Partial<FilePart>;
  return type === "file" && typeof mediaType === "string";
}

/** The name of a file, and the way in which a person gets it. */
function fileSentence(file: FilePart, handle: Handle, number: number): string {
  const way =
    fileData(file) === undefined
      ? `it is at ${String(file.url)}`
      : `its bytes are no text; \`longhaul recall ${handle} --media ${number} > FILE\` writes them to a file`;
  return `[${mediaName(file)}: ${way}]`;
}

/** Images that all providers take, … */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;
/** … up to 5 MB each in base64, and not so many that they fill a window. */
const MOST_IMAGE_UNITS = 5_000_000;
const MOST_IMAGES = 8;

/** An image as a tool result can carry it. */
export interface RecalledImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** The images that a recall of an output or a part gives beside its text. */
export async function recalledImages(
  archive: Archive,
  handle: string,
): Promise<readonly RecalledImage[]> {
  if (!handle.startsWith("parts_")) return [];
  const images = (await filesOf(archive, handle)).flatMap((file): RecalledImage[] => {
    const data = fileData(file) ?? "";
    const isGood = IMAGE.test(file.mediaType) && data !== "" && data.length <= MOST_IMAGE_UNITS;
    return isGood ? [{ mediaType: file.mediaType, data }] : [];
  });
  return images.slice(0, MOST_IMAGES);
}
