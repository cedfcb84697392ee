import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type Digest, isHandle } from "../core/message/index.ts";
import { attempt } from "./archive-error.ts";
import type { Archive } from "./archive.ts";
import { concurrencyLimit } from "./files/concurrency-limit.ts";
import { type ConversationFolder, openConversation, type Use } from "./files/conversation.ts";
import { fileStats } from "./files/durable-file.ts";
import { journalFile } from "./files/journal-file.ts";
import { pathOf } from "./files/layout.ts";
import { entriesOfFiles, originalFiles } from "./files/list-files.ts";
import { adoptFile, getFile, noteUse, putFile, readFileOf } from "./files/original-file.ts";
import { openSpill } from "./files/spill-file.ts";
import { createTurns } from "./files/turns.ts";
import { checkedHandle, handleOfOriginal } from "./original.ts";
import type { RetentionOptions } from "./retention/collect-garbage.ts";
import { collectWhenDue } from "./retention/collect-when-due.ts";
import { createMark } from "./retention/live.ts";

export { collectGarbage } from "./retention/collect-garbage.ts";
export type {
  GarbageOptions,
  GarbageReport,
  RetentionOptions,
} from "./retention/collect-garbage.ts";

/** So many files may be open at once; more would not be faster and could use up the descriptors. */
const MOST_OPEN = 16;

export interface DirectoryArchiveOptions {
  /**
   * The conversation that the originals belong to, e.g. the id of a session. What one conversation
   * archived is found only through it. Without it: the default conversation.
   */
  readonly conversation?: string;
  /**
   * What is removed, and when: after the first original is stored, at most once an hour, while the
   * caller goes on. `false`: nothing is removed by itself.
   * @default 7 days, 2 GB
   */
  readonly retention?: RetentionOptions | false;
  /**
   * Only to look at a conversation: reading is no use of it, so that it does not become live.
   * @default false
   */
  readonly observe?: boolean;
}

/**
 * An archive of plain files below `folder` (made when the first original comes), which `grep` and an
 * agent's own read tool can open. Files are written beside and linked into place, synced, and
 * readable by their owner only. Any number of processes may use one folder. `put` rejects with
 * `invalid-message` for text with half a surrogate pair, which no file can hold; `get` rejects with
 * `archive-failed` when a file was changed since, and with `limit-exceeded` for an original that is
 * too large for one string.
 */
export function directoryArchive(folder: string, options: DirectoryArchiveOptions = {}): Archive {
  const conversation = openConversation(resolve(folder), options.conversation);
  const root = conversation.path;
  const isUse = options.observe !== true;
  const limited = concurrencyLimit(MOST_OPEN);
  const turn = createTurns();
  const collect = collectWhenDue(resolve(folder), options.retention);
  const check = (): Promise<void> => attempt("use", root, async () => conversation.check());
  const begin = beginUse(conversation, check, options);
  return {
    name: "directory",
    put: async (kind, content) => {
      const handle = handleOfOriginal(kind, content, sha256);
      await begin("write");
      // Also when nothing can be stored, because the disk is full: then there is most to do.
      collect();
      return limited(() => putFile(pathOf(root, handle), handle, Buffer.from(content, "utf8")));
    },
    get: async (text) => {
      const handle = checkedHandle(text);
      await begin("read");
      const path = pathOf(root, handle);
      const content = await limited(() => getFile(path, handle));
      if (isUse) await noteUse(path);
      return content;
    },
    has: async (handle) => {
      if (!isHandle(handle)) return false;
      await check();
      const path = pathOf(root, handle);
      return (await attempt("look for", path, async () => fileStats(path))) !== undefined;
    },
    list: async () => {
      await check();
      return attempt("list", root, async () => entriesOfFiles(await originalFiles(root)));
    },
    read: async (text, { look = false } = {}) => {
      const handle = checkedHandle(text);
      await begin("read");
      await turn();
      const path = pathOf(root, handle);
      const reader = await readFileOf(path, handle);
      if (isUse && !look) await noteUse(path);
      return reader;
    },
    conversation: (id) => directoryArchive(folder, { ...options, conversation: id }),
    journal: journalFile(root, begin),
    open: async () => {
      await begin("write");
      collect();
      return openSpill({
        root,
        make: () => conversation.make(),
        adopt: (handle, file, bytes) => adoptFile(pathOf(root, handle), handle, { file, bytes }),
      });
    },
  };
}

/** Before every use: this process has the conversation open. */
function beginUse(
  conversation: ConversationFolder,
  check: () => Promise<void>,
  { observe }: DirectoryArchiveOptions,
): (use: Use) => Promise<void> {
  const mark = createMark(conversation.path, () => conversation.make());
  return async (use) => {
    await check();
    if (use === "write" || observe !== true) await mark(use);
  };
}

const sha256: Digest = (text) => createHash("sha256").update(text, "utf8").digest("hex");
