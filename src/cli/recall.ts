import type { Command } from "commander";
import pc from "picocolors";
import { everyConversation, everyIn, placeOf } from "../archive/every-conversation.ts";
import { archiveFolder } from "../archive/home.ts";
import { isFolder, openArchive } from "../archive/open.ts";
import { recallBytes, recallRange, type Range } from "../archive/recall.ts";
import { searchArchive } from "../archive/search.ts";
import { searchLines, type SearchResult, type SearchStop } from "../archive/search-result.ts";
import { filesOf, toldArchive } from "../archive/recalled-media.ts";
import { wrongUse } from "../core/error.ts";
import { fileData, type FilePart } from "../core/message/index.ts";
import { handleKind, isHandle, type OriginalKind } from "../core/message/handle.ts";
import { unbroken } from "./columns.ts";
import { bytes, localTime, plural } from "../core/text/figures.ts";
import { type CommonOptions, type Io, printJson, printLines, printPieces, talk } from "./io.ts";
import { numberOption, rangeOption, wholeOption } from "./options.ts";
import type { Archive, Sought } from "../archive/archive.ts";

interface RecallCommandOptions extends CommonOptions {
  readonly lines?: Range;
  readonly bytes?: Range;
  /** The bytes of which of its images and files, from 1. */
  readonly media?: number;
  /** A text to look for in everything, in place of a handle. */
  readonly search?: string;
  readonly regex?: boolean;
  readonly context?: number;
  readonly limit?: number;
  readonly archive?: string;
}

/** `longhaul recall HANDLE` and `longhaul recall --search TEXT`. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "Prints the original that a handle names, byte for byte: a truncated or pruned output, a clipped piece, or the head of a compacted conversation. Or searches everything that was archived, newest first.",
    )
    .argument("[handle]", "as a context names it, e.g. out_0123456789abcdef")
    .option("--lines <range>", "only these lines, e.g. 120-180 or 120-", rangeOption)
    .option("--bytes <range>", "only these bytes, the first is 0, e.g. 0-20000", rangeOption)
    .option(
      "--media <number>",
      "the bytes of an image or file that the original holds; the first is 1",
      numberOption,
    )
    .option("--search <text>", "look for a text in every line")
    .option("--regex", "the text is a regular expression (RE2)")
    .option("--context <lines>", "lines around a hit (default: 0)", wholeOption)
    .option("--limit <hits>", "the most hits (default: 50)", numberOption)
    .option("--archive <place>", "where to look: a folder, postgres://… or s3://…")
    .action((handle: string | undefined, options) => recallCommand(io, handle, options));
}

/** Prints or searches, in all conversations. */
async function recallCommand(
  io: Io,
  handle: string | undefined,
  options: RecallCommandOptions,
): Promise<void> {
  checkTogether(handle, options);
  const { archive: place = archiveFolder(io.env) } = options;
  const store = isFolder(place) ? undefined : await openArchive(place);
  const { search: pattern, regex = false } = options;
  const holding = pattern === undefined ? undefined : { pattern, isRegex: regex };
  const archive = store === undefined ? everyConversation(place) : everyIn(store, "", holding);
  try {
    if (handle === undefined)
      await search(io, archive, { ...options, isNarrowed: await narrows(store, holding) });
    else await print(io, archive, { ...options, handle });
  } finally {
    await store?.close();
  }
}

/** Options that would be left aside without a word. */
function checkTogether(handle: string | undefined, options: RecallCommandOptions): void {
  const { search: text, lines, bytes: part, media, json } = options;
  const { regex, context, limit } = options;
  if ((handle === undefined) === (text === undefined)) {
    throw wrongUse("Give a handle to print, or --search TEXT to look for a text in everything.");
  }
  if (text !== undefined && (lines !== undefined || part !== undefined)) {
    throw wrongUse("--lines and --bytes are for a handle, not for --search.");
  }
  if (media !== undefined && (text ?? lines ?? part ?? json) !== undefined) {
    throw wrongUse("--media is for a handle alone.");
  }
  if (text === undefined && (regex !== undefined || context !== undefined || limit !== undefined)) {
    throw wrongUse("--regex, --context and --limit are for --search TEXT, not for a handle.");
  }
}

async function print(
  io: Io,
  archive: Archive,
  options: RecallCommandOptions & { readonly handle: string },
): Promise<void> {
  const { handle, json, lines, bytes: part, media, archive: place } = options;
  if (media !== undefined) return printMedia(io, archive, { handle, media });
  const range = { lines, bytes: part };
  const isPart = lines !== undefined || part !== undefined;
  if (json === true && isPart) {
    const { text, ...rest } = await recallRange(archive, handle, range);
    return printJson(io, { version: 1, ...rest, content: text });
  }
  if (json === true)
    return printJson(io, { version: 1, handle, content: await archive.get(handle) });
  // As bytes: not every original is text. A person gets a sentence for what is none.
  const isShown = io.stdout.isTTY === true;
  const shownArchive = isShown ? toldArchive(archive) : archive;
  if (isShown) {
    const folder = place ?? archiveFolder(io.env);
    if (isFolder(folder)) await tellOrigin(io, folder, handle);
    const { printMessages } = await import("./message-view.ts");
    if (!isPart && (await printMessages(io, archive, handle))) return;
  }
  await printPieces(io, recallBytes(shownArchive, handle, range));
}

const KINDS: Readonly<Record<OriginalKind, string>> = {
  out: "the output of a tool",
  parts: "an output that is more than text",
  in: "the input of a tool call",
  msg: "the text of a message",
  head: "messages that left the window together",
  run: "the output of a command",
};

/** Tells a person what an original is and where it comes from; it stands beside the original itself. */
async function tellOrigin(io: Io, folder: string, handle: string): Promise<void> {
  const place = isHandle(handle) ? await placeOf(folder, handle) : undefined;
  if (place === undefined || !isHandle(handle)) return;
  const facts = [KINDS[handleKind(handle)], bytes(place.bytes), localTime(place.storedAt)];
  talk(io, pc.bold(`${handle}: ${facts.join(", ")}`));
  talk(io, pc.dim(`from ${place.conversation}, ${unbroken(place.path)}`));
}

/** One image or file of an original, for a file or another program. */
async function printMedia(
  io: Io,
  archive: Archive,
  { handle, media }: { readonly handle: string; readonly media: number },
): Promise<void> {
  const files = await filesOf(archive, handle);
  const data = files[media - 1] && fileData(files[media - 1] as FilePart);
  if (data === undefined) {
    const held = files.length === 0 ? "no image or file" : plural(files.length, "file");
    throw wrongUse(`${handle} holds ${held}; there are no bytes of number ${media}.`);
  }
  if (io.stdout.isTTY === true) {
    throw wrongUse("These bytes are not for a terminal: write them to a file with > FILE.");
  }
  io.stdout.write(Buffer.from(data, "base64"));
}

/** A person can stop a search by hand. */
const UNHURRIED = { maxBytes: 10_000_000, timeoutMs: 24 * 60 * 60 * 1000 } as const;

interface SearchCommandOptions extends RecallCommandOptions {
  /** Whether the store named those conversations alone that may hold the text. */
  readonly isNarrowed: boolean;
}

async function search(io: Io, archive: Archive, options: SearchCommandOptions): Promise<void> {
  const { search: pattern = "", regex, context, limit } = options;
  const result = await searchArchive(archive, pattern, {
    ...UNHURRIED,
    regex: regex === true,
    context,
    limit,
  });
  if (options.json === true) return printJson(io, { version: 1, ...result });
  const hits = result.hits.map((hit) => ({
    ...hit,
    ...(hit.path !== undefined && { path: unbroken(hit.path) }),
  }));
  if (hits.length > 0) printLines(io, searchLines({ ...result, hits }).slice(0, -1));
  talk(
    io,
    `${outcome(result)}${options.isNarrowed ? ", of the conversations that may hold it" : ""}`,
  );
}

/** Whether a store names those conversations alone that may hold a text; a bucket cannot tell. */
async function narrows(store?: Archive, sought?: Sought): Promise<boolean> {
  if (store?.name !== "postgres" || sought === undefined) return false;
  const { literalIn } = await import("../archive/postgres/search.ts");
  return !sought.isRegex || literalIn(sought.pattern) !== "";
}

const MORE: Readonly<Record<SearchStop, string>> = {
  limit: "; there may be more, see --limit",
  size: "; there may be more than is shown",
  time: "; the time was up",
  aborted: "; stopped",
};

function outcome({ hits, searched, total, stopped, unread }: SearchResult): string {
  const left = unread === undefined ? "" : `; ${plural(unread, "original")} could not be read`;
  const more = stopped === undefined ? "" : MORE[stopped];
  return `${plural(hits.length, "hit")} in ${searched.originals} of ${plural(total.originals, "original")} (${bytes(searched.bytes)})${more}${left}`;
}
