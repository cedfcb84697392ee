import { isContextError } from "../../core/error.ts";
import { bytes } from "../../core/text/figures.ts";
import type { Io } from "../io.ts";
import { startProgress } from "../progress.ts";
import { opencodeMayHold } from "../sessions/opencode-sessions.ts";
import { homeOf } from "../sessions/sessions.ts";
import { isBelow, type SessionFilter } from "../sessions/survey.ts";
import type { Needle } from "./needle.ts";
import { mayHold } from "./scan.ts";
import { type RecordHit, searchTarget, type TargetHits } from "./search-target.ts";
import { type SearchTarget, searchTargets, type TargetFacts } from "./targets.ts";

export interface SearchSettings extends SessionFilter {
  /** Only this session and what belongs to it. */
  readonly session?: string;
  /** The most hits. */
  readonly limit: number;
  /** Whether nobody is told how far it is. */
  readonly quiet: boolean;
}

/** The hits in one session or file, and its facts. */
export interface FoundIn extends TargetHits {
  readonly target: SearchTarget;
  readonly about: TargetFacts;
}

export interface SearchOutcome {
  /** Newest first. */
  readonly found: readonly FoundIn[];
  /** The amount that was looked through. */
  readonly searched: { readonly files: number; readonly bytes: number };
  /** Whether as many hits as were asked for were found, so that there may be more. */
  readonly isFull: boolean;
  /** Files that could not be read. */
  readonly unread: number;
  /** Advice about the first of them. */
  readonly hint?: string;
  /** Advice about sessions that were not looked through. */
  readonly hints: readonly string[];
}

/** So many hits of one session are shown; one must not take the room of all others. */
const PER_SESSION = 5;

/**
 * Looks for a text in everything that agents and we keep on this computer: sessions with all that was
 * ever compacted away in them, sub-agents, outputs beside them, our archive. Bytes are looked at first,
 * and only files that hold the text are parsed. Memory does not grow with what is searched.
 */
export async function searchSessions(
  io: Io,
  needle: Needle,
  settings: SearchSettings,
): Promise<SearchOutcome> {
  const { targets: all, about, hints } = await searchTargets(io, settings);
  const targets = all.filter((target) => isOfSession(target, settings.session));
  const mayHoldIt = await quickLook(io, needle);
  const whole = targets.reduce((sum, target) => sum + target.bytes, 0);
  const progress = startProgress(io, settings.quiet);
  const found: FoundIn[] = [];
  let [hits, files, read, unread] = [0, 0, 0, 0];
  let hint: string | undefined;
  const look = async (target: SearchTarget): Promise<void> => {
    if (!mayHoldIt(target)) return;
    const of = about(target);
    if (!isOfProject(of, settings.project)) return;
    const most = settings.session === undefined ? PER_SESSION : Infinity;
    const own = await searchTarget(target, needle, Math.min(most, settings.limit - hits));
    if (own.hits.length > 0) found.push({ ...own, target, about: of });
    hits += own.hits.length;
  };
  try {
    for (const target of targets) {
      if (hits >= settings.limit) break;
      progress.update(`Searching ${bytes(whole)}`, read, whole);
      await look(target).then(
        () => files++,
        (error: unknown) => {
          unread++;
          if (isContextError(error)) hint ??= error.message;
        },
      );
      read += target.bytes;
    }
  } finally {
    progress.stop();
  }
  const searched = { files, bytes: read };
  return { found, searched, isFull: hits >= settings.limit, unread, hint, hints };
}

function isOfSession({ id, path }: SearchTarget, session: string | undefined): boolean {
  return session === undefined || id?.startsWith(session) === true || path === session;
}

function isOfProject({ project }: TargetFacts, wanted: string | undefined): boolean {
  return wanted === undefined || isBelow(project, wanted);
}

/** A look at the bytes, which tells what need not be parsed. */
async function quickLook(io: Io, { probes }: Needle): Promise<(target: SearchTarget) => boolean> {
  const stored = await opencodeMayHold(io, homeOf(io), probes);
  return ({ path, session }) => {
    if (path !== undefined) return mayHold(path, probes);
    return session === undefined || stored(session.id);
  };
}

/** A hit as `--json` prints it; fields are only ever added. */
export function hitJson({ target, about }: FoundIn, hit: RecordHit): object {
  return {
    agent: target.agent,
    session: target.id ?? null,
    path: target.path ?? null,
    project: about.project ?? null,
    title: about.title ?? null,
    time: new Date(hit.time ?? target.modifiedAt).toISOString(),
    turn: hit.turn ?? null,
    record: hit.record,
    kind: hit.kind,
    text: hit.text,
    open: target.open(hit.record),
  };
}
