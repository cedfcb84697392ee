import { ContextError, isContextError } from "../core/error.ts";
import type { Handle } from "../core/message/index.ts";

/** A model may send anything as a handle; an error names only the start of it. */
const NAMED_LENGTH = 80;

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space, or put the archive on another disk.",
  EDQUOT: "The disk quota is used up: free some space, or put the archive on another disk.",
  EACCES: "Access was denied: check who owns the folder and what its permissions are.",
  EPERM: "Access was denied: check who owns the folder and what its permissions are.",
  EROFS: "The file system is read-only: put the archive into a folder that can be written.",
  ENOTDIR: "A file stands where a folder is needed: remove it, or name another folder.",
  EEXIST: "Something that is no plain file stands there: remove it.",
  ENOENT:
    "It was removed while it was used, or cannot be made there: check the path, and store it once more.",
  ELOOP: "A symbolic link stands there, which an archive never follows: remove it.",
  EMFILE: "The process has too many open files: raise the limit, or close some.",
  ENFILE: "The system has too many open files: close some.",
  EIO: "The disk reported an error: check it before storing anything else.",
};

/** `archive-failed` for an error of the file system, with what to do about it. */
export function archiveFailure(action: string, path: string, cause: unknown): ContextError {
  const code = errorCode(cause) ?? "unknown";
  const advice = ADVICE[code] ?? "See the cause for what the system reported.";
  return new ContextError(
    "archive-failed",
    `The archive could not ${action} ${path} (${code}). ${advice}`,
    { details: { path, code }, cause },
  );
}

/** `archive-failed` for a file whose content is not what its handle says. */
export function alteredOriginal(handle: Handle, path: string): ContextError {
  return new ContextError(
    "archive-failed",
    `The file ${path} does not hold the original of ${handle}: it was changed, or two originals share the handle. Move it away, so that the original can be stored again.`,
    { details: { handle, path } },
  );
}

/** `archive-failed` for a second original under a taken handle. */
export function takenHandle(handle: Handle): ContextError {
  return new ContextError(
    "archive-failed",
    `The handle ${handle} already stands for another original, which stays. Keep this one in the context instead of archiving it.`,
    { details: { handle } },
  );
}

/** `unknown-handle`; the message is made for a model, so that it does not ask again. */
export function malformedHandle(handle: unknown): ContextError {
  const start = String(handle).slice(0, NAMED_LENGTH);
  const named = JSON.stringify(start);
  return new ContextError(
    "unknown-handle",
    `${named} is not a handle. A handle looks like out_0123456789abcdef: use one exactly as the context names it, and do not guess.`,
    { details: { handle: start } },
  );
}

/** `unknown-handle` for a handle that this archive has nothing under. */
export function missingOriginal(handle: Handle): ContextError {
  return new ContextError(
    "unknown-handle",
    `The archive has nothing under ${handle}: it was removed, or never stored here. Asking again will not find it; go on without it, or produce it again.`,
    { details: { handle } },
  );
}

/** The code of a system error, e.g. `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** An error as the system would report it, for what it would let pass. */
export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** Turns what the system reports into an error that says what to do. */
export async function attempt<T>(action: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isContextError(error)) throw error;
    if (TOO_LARGE.has(errorCode(error) ?? "")) throw tooLarge(path, error);
    throw archiveFailure(action, path, error);
  }
}

const TOO_LARGE: ReadonlySet<string> = new Set(["ERR_STRING_TOO_LONG", "ERR_FS_FILE_TOO_LARGE"]);

/** `limit-exceeded` for an original that no string can hold. */
export function tooLarge(path: string, cause?: unknown): ContextError {
  return new ContextError(
    "limit-exceeded",
    `The original in ${path} is too large to be read as one text. Read a part of the file itself.`,
    { details: { path }, cause },
  );
}
