/**
 * The name a context uses for an original that left it: `<kind>_<16 hex digits>`. The digits are
 * the first 64 bits of the SHA-256 of the original's bytes, so the same bytes always have the same
 * handle; an archive compares whole contents and refuses a second original under a taken handle.
 * Only the digits of a `run` are random: it is too large to be hashed while the agent waits.
 */
export type Handle = `${OriginalKind}_${string}`;

/**
 * Kinds of originals.
 * - `out`: the text of a tool's output, byte for byte.
 * - `parts`: a tool output that is more than plain text (media, structured pieces), as JSON.
 * - `in`: the arguments of a tool call, as JSON (free text as it is).
 * - `msg`: the text of one message, byte for byte.
 * - `head`: compacted messages, one JSON message a line.
 * - `run`: a large output that was written straight into the archive's file.
 */
export type OriginalKind = "out" | "parts" | "in" | "msg" | "head" | "run";

/** Lower-case hexadecimal SHA-256 of the UTF-8 bytes of a text. Injected: the core has no crypto. */
export type Digest = (text: string) => string;

/** A part of a text, or the UTF-8 of one; it ends with a code point. */
export type Piece = string | Uint8Array;

/** The digest of a text that comes in pieces; a copy goes on from what was added so far. */
export interface RunningDigest {
  readonly add: (piece: Piece) => void;
  readonly copy: () => RunningDigest;
  /** Of all that was added; nothing can be added afterwards. */
  readonly hex: () => string;
}

const HANDLE = /^(out|parts|in|msg|head|run)_[0-9a-f]{16}$/;
const DIGITS = 16;

export function handleFor(kind: OriginalKind, content: string, digest: Digest): Handle {
  return `${kind}_${digest(content).slice(0, DIGITS)}`;
}

/** True of a well-formed handle; nothing else may ever become part of a path. */
export function isHandle(text: string): text is Handle {
  return HANDLE.test(text);
}

/** A handle in a sentence: what to do with it where the agent has the tool `recall`, or where it leads. */
export function namedOriginal(handle: string, recall = true): string {
  return `${recall ? "recall" : "archived as"} ${handle}`;
}

/** A handle as the attribute of an element that stands for an original. */
export function originalAttribute(
  handle: string | undefined,
  recall = true,
): Readonly<Record<string, string | undefined>> {
  return { [recall ? "recall" : "archived"]: handle };
}

export function handleKind(handle: Handle): OriginalKind {
  return handle.slice(0, handle.indexOf("_")) as OriginalKind;
}
