import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ContextError, errorMessage, wrongUse } from "../../core/error.ts";
import { plural } from "../../core/text/figures.ts";
import type { CommonOptions, Io } from "../io.ts";
import type { FoundSession } from "./session-search.ts";
import { programCall } from "../program-call.ts";

/** A session that was asked for. */
export interface ChosenSession extends Pick<FoundSession, "load" | "name"> {
  /** Absolute; absent where the agent keeps it in a database. */
  readonly path: string | undefined;
}

interface FindOptions extends CommonOptions {
  readonly last?: boolean;
  /** Agents whose sessions will do; all by default. */
  readonly agents?: readonly string[];
}

/**
 * The session that a person means: a file, an id or its beginning, or the newest; without any of these
 * one is picked. `undefined`: none was. Throws `ContextError` code `unreadable-file`, and
 * `invalid-options` for the beginning of several.
 */
export async function findSession(
  io: Io,
  wanted: string | undefined,
  options: FindOptions,
): Promise<ChosenSession | undefined> {
  if (wanted !== undefined) {
    const file = path.resolve(io.cwd, wanted);
    const isFile = await stat(file).then(
      (info) => !info.isDirectory(),
      () => false,
    );
    // A name like that of a file is told why it cannot be read.
    if (isFile || /[/\\]|\.[a-z]{2,5}$/i.test(wanted)) {
      return { path: file, name: wanted, load: () => Promise.resolve(file) };
    }
  }
  if (wanted === undefined && options.last !== true) {
    const { chooseSession } = await import("./choose-session.ts");
    return chooseSession(io, options);
  }
  const found = wanted === undefined ? await newestSession(io, options) : await named(io, wanted);
  if (found !== undefined) return found;
  if (wanted?.startsWith("ses_") === true) return exportedByOpencode(io, wanted);
  const { findSessions } = await import("./sessions.ts");
  const hints = (await findSessions(io)).hints.map((hint) => `\n${hint}`).join("");
  const agents = options.agents === undefined ? "" : ` of ${options.agents.join(", ")}`;
  throw new ContextError(
    "unreadable-file",
    wanted === undefined
      ? `No session${agents} was found on this computer. Give a session file.${hints}`
      : `There is neither a file nor a session ${wanted}. Run longhaul sessions to see those on this computer.${hints}`,
    { details: { session: wanted } },
  );
}

/** The newest of this folder, else of all. */
async function newestSession(io: Io, { agents }: FindOptions): Promise<FoundSession | undefined> {
  const { surveySessions } = await import("./survey.ts");
  const survey = await surveySessions(io, { patienceMs: PATIENCE_MS });
  const known = survey.sessions.filter(
    ({ session }) => agents === undefined || agents.includes(session.agent),
  );
  const isHere = ({ session, facts }: (typeof known)[number]): boolean => {
    const cwd = facts?.cwd ?? session.cwd;
    return cwd === undefined ? isOfFolder(session, io.cwd) : path.relative(cwd, io.cwd) === "";
  };
  return (known.find(isHere) ?? known[0])?.session;
}

/** Newest sessions are read first: one that is looked for is seldom among the others. */
const PATIENCE_MS = 3_000;

async function named(io: Io, wanted: string): Promise<FoundSession | undefined> {
  const { findSessions } = await import("./sessions.ts");
  const { sessions, subAgents } = await findSessions(io);
  const all = [...sessions, ...subAgents];
  const exact = all.find(({ id, name }) => id === wanted || name === wanted);
  if (exact !== undefined) return exact;
  const fitting = all.filter(({ id, name }) => id.startsWith(wanted) || isNamed(name, wanted));
  if (fitting.length < 2) return fitting[0];
  const ids = fitting.slice(0, 4).map(({ id }) => id);
  throw wrongUse(
    `${plural(fitting.length, "session")} begin with ${wanted}: ${ids.join(", ")}${fitting.length > ids.length ? ", …" : ""}. Give more of the id.`,
    { session: wanted, found: fitting.map(({ id }) => id) },
  );
}

/** opencode's database can be read without Node's own driver, by the program that it belongs to. */
async function exportedByOpencode(io: Io, id: string): Promise<ChosenSession> {
  const env = { ...process.env, ...io.env };
  const call = programCall("opencode", ["export", id]);
  const options = { ...call.options, cwd: io.cwd, env, maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout } = await promisify(execFile)(call.file, call.args, options).catch(
    (cause: unknown) => {
      throw new ContextError(
        "unreadable-file",
        `opencode has no session ${id}, or is not installed here: ${errorMessage(cause).trim()}`,
        { cause },
      );
    },
  );
  return { path: undefined, name: id, load: () => Promise.resolve(Buffer.from(stdout)) };
}

/** Claude Code and pi name the folder of a project in that of its sessions. */
function isOfFolder({ path: file }: FoundSession, cwd: string): boolean {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, "-");
  const folder = file === undefined ? "" : path.basename(path.dirname(file));
  return folder.replace(/[^A-Za-z0-9]/g, "-").replace(/^-+|-+$/g, "") === slug.replace(/^-+/, "");
}

/** Ids stand at the end of a file's name, behind the time that some agents put before it. */
function isNamed(name: string, wanted: string): boolean {
  const base = name.replace(/\.jsonl?(?:\.gz|\.zst)?$/, "");
  return base.startsWith(wanted) || base.includes(`-${wanted}`) || base.includes(`_${wanted}`);
}
