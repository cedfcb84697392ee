import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import envPaths from "env-paths";

/** Where a session is kept. */
export interface SessionFiles {
  readonly name: string;
  readonly folder: string;
  /** One line for every step. */
  readonly history: string;
  /** What the offline task works on. */
  readonly project: string;
}

export interface SessionChoice {
  readonly session?: string;
  readonly resume?: boolean;
  /** Whether it is a session of the scripted model, which has a project of its own. */
  readonly offline?: boolean;
}

/** The folder that holds all state of Longhaul: `LONGHAUL_HOME`, else the platform's own. */
export function stateFolder({ LONGHAUL_HOME: home = "" }: NodeJS.ProcessEnv): string {
  return home === "" ? envPaths("longhaul", { suffix: "" }).data : resolve(home);
}

/**
 * The session that is asked for by name, the last one, or a new one. A real model never goes on with
 * the scripted task, nor the other way round: throws an error for the person.
 */
export function chooseSession(home: string, choice: SessionChoice): SessionFiles {
  const { session, resume, offline = false } = choice;
  const sessions = join(home, "agent");
  const name = session ?? (resume === true ? lastSession(sessions, offline) : newName());
  const folder = join(sessions, name);
  if (isBegun(folder) && isOffline(folder) !== offline) {
    throw new Error(`Session ${name} was begun ${offline ? "without" : "with"} --offline.`);
  }
  return {
    name,
    folder,
    history: join(folder, "history.jsonl"),
    project: join(folder, "project"),
  };
}

/**
 * Keeps other processes out of a session until the returned function is called, or the process has
 * ended in whatever way. Throws an error for the person if another one works in it.
 */
export function holdSession({ name, folder }: SessionFiles): () => void {
  const file = join(folder, "process");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = existsSync(file) ? Number(readFileSync(file, "utf8")) : process.pid;
  if (holder !== process.pid && isRunning(holder)) {
    throw new Error(`Process ${holder} works in session ${name}; if it does not, delete ${file}.`);
  }
  rmSync(file, { force: true });
  writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // There is one, and it is somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function newName(): string {
  return `agent-${new Date().toISOString().slice(0, 19).replace(/\D/g, "")}-${process.pid}`;
}

function isBegun(folder: string): boolean {
  return existsSync(join(folder, "history.jsonl"));
}

function isOffline(folder: string): boolean {
  return existsSync(join(folder, "project"));
}

function lastSession(folder: string, offline: boolean): string {
  const all = existsSync(folder) ? readdirSync(folder) : [];
  const names = all
    .map((name) => ({ name, at: join(folder, name) }))
    .filter(({ at }) => isBegun(at) && isOffline(at) === offline)
    .map(({ name }) => name);
  const changed = (name: string): number =>
    statSync(join(folder, name, "history.jsonl"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const last = names.toSorted((one, other) => changed(other) - changed(one))[0];
  if (last === undefined) throw new Error(`There is no session in ${folder} to go on with.`);
  return last;
}
