import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ContextError, errorMessage } from "../../core/error.ts";
import { isSessionAgent, SESSION_AGENTS } from "../../resume/write-session.ts";
import type { CommonOptions, Io } from "../io.ts";
import type { FoundSession } from "./session-search.ts";

/** A session that was asked for. */
export interface ChosenSession extends Pick<FoundSession, "load"> {
  /** Absolute; absent where the agent keeps it in a database. */
  readonly path: string | undefined;
}

/**
 * The session that a person means: a file, an id or its beginning, or the newest; without any of these
 * one is picked. `undefined`: none was. Throws `ContextError` code `unreadable-file`.
 */
export async function findSession(
  io: Io,
  wanted: string | undefined,
  flags: CommonOptions & { readonly last?: boolean },
): Promise<ChosenSession | undefined> {
  if (wanted !== undefined) {
    const file = path.resolve(io.cwd, wanted);
    const isFile = await stat(file).then(
      (info) => !info.isDirectory(),
      () => false,
    );
    if (isFile) return { path: file, load: () => Promise.resolve(file) };
  }
  if (wanted === undefined && flags.last !== true) {
    const { chooseSession } = await import("./choose-session.ts");
    return chooseSession(io, flags);
  }
  const { findSessions } = await import("./sessions.ts");
  const { sessions } = await findSessions(io);
  const ours = sessions.filter(({ agent }) => isSessionAgent(agent));
  const found =
    wanted === undefined
      ? (ours.find((session) => isOfFolder(session, io.cwd)) ?? ours[0])
      : ours.find(({ name }) => isNamed(name, wanted));
  if (found !== undefined) return found;
  if (wanted?.startsWith("ses_") === true) return exportedByOpencode(io, wanted);
  throw new ContextError(
    "unreadable-file",
    wanted === undefined
      ? `No session of ${SESSION_AGENTS.join(", ")} was found on this computer. Give a session file.`
      : `There is neither a file nor a session ${wanted}. Run longhaul resume without it to pick one.`,
    { details: { session: wanted } },
  );
}

/** opencode's database can be read without Node's own driver, by the program that it belongs to. */
async function exportedByOpencode(io: Io, id: string): Promise<ChosenSession> {
  const env = { ...process.env, ...io.env };
  const options = { cwd: io.cwd, env, maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout } = await promisify(execFile)("opencode", ["export", id], options).catch(
    (cause: unknown) => {
      throw new ContextError(
        "unreadable-file",
        `opencode has no session ${id}, or is not installed here: ${errorMessage(cause).trim()}`,
        { cause },
      );
    },
  );
  return { path: undefined, load: () => Promise.resolve(Buffer.from(stdout)) };
}

/** Claude Code and pi name the folder of a project in that of its sessions. */
function isOfFolder({ path: file }: FoundSession, cwd: string): boolean {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, "-");
  const folder = file === undefined ? "" : path.basename(path.dirname(file));
  return folder.replace(/[^A-Za-z0-9]/g, "-").replace(/^-+|-+$/g, "") === slug.replace(/^-+/, "");
}

/** Ids stand at the end of a file's name, behind the time that some agents put before it. */
function isNamed(name: string, wanted: string): boolean {
  const base = name.replace(/\.jsonl?$/, "");
  return base.startsWith(wanted) || base.includes(`-${wanted}`) || base.includes(`_${wanted}`);
}
