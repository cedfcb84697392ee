import { ContextError } from "../core/error.ts";
import type { Archive } from "./archive.ts";
import { memoryArchive } from "./memory.ts";

/** The archive of a context that was given none, where there is no disk: it lives as long as the context. */
export function ownArchive(): Archive {
  return memoryArchive();
}

/** An address needs Node. */
export function archiveAt(): Archive {
  throw new ContextError("invalid-options", "The address of an archive needs Node.");
}
