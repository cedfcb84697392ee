import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { longhaulHome } from "../archive/home.ts";
import { ContextError, errorMessage } from "../core/error.ts";
import { compactInPlace } from "./in-place.ts";
import { leftBehind } from "../resume/left-behind.ts";
import type { ResumeCommands, SessionContent } from "../resume/session.ts";
import { type SessionAgent, type WrittenSession, writeSession } from "../resume/write-session.ts";
import { plural } from "../core/text/figures.ts";
import type { Outcome } from "./compaction.ts";
import type { Io } from "./io.ts";
import { conversationOf, keepNamed } from "./kept.ts";
import { isMissing, programCall } from "./program-call.ts";

/** A session as it was written. */
export interface Written extends ResumeCommands {
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  /** Whether that folder is there; else its agent is started where the person is. */
  readonly isCwdThere: boolean;
  /** A command that the person must run first, because we could not. */
  readonly before?: readonly string[];
  readonly isInPlace: boolean;
  readonly warnings: readonly string[];
}

/** The session that a compacted conversation becomes. */
interface Destination {
  readonly to: SessionAgent;
  /** The file to append to; absent for a new session. */
  readonly inPlace?: { readonly file: string | undefined };
}

/** Writes what a compaction left, for an agent. Throws what `writeSession` and `compactInPlace` throw. */
export async function writeOutcome(
  io: Io,
  outcome: Outcome,
  { to, inPlace }: Destination,
): Promise<Written> {
  const { loaded, messages } = outcome;
  const { conversation, transcript } = loaded;
  const { cwd = io.cwd, model, provider, title, id = "" } = conversation;
  const isOwn = to === transcript.format;
  const isCwdThere = await isFolder(cwd);
  const gone = isCwdThere ? [] : [`its folder ${cwd} is gone; the agent starts where you are`];
  const version = isOwn ? transcript.version : undefined;
  const about = isOwn ? { model, provider } : {};
  const content: SessionContent = { messages, cwd, ...about, title, version, now: Date.now() };
  const written = { cwd, isCwdThere, isInPlace: inPlace !== undefined };
  if (inPlace !== undefined) {
    const { file } = inPlace;
    const made = await compactInPlace(to, content, { id, file, state: longhaulHome(io.env) });
    const unkept = await keepNamed(io, loaded, {
      text: JSON.stringify(messages),
      conversation: conversationOf(to, id),
      namedBy: made.path,
    });
    return { ...made, id, ...written, before: undefined, warnings: [...unkept, ...gone] };
  }
  const { homeOf } = await import("./sessions/sessions.ts");
  const made = await writeSession(to, content, { folder: homeOf(io), env: io.env });
  const unkept = await keepNamed(io, loaded, {
    text: made.text,
    conversation: conversationOf(to, made.id),
    // A database has it then, into which nobody looks.
    namedBy: made.importCommand === undefined ? made.path : true,
  });
  const before = made.importCommand && (await imported(io, made.importCommand, cwd));
  const left = isOwn ? [] : leftWords(to, outcome, made);
  return { ...made, ...written, before, warnings: [...left, ...unkept, ...gone] };
}

/** Warnings of what another agent's session could not take; the old one still has it. */
function leftWords(
  to: SessionAgent,
  { loaded, messages, ledger, report }: Outcome,
  { read }: WrittenSession,
): readonly string[] {
  const { transcript, conversation } = loaded;
  const todos = ledger.todos.length;
  const tail = conversation.messages.slice(-(report.tail?.messages ?? Infinity));
  const left = leftBehind(
    { conversation: { ...conversation, messages }, tail, transcript, todos },
    read,
  );
  const names = left.map(({ name, times }) => (times === undefined ? name : plural(times, name)));
  return names.length === 0 ? [] : [`did not travel to ${to}: ${names.join(", ")}`];
}

function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

/** Runs what takes a session into an agent's database; returns it if the agent is not here. */
async function imported(
  io: Io,
  [program = "", ...args]: readonly string[],
  cwd: string,
): Promise<readonly string[] | undefined> {
  const folder = (await isFolder(cwd)) ? cwd : io.cwd;
  const env = { ...process.env, ...io.env };
  if (isMissing(program, env)) return [program, ...args];
  try {
    const call = programCall(program, args);
    await promisify(execFile)(call.file, call.args, { ...call.options, cwd: folder, env });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [program, ...args];
    throw new ContextError(
      "unwritable-file",
      `${program} did not take the session: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}
