/** Lines of a file, both ends included, counted as the tool counts them. */
export interface LineRange {
  readonly from: number;
  /** `Infinity` when the read has no end. */
  readonly to: number;
}

/**
 * One file that a tool call touches.
 * - `read`: (some of) its content came into the conversation.
 * - `write`: its whole content was set; it may not have been there before.
 * - `edit`: it was there and was changed.
 * - `delete`: it was removed; with `recursive` also everything below it, if it is a folder.
 */
export interface FileAccess {
  readonly path: string;
  readonly op: "read" | "write" | "edit" | "delete";
  /** For a partial read by a reading tool. A command's read is always taken as partial. */
  readonly range?: LineRange;
  readonly recursive?: boolean;
  /** In a command line: a statement before the last one, so it ran even if the last one failed. */
  readonly early?: boolean;
}

/**
 * The lines that a read without a range surely showed. Agents cut at 2,000 lines or 50,000 bytes,
 * whichever comes first, and 50,000 bytes hold about 1,000 lines of source code.
 */
const WHOLE_READ_LINES = 1_000;

/** True when a later read of the same file shows everything an earlier one showed. */
export function coversRead(later: FileAccess, earlier: FileAccess): boolean {
  if (later.range === undefined) {
    return earlier.range === undefined || earlier.range.to <= WHOLE_READ_LINES;
  }
  if (earlier.range === undefined) return false;
  return later.range.from <= earlier.range.from && later.range.to >= earlier.range.to;
}

const PATCH_HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;
const DIFF_HEADER = /^--- (\S[^\t\n]*?)(?:\t[^\n]*)?\r?\n\+\+\+ (\S[^\t\n]*?)(?:\t[^\n]*)?\r?$/gm;
const NO_FILE = "/dev/null";

/**
 * The files a patch touches, from its headers: the `*** Update File:` form of `apply_patch`, or a
 * unified diff. Lines of content never count, for they begin with a space, `+` or `-`.
 */
export function patchFiles(patch: string): FileAccess[] {
  const files = patch.includes("*** ") ? headerFiles(patch) : [];
  return files.length > 0 ? files : diffFiles(patch);
}

/** Headers of more files say less than their number. */
const MOST_HEADERS = 12;

/** The lines of a patch that name its files, as {@link patchFiles} reads them; none of any other text. */
export function patchHeaders(text: string): readonly string[] {
  const form = text.includes("*** ") ? PATCH_HEADER : DIFF_HEADER;
  const headers = Array.from(text.matchAll(form), ([header]) => header.trimEnd());
  return headers.length > MOST_HEADERS
    ? [...headers.slice(0, MOST_HEADERS), `… and ${headers.length - MOST_HEADERS} more files`]
    : headers;
}

function headerFiles(patch: string): FileAccess[] {
  const files: FileAccess[] = [];
  for (const [, action = "", path = ""] of patch.matchAll(PATCH_HEADER)) {
    const last = files.at(-1);
    if (action === "Add File") files.push({ path, op: "write" });
    else if (action === "Delete File") files.push({ path, op: "delete" });
    else if (action === "Update File") files.push({ path, op: "edit" });
    else if (last !== undefined) {
      files[files.length - 1] = { path: last.path, op: "delete" };
      files.push({ path, op: "write" });
    }
  }
  return files;
}

function diffFiles(patch: string): FileAccess[] {
  const files: FileAccess[] = [];
  for (const [, before = "", after = ""] of patch.matchAll(DIFF_HEADER)) {
    if (after === NO_FILE) files.push({ path: withoutSide(before), op: "delete" });
    else files.push({ path: withoutSide(after), op: before === NO_FILE ? "write" : "edit" });
  }
  return files;
}

/** `git diff` puts `a/` and `b/` before the paths. */
function withoutSide(path: string): string {
  return path.replace(/^[ab]\//, "");
}
