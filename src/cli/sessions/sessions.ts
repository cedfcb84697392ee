import os from "node:os";
import path from "node:path";
import type { Io } from "../io.ts";
import { findOpencodeSessions } from "./opencode-sessions.ts";
import {
  filesBelow,
  type FolderQuery,
  type FoundFile,
  type FoundSession,
  type OutputFile,
  type SessionSearch,
  stampOf,
  type SubAgent,
} from "./session-search.ts";

export interface FoundSessions {
  /** Newest first. */
  readonly sessions: readonly FoundSession[];
  readonly subAgents: readonly SubAgent[];
  readonly outputs: readonly OutputFile[];
  /** The folders and databases that were looked into. */
  readonly places: readonly string[];
  /** Entries that could not be read. */
  readonly skipped: number;
  readonly hints: readonly string[];
}

/** The folder in which an agent keeps its sessions, one a file. */
interface SessionFolder extends FolderQuery {
  readonly agent: string;
  readonly folder: string;
  /** The name that a person knows the session by, from its path below the folder. */
  readonly title: (names: readonly string[]) => string;
  /** The session's own name, where that of its file is not. */
  readonly name?: (names: readonly string[]) => string;
  /** The kind of a file that is no session. */
  readonly companion?: (relative: string) => Companion | undefined;
}

interface Companion {
  readonly kind: "sub-agent" | "output";
  /** Id of the session that it belongs to. */
  readonly session: string | undefined;
}

/**
 * The sessions of Claude Code, Codex, pi, Gemini CLI, Qwen Code, Copilot CLI and opencode on this computer, by where these
 * agents keep them; `HOME` and the agents' own variables come from `io.env`. Nothing but the names
 * is read. Never throws: what may not be read is counted.
 */
export async function findSessions(io: Io): Promise<FoundSessions> {
  const searches = [
    ...sessionFolders(io).map(searchFolder),
    await findOpencodeSessions(io, homeOf(io)),
  ];
  const sessions = searches.flatMap((search) => search.sessions);
  return {
    sessions: sessions.sort((a, b) => b.modifiedAt - a.modifiedAt),
    subAgents: searches.flatMap((search) => search.subAgents),
    outputs: searches.flatMap((search) => search.outputs),
    places: searches.map((search) => search.place),
    skipped: searches.reduce((total, search) => total + search.skipped, 0),
    hints: searches.flatMap((search) => search.hint ?? []),
  };
}

/** The person's home folder. */
export function homeOf({ env }: Pick<Io, "env">): string {
  return env["HOME"] || env["USERPROFILE"] || os.homedir();
}

/** Plain, or packed by the agent or by the person. */
const LINES = "\\.jsonl(?:\\.gz|\\.zst)?$";

function sessionFolders(io: Io): SessionFolder[] {
  const home = homeOf(io);
  const projectName = projectNames(home);
  return [
    {
      agent: "claude-code",
      folder: path.join(io.env["CLAUDE_CONFIG_DIR"] || path.join(home, ".claude"), "projects"),
      depth: 3,
      accepts: matches(`^[^/]+/(?!agent-)[^/]+${LINES}`),
      title: ([project = ""]) => projectName(project),
      companion: claudeCompanion,
    },
    ...codexFolders(io, home),
    {
      agent: "pi",
      folder: path.join(
        io.env["PI_CODING_AGENT_DIR"] || path.join(home, ".pi", "agent"),
        "sessions",
      ),
      depth: 3,
      accepts: matches(LINES),
      title: ([project = "", ...rest]) =>
        rest.length === 0 ? fileTitle([project]) : projectName(project.replace(/^-(.*)--$/, "$1")),
    },
    {
      agent: "qwen-code",
      folder: path.join(io.env["QWEN_HOME"] || path.join(home, ".qwen"), "projects"),
      depth: 3,
      accepts: matches(`^[^/]+/chats/[^/]+${LINES}`),
      title: ([project = ""]) => projectName(project),
    },
    {
      agent: "copilot-cli",
      folder: path.join(io.env["COPILOT_HOME"] || path.join(home, ".copilot"), "session-state"),
      depth: 1,
      accepts: matches(`^(?:[^/]+/events|[^/]+)${LINES}`),
      title: ([name = ""]) => fileTitle([name]),
      name: ([folder = "", ...rest]) => (rest.length === 0 ? folder : `${folder}.jsonl`),
    },
    {
      agent: "gemini-cli",
      folder: path.join(home, ".gemini", "tmp"),
      depth: 3,
      accepts: (name) => /^[^/]+\/chats\/session-[^/]+\.jsonl?(?:\.gz|\.zst)?$/.test(name),
      title: (names) => fileTitle(names),
      companion: (name) =>
        /^[^/]+\/tool[-_]outputs?\//.test(name)
          ? { kind: "output", session: undefined }
          : undefined,
    },
  ];
}

function codexFolders({ env }: Io, home: string): SessionFolder[] {
  return ["sessions", "archived_sessions"].map((name) => ({
    agent: "codex",
    folder: path.join(env["CODEX_HOME"] || path.join(home, ".codex"), name),
    depth: 4,
    accepts: matches(`(?:^|/)rollout-[^/]+${LINES}`),
    title: fileTitle,
  }));
}

function matches(pattern: string): (name: string) => boolean {
  const regex = new RegExp(pattern);
  return (name) => regex.test(name);
}

/** Sub-agents stood beside the sessions of their project first, and in a folder of their session later. */
function claudeCompanion(name: string): Companion | undefined {
  const inSession = /^[^/]+\/([^/]+)\/(subagents|tool-results)\/[^/]+$/.exec(name);
  if (inSession?.[2] === "tool-results") return { kind: "output", session: inSession[1] };
  const isSubAgent = inSession !== null || /^[^/]+\/agent-[^/]+$/.test(name);
  if (!isSubAgent || !name.endsWith(".jsonl")) return undefined;
  return { kind: "sub-agent", session: inSession?.[1] };
}

function searchFolder(place: SessionFolder): SessionSearch {
  const { companion = () => undefined } = place;
  const { files, skipped } = filesBelow(place.folder, {
    depth: place.depth,
    accepts: (name) => place.accepts(name) || companion(name) !== undefined,
  });
  const sessions: FoundSession[] = [];
  const subAgents: SubAgent[] = [];
  const outputs: OutputFile[] = [];
  for (const file of files) {
    const beside = place.accepts(file.relative) ? undefined : companion(file.relative);
    if (beside === undefined) sessions.push(sessionOf(file, place));
    else if (beside.kind === "output") {
      outputs.push({ ...file, agent: place.agent, session: beside.session });
    } else subAgents.push({ ...sessionOf(file, place), parent: beside.session });
  }
  return { place: place.folder, sessions, subAgents, outputs, skipped };
}

function sessionOf(found: FoundFile, place: SessionFolder): FoundSession {
  const { path: file, relative, size: bytes, mtimeMs: modifiedAt } = found;
  const names = relative.split("/");
  const name = place.name?.(names) ?? names.at(-1) ?? file;
  return {
    agent: place.agent,
    id: idOf(name),
    title: place.title(names),
    path: file,
    bytes,
    modifiedAt,
    name,
    stamp: stampOf(found),
    load: () => Promise.resolve(file),
  };
}

/** Ids stand at the end of a file's name, behind the time that some agents put before it. */
function idOf(name: string): string {
  const base = name.replace(/\.jsonl?(?:\.gz|\.zst)?$/, "");
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.exec(base);
  return uuid?.[0] ?? base;
}

/** Agents write `-` for each separator of a project's path; what names the home folder says nothing. */
function projectNames(home: string): (folder: string) => string {
  const prefix = `${home.replace(/[^A-Za-z0-9]/g, "-")}-`;
  return (folder) =>
    (folder.startsWith(prefix) ? folder.slice(prefix.length) : folder).replace(/^-+|-+$/g, "");
}

function fileTitle(names: readonly string[]): string {
  return (names.at(-1) ?? "").replace(/\.jsonl?(?:\.gz|\.zst)?$/, "");
}
