import os from "node:os";
import path from "node:path";
import type { Io } from "../io.ts";
import {
  filesBelow,
  type FolderQuery,
  type FoundFile,
  type FoundSession,
  type SessionSearch,
} from "./session-search.ts";
import { findOpencodeSessions } from "./opencode-sessions.ts";

export interface FoundSessions {
  /** Newest first. */
  readonly sessions: readonly FoundSession[];
  /** The folders and databases that were looked into. */
  readonly places: readonly string[];
  /** Entries that could not be read. */
  readonly skipped: number;
  readonly hints: readonly string[];
}

/** Where an agent keeps its sessions, one a file. */
interface SessionFolder extends FolderQuery {
  readonly agent: string;
  readonly folder: string;
  /** What a person knows the session by, from its path below the folder. */
  readonly title: (names: readonly string[]) => string;
}

/**
 * The sessions of Claude Code, Codex, pi, Gemini CLI and opencode on this computer, by where these
 * agents keep them; `HOME` and the agents' own variables come from `io.env`. Nothing but the names
 * is read. Never throws: what may not be read is counted.
 */
export async function findSessions(io: Io): Promise<FoundSessions> {
  const searches = await Promise.all([
    ...sessionFolders(io).map(searchFolder),
    findOpencodeSessions(io, homeOf(io)),
  ]);
  const sessions = searches.flatMap((search) => search.sessions);
  return {
    sessions: sessions.sort((a, b) => b.modifiedAt - a.modifiedAt),
    places: searches.map((search) => search.place),
    skipped: searches.reduce((total, search) => total + search.skipped, 0),
    hints: searches.flatMap((search) => search.hint ?? []),
  };
}

/** The person's home folder. */
export function homeOf({ env }: Io): string {
  return env["HOME"] || env["USERPROFILE"] || os.homedir();
}

function sessionFolders(io: Io): SessionFolder[] {
  const home = homeOf(io);
  return [
    {
      agent: "claude-code",
      folder: path.join(io.env["CLAUDE_CONFIG_DIR"] || path.join(home, ".claude"), "projects"),
      depth: 1,
      accepts: (name) => /^[^/]+\/(?!agent-)[^/]+\.jsonl$/.test(name),
      title: ([project = ""]) => projectName(project, home),
    },
    {
      agent: "codex",
      folder: path.join(io.env["CODEX_HOME"] || path.join(home, ".codex"), "sessions"),
      depth: 4,
      accepts: (name) => /(?:^|\/)rollout-[^/]+\.jsonl$/.test(name),
      title: (names) => fileTitle(names),
    },
    {
      agent: "pi",
      folder: path.join(home, ".pi", "agent", "sessions"),
      depth: 3,
      accepts: (name) => name.endsWith(".jsonl"),
      title: ([project = "", ...rest]) =>
        rest.length === 0
          ? fileTitle([project])
          : projectName(project.replace(/^-(.*)--$/, "$1"), home),
    },
    {
      agent: "gemini-cli",
      folder: path.join(home, ".gemini", "tmp"),
      depth: 2,
      accepts: (name) => /^[^/]+\/chats\/session-[^/]+\.jsonl?$/.test(name),
      title: (names) => fileTitle(names),
    },
  ];
}

async function searchFolder(place: SessionFolder): Promise<SessionSearch> {
  const { files, skipped } = await filesBelow(place.folder, place);
  return {
    place: place.folder,
    sessions: files.map((file) => sessionOf(file, place)),
    skipped,
  };
}

function sessionOf({ path: file, info }: FoundFile, place: SessionFolder): FoundSession {
  return {
    agent: place.agent,
    title: place.title(path.relative(place.folder, file).split(path.sep)),
    path: file,
    bytes: info.size,
    modifiedAt: info.mtimeMs,
    name: path.basename(file),
    load: () => Promise.resolve(file),
  };
}

/** Agents write `-` for each separator of a project's path; what names the home folder says nothing. */
function projectName(folder: string, home: string): string {
  const prefix = `${home.replace(/[^A-Za-z0-9]/g, "-")}-`;
  return (folder.startsWith(prefix) ? folder.slice(prefix.length) : folder).replace(/^-+|-+$/g, "");
}

function fileTitle(names: readonly string[]): string {
  return (names.at(-1) ?? "").replace(/\.jsonl?$/, "");
}
