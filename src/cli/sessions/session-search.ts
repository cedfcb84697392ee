import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import type { TranscriptInput } from "../../transcripts/index.ts";

/** A session of some agent on this computer. */
export interface FoundSession {
  /** Name of its format, e.g. `claude-code`. */
  readonly agent: string;
  /** Its title, else its project, else its file name. */
  readonly title: string;
  /** Its file; `undefined` where the agent keeps a session in several files or in a database. */
  readonly path: string | undefined;
  /** Size as it is stored; `undefined` where only reading all of it would tell. */
  readonly bytes: number | undefined;
  /** ms since the epoch. */
  readonly modifiedAt: number;
  /** A file name to call results after. */
  readonly name: string;
  /** What `readTranscript` takes. */
  load(): Promise<TranscriptInput>;
}

/** What was found at one agent's place. */
export interface SessionSearch {
  /** The folder or database that was looked into. */
  readonly place: string;
  readonly sessions: readonly FoundSession[];
  /** Entries that could not be read. */
  readonly skipped: number;
  /** What a person can do about sessions that are there and cannot be read from here. */
  readonly hint?: string;
}

/** A file below a folder, and what the file system says about it. */
export interface FoundFile {
  readonly path: string;
  readonly info: Stats;
}

/** What a folder holds; entries that may not be read are only counted. */
export interface FolderFiles {
  readonly files: readonly FoundFile[];
  readonly skipped: number;
}

export interface FolderQuery {
  /** How many levels of folders below this one are looked into. */
  readonly depth: number;
  /** Whether a file counts, by its path below the folder, with `/` between the names. */
  readonly accepts: (relative: string) => boolean;
}

/**
 * The files below a folder. Symbolic links in it are not followed: what they lead to is outside.
 * A folder that is not there holds nothing.
 */
export async function filesBelow(folder: string, query: FolderQuery): Promise<FolderFiles> {
  const files: FoundFile[] = [];
  let skipped = 0;
  const visit = async (relative: string, depth: number): Promise<void> => {
    const entries = await readdir(path.join(folder, relative), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT" && error.code !== "ENOTDIR") skipped += 1;
        return [];
      },
    );
    for (const entry of entries) {
      const name = relative === "" ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory() && depth > 0) await visit(name, depth - 1);
      if (!entry.isFile() || !query.accepts(name)) continue;
      const file = path.join(folder, name);
      const info = await lstat(file).catch(() => undefined);
      if (info === undefined) skipped += 1;
      else if (info.size > 0) files.push({ path: file, info });
    }
  };
  await visit("", query.depth);
  return { files, skipped };
}
