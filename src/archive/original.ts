import { isWellFormed } from "../core/text/index.ts";
import { ContextError } from "../core/error.ts";
import {
  type Digest,
  type Handle,
  handleFor,
  isHandle,
  type OriginalKind,
} from "../core/message/index.ts";
import { malformedHandle } from "./archive-error.ts";

const LONE_SURROGATE = /\p{Cs}/u;

/**
 * The handle of an original that can be stored. Throws `invalid-message` for text with half a
 * surrogate pair: UTF-8 has no bytes for it, so it could not come back as it was. JSON text never
 * has that problem, because JSON escapes it.
 */
export function handleOfOriginal(kind: OriginalKind, content: string, digest: Digest): Handle {
  if (!isWellFormed(content)) {
    const at = content.search(LONE_SURROGATE);
    throw new ContextError(
      "invalid-message",
      `The text to archive has half a surrogate pair at index ${at}, which UTF-8 cannot hold. Store it as JSON, or replace it first.`,
      { details: { kind, index: at } },
    );
  }
  return checkedHandle(handleFor(kind, content, digest));
}

/** A text as a handle; throws `unknown-handle` for anything else. */
export function checkedHandle(handle: string): Handle {
  if (!isHandle(handle)) throw malformedHandle(handle);
  return handle;
}
