/** Every code a {@link ContextError} can carry; `docs/errors.md` has one entry per code. */
export type ContextErrorCode =
  /** An option has a value that makes no sense. */
  | "invalid-options"
  /** A message does not have the shape it must have. */
  | "invalid-message"
  /** The window cannot be reached: what may not be removed is larger than the budget. */
  | "irreducible"
  /** A handle is malformed, or the archive has nothing under it. */
  | "unknown-handle"
  /** The archive could not be written or read. */
  | "archive-failed"
  /** A file is missing, unreadable, empty or not what it should be. */
  | "unreadable-file"
  /** A file could not be written; what was there before is untouched. */
  | "unwritable-file"
  /** No transcript format fits the content. */
  | "unknown-format"
  /** An input is larger or deeper than the stated limit. */
  | "limit-exceeded"
  /** A model that was to write a summary could not be asked, or refused. */
  | "summarizer-failed"
  /** The provider manages the conversation itself, so that nothing is done here. */
  | "managed-elsewhere"
  /** Somebody else took messages out of a history that was edited here. */
  | "history-cut";

const BRAND = Symbol.for("longhaul.ContextError");

/** Facts that belong to an error, by code; plain JSON so that `--json` can print them. */
export type ContextErrorDetails = Readonly<Record<string, unknown>>;

/**
 * The one error class of this package. The message is a sentence that says what happened, with
 * which value, and what to do next; `code` is stable and `details` are plain JSON.
 * @example
 * import { ContextError, createContext } from "longhaul";
 *
 * const context = createContext();
 * const error: unknown = await context.recall("out_0123456789abcdef").catch((thrown) => thrown);
 * console.log(error instanceof ContextError && error.code); // unknown-handle
 */
export class ContextError extends Error {
  override readonly name = "ContextError";
  readonly code: ContextErrorCode;
  readonly details: ContextErrorDetails;

  constructor(
    code: ContextErrorCode,
    message: string,
    options: { details?: ContextErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** The error for what makes no sense as it was asked: code `invalid-options`. */
export function wrongUse(message: string, details?: ContextErrorDetails): ContextError {
  return new ContextError("invalid-options", message, { details });
}

/** A failure that did not stop the work; plain JSON. */
export interface Failure {
  /** That of the error, where it is a {@link ContextError}. */
  readonly code: string;
  readonly message: string;
}

/** Whether a value is a failure, and not the error that it is of. */
export function isFailure(value: unknown): value is Failure {
  if (typeof value !== "object" || value === null || value instanceof Error) return false;
  const { code, message } = value as Partial<Failure>;
  return typeof code === "string" && typeof message === "string";
}

/** The words of an error; of anything else, its text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * True for a {@link ContextError}, also one from another copy of this package.
 * @example
 * import { createContext, isContextError } from "longhaul";
 *
 * try {
 *   createContext({ window: 0 });
 * } catch (error) {
 *   console.log(isContextError(error) && error.code); // invalid-options
 * }
 */
export function isContextError(error: unknown): error is ContextError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/**
 * A failure of what was thrown. `code` is for errors that have none of ours; `what` says what failed,
 * where the error alone does not.
 */
export function failureOf(error: unknown, code: string, what?: string): Failure {
  const why = errorMessage(error);
  return {
    code: isContextError(error) ? error.code : code,
    message: what === undefined ? why : `${what}: ${why}`,
  };
}

/** Tells an observer, which must not be able to stop the work. */
export function harmless(tell: () => unknown): void {
  try {
    const told = tell();
    if (told instanceof Promise) told.catch(() => {});
  } catch {
    // Observers handle their own errors.
  }
}
