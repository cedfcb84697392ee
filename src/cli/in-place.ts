import { mkdir, readdir, readFile, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { ContextError, wrongUse } from "../core/error.ts";
import type { SessionContent } from "../resume/session.ts";
import {
  type Appended,
  appendToSession,
  type SessionAgent,
  undoAppend,
} from "../resume/write-session.ts";
import { writeFileAtomically } from "./write-file.ts";

/** A session that is to go on in its own file. */
export interface Place {
  readonly id: string;
  /** Absolute; `undefined` where there is no file of that agent to append to. */
  readonly file: string | undefined;
  /** The state folder, which remembers what was appended. */
  readonly state: string;
}

/**
 * Appends to a session what makes it go on from `content`. Throws `ContextError` code
 * `invalid-options` where that is not possible: in another agent's session, in a database, while the
 * agent is at work.
 */
export async function compactInPlace(
  agent: SessionAgent,
  content: SessionContent,
  { id, file: place, state }: Place,
): Promise<Appended> {
  const file = await appendableFile(agent, content.cwd, place);
  const appended = await appendToSession(agent, content, { id, path: file });
  const others = (await records(state)).filter((one) => one.path !== file);
  await remember(state, [...others, appended]);
  return appended;
}

/**
 * The file of a session that can go on in its place; asked for before anything is compacted, too.
 * Throws `ContextError` code `invalid-options` where that is not possible.
 */
export async function appendableFile(
  agent: SessionAgent,
  cwd: string,
  file: string | undefined,
): Promise<string> {
  if (file === undefined || !file.endsWith(".jsonl")) {
    throw refused(`there is no session file of ${agent} to append to. Leave it out.`);
  }
  if (await isRunning(agent, cwd, file)) {
    throw refused(`${agent} seems to be at work in it. End it first, or leave --in-place out.`);
  }
  return file;
}

/**
 * Takes back the newest of what was appended, or that to one file. Returns the file. Throws
 * `ContextError` code `invalid-options` if there is nothing, or if the session went on since.
 */
export async function undoInPlace(state: string, file?: string): Promise<string> {
  const all = await records(state);
  const record = all.findLast((one) => file === undefined || one.path === file);
  if (record === undefined) {
    throw wrongUse("Nothing to undo: no session was compacted in place, or it was undone already.");
  }
  await undoAppend(record);
  await remember(
    state,
    all.filter((one) => one !== record),
  );
  return record.path;
}

function refused(reason: string): ContextError {
  return wrongUse(`--in-place is not possible: ${reason}`, { option: "inPlace" });
}

/** A file that was written to so shortly ago is taken for one in use, in ms. */
const JUST_NOW_MS = 10_000;

const PROGRAMS: Readonly<Record<SessionAgent, RegExp>> = {
  "claude-code": /(?:^|[/\\])claude(?:\.exe)?$/,
  codex: /(?:^|[/\\])codex(?:\.exe)?$/,
  opencode: /(?:^|[/\\])opencode(?:\.exe)?$/,
  pi: /(?:^|[/\\])pi$/,
  "qwen-code": /(?:^|[/\\])qwen$/,
};

/** Agents hold no lock: where the system lists processes, one of the agent in the folder counts. */
async function isRunning(agent: SessionAgent, cwd: string, file: string): Promise<boolean> {
  if (Date.now() - (await stat(file)).mtimeMs < JUST_NOW_MS) return true;
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of ids) {
    const place = await readlink(`/proc/${id}/cwd`).catch(() => undefined);
    if (place !== cwd) continue;
    const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    const [program = "", script = ""] = line.split("\0");
    if (PROGRAMS[agent].test(program) || PROGRAMS[agent].test(script)) return true;
  }
  return false;
}

const FILE_NAME = "resumed.json";

async function records(state: string): Promise<readonly Appended[]> {
  const text = await readFile(path.join(state, FILE_NAME), "utf8").catch(() => "[]");
  try {
    return JSON.parse(text) as Appended[];
  } catch {
    // A torn file says nothing: undoing is refused then, and the sessions are whole.
    return [];
  }
}

async function remember(state: string, all: readonly Appended[]): Promise<void> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  const text = JSON.stringify(all, undefined, 2);
  await writeFileAtomically(path.join(state, FILE_NAME), text, { mode: 0o600 });
}
