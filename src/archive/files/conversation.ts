import { isWellFormed } from "../../core/text/index.ts";
import { createHash } from "node:crypto";
import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkFolder, makeFolder } from "./durable-file.ts";

/*
 * `<folder>/conversations/<name>/` holds the originals of one conversation, laid out like the
 * archive itself: what is not below it cannot be reached through it. Without a conversation, the
 * originals are in `<folder>` itself: that is the default conversation.
 */

/** Where the conversations are in an archive's folder. */
export const CONVERSATIONS = "conversations";

/** Names that can be told apart on every file system, whatever it thinks of upper case. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Windows keeps these for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** The folder of a conversation; any text can be its id, and no two ids share a folder. */
export function conversationFolder(root: string, id: string | undefined): string {
  return id === undefined ? root : join(root, CONVERSATIONS, conversationName(id));
}

/** The id itself where it can be a file's name, else what is readable of it and its digest. */
function conversationName(id: string): string {
  if (PLAIN.test(id) && !DEVICE.test(id)) return id;
  const readable = id
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 32);
  // Half a surrogate pair has no bytes in UTF-8 and would be the same as any other.
  const bytes = isWellFormed(id) ? id : JSON.stringify(id);
  const digits = createHash("sha256").update(bytes, "utf8").digest("hex").slice(0, 16);
  return `${readable}~${digits}`;
}

/** How a conversation is used; only a write makes its folder. */
export type Use = "read" | "write";

/** The folder of one conversation, which nothing outside the archive can stand for. */
export interface ConversationFolder {
  readonly path: string;
  /** Throws a system error if a symbolic link or a file stands in its place. */
  check(): void;
  /** Makes it if it is not there. */
  make(): Promise<void>;
}

/**
 * The archive's own folder may be a symbolic link, e.g. to another disk: whoever chose it may choose
 * that. What is below it may not.
 */
export function openConversation(root: string, id: string | undefined): ConversationFolder {
  const path = conversationFolder(root, id);
  const below = id === undefined ? [] : [dirname(path), path];
  return {
    path,
    check() {
      for (const folder of below) {
        const stats = lstatSync(folder, { throwIfNoEntry: false });
        if (stats === undefined) return;
        checkFolder(folder, stats);
      }
    },
    async make() {
      if (!isFolder(root)) await makeFolder(root);
      for (const folder of below) await makeFolder(folder);
    },
  };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
