import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { sep } from "node:path";
import type { TranscriptInput } from "../../transcripts/index.ts";

/** A session of some agent on this computer. */
export interface FoundSession {
  /** Name of its format, e.g. `claude-code`. */
  readonly agent: string;
  /** The word that a person types for it: the beginning of this will do. */
  readonly id: string;
  /** Its title, else its project, else its file name. */
  readonly title: string;
  /** Its working folder, where that is known without reading it. */
  readonly cwd?: string | undefined;
  /** Its file; `undefined` where the agent keeps a session in several files or in a database. */
  readonly path: string | undefined;
  /** Size as it is stored; `undefined` where only reading all of it would tell. */
  readonly bytes: number | undefined;
  /** ms since the epoch. */
  readonly modifiedAt: number;
  /** A file name to call results after. */
  readonly name: string;
  /** Another one means that the session has changed. */
  readonly stamp: string;
  /** Gives what `readTranscript` takes. */
  load(): Promise<TranscriptInput>;
}

/** The work of a session's sub-agent, which some agents keep as a session of its own. */
export interface SubAgent extends FoundSession {
  /** Id of its session, where its place tells that. */
  readonly parent: string | undefined;
}

/** An output of a tool that the agent kept outside of the session. */
export interface OutputFile extends FoundFile {
  readonly agent: string;
  /** Id of its session, where its path tells that. */
  readonly session: string | undefined;
}

/** The sessions and files found at one agent's place. */
export interface SessionSearch {
  /** The folder or database that was looked into. */
  readonly place: string;
  readonly sessions: readonly FoundSession[];
  readonly subAgents: readonly SubAgent[];
  readonly outputs: readonly OutputFile[];
  /** Entries that could not be read. */
  readonly skipped: number;
  /** Advice about sessions that are there and cannot be read from here. */
  readonly hint?: string;
}

/** A file below a folder. */
export interface FoundFile {
  readonly path: string;
  /** Its path below the folder, with `/` between the names. */
  readonly relative: string;
  readonly size: number;
  /** ms since the epoch. */
  readonly mtimeMs: number;
}

/** The content of a folder; entries that may not be read are only counted. */
export interface FolderFiles {
  readonly files: readonly FoundFile[];
  readonly skipped: number;
}

export interface FolderQuery {
  /** The levels of folders below this one that are looked into. */
  readonly depth: number;
  /** Whether a file counts, by its path below the folder. */
  readonly accepts: (relative: string) => boolean;
}

/**
 * The files below a folder. Symbolic links in it are not followed: what they lead to is outside.
 * A folder that is not there holds nothing. Of thousands of files the facts are there in a quarter of
 * the time when they are asked for on this thread.
 */
export function filesBelow(folder: string, query: FolderQuery): FolderFiles {
  const files: FoundFile[] = [];
  let skipped = 0;
  const entriesOf = (place: string): Dirent[] => {
    try {
      return readdirSync(place, { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") skipped += 1;
      return [];
    }
  };
  const visit = (place: string, above: string, depth: number): void => {
    for (const entry of entriesOf(place)) {
      const [file, relative] = [place + sep + entry.name, above + entry.name];
      if (entry.isDirectory() && depth > 0) visit(file, `${relative}/`, depth - 1);
      if (!entry.isFile() || !query.accepts(relative)) continue;
      try {
        const { size, mtimeMs } = lstatSync(file);
        if (size > 0) files.push({ path: file, relative, size, mtimeMs });
      } catch {
        skipped += 1;
      }
    }
  };
  visit(folder, "", query.depth);
  return { files, skipped };
}

/** Changes with every write to a file. */
export function stampOf({ mtimeMs, size }: Pick<FoundFile, "mtimeMs" | "size">): string {
  return `${mtimeMs}:${size}`;
}
