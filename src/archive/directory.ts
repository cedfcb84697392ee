import { resolve } from "node:path";
import type { Archive } from "./archive.ts";
import { conversationFolder } from "./conversation.ts";
import { folderArchive } from "./folder-archive.ts";
import { collectWhenDue, type RetentionOptions } from "./retention.ts";

export { collectGarbage } from "./retention.ts";
export type { GarbageOptions, GarbageReport, RetentionOptions, StoredAmount } from "./retention.ts";

export interface DirectoryArchiveOptions {
  /**
   * The conversation that the originals belong to, e.g. the id of a session. What one conversation
   * archived is found only through it.
   * @default "default"
   */
  readonly conversation?: string;
  /**
   * What is removed, and when: after something is stored, at most once an hour, while the caller goes
   * on. `false`: nothing is removed by itself.
   * @default conversations without a journal, after 7 days or when they have more than 2 GB together
   */
  readonly retention?: RetentionOptions | false;
  /**
   * Only to look at a conversation: reading is no use of it, so that it gets no younger.
   * @default false
   */
  readonly observe?: boolean;
}

/**
 * An archive of plain files in `folder` (made when the first original comes), a folder for each
 * conversation, which `grep` and an agent's own read tool can open. Files are written beside and
 * linked into place, synced, and readable by their owner only. Any number of processes may use one
 * folder. `put` rejects with `invalid-message` for text with half a surrogate pair, which no file can
 * hold; `get` rejects with `archive-failed` when a file was changed since, and with `limit-exceeded`
 * for an original that is too large for one string. `read` does not look for changes.
 */
export function directoryArchive(folder: string, options: DirectoryArchiveOptions = {}): Archive {
  const root = resolve(folder);
  return folderArchive({
    own: conversationFolder(root, options.conversation),
    isObserved: options.observe === true,
    collect: collectWhenDue(root, options.retention),
    conversation: (id) => directoryArchive(folder, { ...options, conversation: id }),
  });
}
