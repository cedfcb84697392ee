import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../archive-error.ts";
import type { ArchiveJournal } from "../archive.ts";
import type { Use } from "./conversation.ts";
import { fileStats, readPlainFile, syncFolder } from "./durable-file.ts";

/** The file in a conversation's folder that holds its journal, one JSON value a line. */
export const JOURNAL_FILE = "journal.jsonl";

const NEWLINE = 10;
const FILE_MODE = 0o600;
// Windows has no such flag and no such links either.
const APPEND =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * The journal in a conversation's folder. A process that is killed while it appends leaves at most
 * one torn line, which nobody reads, and which the next entry does not join.
 * @param begin Called before every use.
 */
export function journalFile(root: string, begin: (use: Use) => Promise<void>): ArchiveJournal {
  const path = join(root, JOURNAL_FILE);
  return {
    async read() {
      await begin("read");
      return attempt("read", path, async () =>
        entriesOf((await readPlainFile(path))?.toString("utf8") ?? ""),
      );
    },
    async append(entry) {
      await begin("write");
      await attempt("write", path, () => appendLine(path, root, JSON.stringify(entry)));
    },
  };
}

function entriesOf(text: string): readonly unknown[] {
  return text.split("\n").flatMap((line): unknown[] => {
    if (line === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

async function appendLine(path: string, root: string, line: string): Promise<void> {
  const isNew = fileStats(path) === undefined;
  const file = await open(path, APPEND, FILE_MODE);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last[0] !== NEWLINE;
    // In one request, whatever its length: `appendFile` makes several, and another process may be between.
    const bytes = Buffer.from(`${isTorn ? "\n" : ""}${line}\n`);
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    await file.datasync();
  } finally {
    await file.close();
  }
  if (isNew) await syncFolder(root);
}
