import path from "node:path";
import { plural } from "../../core/text/figures.ts";
import type { Io } from "../io.ts";
import type { DayUse } from "../money/spent.ts";
import { startProgress } from "../progress.ts";
import { readSettings, type Settings } from "../../settings/settings.ts";
import type { SessionFacts } from "./session-facts.ts";
import { openIndex, type SessionIndex } from "./session-index.ts";
import type { FoundSession, SubAgent } from "./session-search.ts";
import { findSessions, type FoundSessions } from "./sessions.ts";

/** A choice of the sessions on this computer. */
export interface SessionFilter {
  readonly agent?: string;
  /** A working directory: sessions of it and of folders below it. Absolute. */
  readonly project?: string;
  /** Changed since then, in ms since the epoch. */
  readonly since?: number;
}

export interface SurveyOptions extends SessionFilter {
  /** After so long, in ms, the rest stays unread. @default all are read */
  readonly patienceMs?: number;
  /** Whether nobody is to be told how far it is. @default false */
  readonly quiet?: boolean;
}

/** A session and what is known of it. */
export interface KnownSession {
  readonly session: FoundSession;
  /** `undefined`: it was not read since it changed last. */
  readonly facts: SessionFacts | undefined;
  /** Its spending, that of its sub-agents included. */
  readonly uses: readonly DayUse[];
}

/** The sessions on this computer with what they hold. */
export interface Survey {
  readonly found: FoundSessions;
  readonly settings: Settings;
  /** Newest first. */
  readonly sessions: readonly KnownSession[];
}

/** The time for which a process may gather new facts before it keeps them, in ms. */
const SAVE_EVERY_MS = 3_000;

/**
 * Finds the sessions on this computer and reads those that have changed since the last time, the
 * newest first. Sessions that were read are kept, also when the rest is not waited for.
 */
export async function surveySessions(io: Io, options: SurveyOptions = {}): Promise<Survey> {
  const [settings, found] = [await readSettings(io), await findSessions(io)];
  const index = await openIndex(io, settings);
  const isAsked = ({ agent, modifiedAt }: FoundSession): boolean =>
    (options.agent === undefined || agent === options.agent) && modifiedAt >= (options.since ?? 0);
  const sessions = found.sessions.filter(isAsked);
  const subAgents = found.subAgents.filter(isAsked);
  const all = [...sessions, ...subAgents];
  const read = new Map(all.map((session) => [session, index.get(session)]));
  const isComplete = await readChanged(io, read, { ...options, index, settings });
  await index.save(isComplete ? [...found.sessions, ...found.subAgents] : undefined);
  const aside = usesByParent(subAgents, read);
  const known = sessions.map((session): KnownSession => {
    const facts = read.get(session);
    const [uses, beside] = [facts?.uses ?? [], aside.get(facts?.id ?? session.id)];
    return { session, facts, uses: beside === undefined ? uses : [...uses, ...beside] };
  });
  const { project } = options;
  return {
    found,
    settings,
    sessions: project === undefined ? known : known.filter((one) => isOfProject(one, project)),
  };
}

interface Reading extends SurveyOptions {
  readonly index: SessionIndex;
  readonly settings: Settings;
}

type Read = Map<FoundSession, SessionFacts | undefined>;

/** Reads those without facts; whether all of them are known now. */
async function readChanged(
  io: Io,
  read: Read,
  { index, settings, patienceMs = Infinity, quiet = false }: Reading,
): Promise<boolean> {
  const changed = [...read.keys()]
    .filter((session) => read.get(session) === undefined)
    .sort((a, b) => b.modifiedAt - a.modifiedAt);
  if (changed.length === 0) return true;
  // The reader of sessions takes longer to load than a list that is known already.
  const { readFacts } = await import("./session-facts.ts");
  const deadline = Date.now() + patienceMs;
  const progress = startProgress(io, quiet);
  let savedAt = Date.now();
  try {
    for (const [at, session] of changed.entries()) {
      progress.update(`Reading ${plural(changed.length, "session")}`, at, changed.length);
      const left = deadline - Date.now();
      if (left <= 0) return false;
      const signal = left === Infinity ? undefined : AbortSignal.timeout(left);
      const facts = await readFacts(session, settings, signal);
      read.set(session, facts);
      index.set(session, facts);
      if (Date.now() - savedAt < SAVE_EVERY_MS) continue;
      await index.save();
      savedAt = Date.now();
    }
    return true;
  } catch {
    // The time was up in the middle of one.
    return false;
  } finally {
    progress.stop();
  }
}

function usesByParent(
  subAgents: readonly SubAgent[],
  read: Read,
): ReadonlyMap<string, readonly DayUse[]> {
  const uses = new Map<string, DayUse[]>();
  for (const one of subAgents) {
    const facts = read.get(one);
    const parent = one.parent ?? facts?.id;
    if (facts === undefined || parent === undefined) continue;
    const known = uses.get(parent);
    if (known === undefined) uses.set(parent, [...facts.uses]);
    else known.push(...facts.uses);
  }
  return uses;
}

function isOfProject({ session, facts }: KnownSession, project: string): boolean {
  return isBelow(facts?.cwd ?? session.cwd, project);
}

/** Whether a folder is this one, or below it. */
export function isBelow(folder: string | undefined, above: string): boolean {
  if (folder === undefined) return false;
  const way = path.relative(above, folder);
  return way === "" || (!way.startsWith("..") && !path.isAbsolute(way));
}
