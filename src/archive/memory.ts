import { handleKind, isHandle, type Digest, type Handle } from "../core/message/handle.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import { joined } from "../core/text/json.ts";
import { textOf } from "../core/text/utf8.ts";
import { missingOriginal, takenHandle } from "./archive-error.ts";
import { type Archive, type ArchiveEntry, checkedHandle, handleOfOriginal } from "./archive.ts";
import { byteLength, sha256Hex } from "./digest.ts";

export interface MemoryArchiveOptions {
  /** SHA-256; plain JavaScript by default. */
  readonly digest?: Digest;
  /** The time in ms since the epoch; the system clock by default. */
  readonly now?: () => number;
}

const MEMORY_OPTIONS: OptionNames<MemoryArchiveOptions> = { digest: true, now: true };

interface Stored {
  readonly entry: ArchiveEntry;
  /** As it came; heads are large, and hardly any is read again. */
  readonly content: () => string;
}

/**
 * An archive that lives as long as its process: for tests, for short runs and for places without a
 * file system. `put` rejects with `invalid-message` for text with half a surrogate pair, as the
 * archives that store bytes must.
 * @example
 * import { memoryArchive } from "longhaul";
 *
 * const archive = memoryArchive();
 * const { handle } = await archive.put("out", "42 tests passed");
 * console.log(await archive.get(handle)); // 42 tests passed
 */
export function memoryArchive(options: MemoryArchiveOptions = {}): Archive {
  checkNames(options, MEMORY_OPTIONS);
  const { digest = sha256Hex, now = Date.now } = options;
  const originals = new Map<string, Stored>();
  const conversations = new Map<string, Archive>();
  const entries: string[] = [];
  const keep = (handle: Handle, bytes: number, content: () => string): ArchiveEntry => {
    const known = originals.get(handle);
    if (known !== undefined && known.content() !== content()) throw takenHandle(handle);
    if (known !== undefined) return known.entry;
    const entry = { handle, kind: handleKind(handle), bytes, storedAt: now() };
    originals.set(handle, { entry, content });
    return entry;
  };
  return {
    name: "memory",
    conversation(id) {
      const archive = conversations.get(id) ?? memoryArchive(options);
      conversations.set(id, archive);
      return archive;
    },
    journal: {
      read: async () => entries.map((entry): unknown => JSON.parse(entry)),
      append: async (entry) => void entries.push(JSON.stringify(entry)),
    },
    async put(kind, content, named = handleOfOriginal(kind, content, digest)) {
      return keep(checkedHandle(named), byteLength(content), () => content);
    },
    async putPieces(handle, pieces) {
      const bytes = pieces.reduce((sum, piece) => sum + byteLength(piece), 0);
      return keep(checkedHandle(handle), bytes, () => joined(pieces.map(textOf)));
    },
    async get(handle) {
      const known = originals.get(checkedHandle(handle));
      if (known === undefined) throw missingOriginal(checkedHandle(handle));
      return known.content();
    },
    async has(handle) {
      return isHandle(handle) && originals.has(handle);
    },
    async list() {
      return [...originals.values()].map(({ entry }) => entry);
    },
  };
}
