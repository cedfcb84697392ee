import { everyConversation } from "../../archive/every-conversation.ts";
import { archiveFolder } from "../../archive/home.ts";
import { closeSync, openSync, readSync } from "node:fs";
import type { Io } from "../io.ts";
import { readSettings } from "../../settings/settings.ts";
import { packingOf } from "../../transcripts/packing.ts";
import { viewWords } from "../program-call.ts";
import { openIndex } from "../sessions/session-index.ts";
import type { FoundSession } from "../sessions/session-search.ts";
import { findSessions, type FoundSessions } from "../sessions/sessions.ts";
import type { SessionFilter } from "../sessions/survey.ts";

/** One file or session to look through. */
export interface SearchTarget {
  /** Name of its format; `longhaul` for our own archive. */
  readonly agent: string;
  /** ms since the epoch. */
  readonly modifiedAt: number;
  readonly bytes: number;
  /** A file; `undefined`: the session has to be loaded. */
  readonly path: string | undefined;
  /** Absent for a file beside a session. */
  readonly session?: FoundSession;
  /** Id of the session that it belongs to. */
  readonly id: string | undefined;
  /** The command that shows a record (a line, or a message of a document) of it. */
  readonly open: (record: number) => readonly string[];
}

/** The words of a hit about its session. */
export interface TargetFacts {
  readonly project?: string;
  readonly title?: string;
}

export interface SearchTargets {
  /** Newest first. */
  readonly targets: readonly SearchTarget[];
  readonly about: (target: SearchTarget) => TargetFacts;
  /** Advice about sessions that cannot be read from here. */
  readonly hints: readonly string[];
}

/** Everything on this computer that a search looks through, by what the person wants. */
export async function searchTargets(io: Io, filter: SessionFilter): Promise<SearchTargets> {
  const found = await findSessions(io);
  const index = await openIndex(io, await readSettings(io));
  const all = [...sessionTargets(found), ...outputTargets(found), ...(await archiveTargets(io))];
  const targets = all
    .filter(({ agent }) => filter.agent === undefined || agent === filter.agent)
    .filter(({ modifiedAt }) => modifiedAt >= (filter.since ?? 0))
    .sort((a, b) => b.modifiedAt - a.modifiedAt);
  const byId = new Map(found.sessions.map((session) => [session.id, session]));
  return {
    targets,
    hints: found.hints,
    about({ session, path: file, id }) {
      const own = byId.get(id ?? "") ?? session;
      const facts = own && index.get(own);
      const project = facts?.cwd ?? own?.cwd ?? (file === undefined ? undefined : folderIn(file));
      return { project, title: facts?.title ?? own?.title };
    },
  };
}

function sessionTargets({ sessions, subAgents }: FoundSessions): SearchTarget[] {
  const shortOf = shortIds(sessions);
  const of = (session: FoundSession, id: string | undefined, word: string): SearchTarget => ({
    agent: session.agent,
    modifiedAt: session.modifiedAt,
    bytes: session.bytes ?? 0,
    path: session.path,
    session,
    id,
    open: (record) => ["longhaul", "inspect", word, "--show", `L${record}`],
  });
  return [
    ...sessions.map((one) => of(one, one.id, shortOf(one.id))),
    ...subAgents.map((one) => of(one, one.parent, one.path ?? one.id)),
  ];
}

const SHORT_ID = 8;

/** The beginning of an id, where no other session begins so. */
function shortIds(sessions: readonly FoundSession[]): (id: string) => string {
  const counts = new Map<string, number>();
  for (const { id } of sessions) {
    const short = id.slice(0, SHORT_ID);
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  return (id) => {
    const short = id.slice(0, SHORT_ID);
    return /^[0-9a-f]{8}$/i.test(short) && counts.get(short) === 1 ? short : id;
  };
}

function outputTargets({ outputs }: FoundSessions): SearchTarget[] {
  return outputs.map(({ agent, path: file, size, mtimeMs, session }) => ({
    agent,
    modifiedAt: mtimeMs,
    bytes: size,
    path: file,
    id: session,
    open: (record) => viewWords(file, record),
  }));
}

/** An archive that cannot be read is no reason to leave the sessions alone. */
async function archiveTargets(io: Io): Promise<SearchTarget[]> {
  const entries = await everyConversation(archiveFolder(io.env))
    .list()
    .catch(() => []);
  return entries.map(({ handle, bytes, storedAt, path: file }) => ({
    agent: "longhaul",
    modifiedAt: storedAt,
    bytes,
    path: file,
    id: undefined,
    open: (record) => ["longhaul", "recall", handle, "--lines", `${record}-${record}`],
  }));
}

const HEAD_BYTES = 65_536;
/** Much may come of little, so that what is unpacked is bounded as well. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The working folder that a session's first records name. */
function folderIn(file: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, "r");
  try {
    const stored = head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
    const text = String(packingOf(stored)?.whole(stored, MOST_BYTES) ?? stored);
    const [, quoted] = /"(?:cwd|directory)":\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
    return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
