import { createHash } from "node:crypto";
import { mkdir, readFile, rmdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { longhaulHome } from "../archive/home.ts";
import { changedText, restoredText } from "../plugins/change-text.ts";
import type { Change } from "../plugins/plugin.ts";
import { writeFileAtomically } from "./write-file.ts";
import type { Io } from "./io.ts";

/** A file that a plugin changed, as it is remembered. */
interface ChangedFile {
  readonly change: Change;
  /** The file as it was before; absent where there was none. */
  readonly backup?: string;
  /** Of what we wrote: while the file is that, it goes back to the byte. */
  readonly sha256: string;
}

/** A plugin that was written. */
interface Installed {
  readonly agent: string;
  readonly where: string;
  readonly files: readonly ChangedFile[];
  /** Folders that were made for it, the outermost first. */
  readonly folders: readonly string[];
}

/** The outcome for one file. */
export interface FileOutcome {
  readonly path: string;
  readonly outcome: "written" | "changed" | "unchanged" | "removed" | "restored" | "left";
  /** The file as it was before, as long as the plugin is there. */
  readonly backup?: string;
}

/** A plugin's agent and place. */
export interface PluginId {
  readonly agent: string;
  /** The place that the changes of one plugin have in common: its folder or file. */
  readonly where: string;
}

/**
 * Writes a plugin, or the new form of one that is there. A change that cannot be made whole is
 * taken back: throws `ContextError` codes `unreadable-file` and `unwritable-file`, and every file
 * is as it was.
 */
export async function writePlugin(
  io: Io,
  id: PluginId,
  changes: readonly Change[],
): Promise<readonly FileOutcome[]> {
  // Before anything is written: a file that is not what it should be stops all of it.
  for (const change of changes) changedText((await textOf(change.path)) ?? "", change);
  await removePlugin(io, id);
  const files: ChangedFile[] = [];
  const folders: string[] = [];
  const outcomes: FileOutcome[] = [];
  try {
    for (const change of changes) {
      folders.push(...(await makeFolder(path.dirname(change.path))));
      const { file, outcome } = await writeChange(change);
      if (file !== undefined) files.push(file);
      outcomes.push(outcome);
    }
    await remember(io, [...(await others(io, id)), { ...id, files, folders }]);
    return outcomes;
  } catch (error) {
    await takeBack({ ...id, files, folders });
    throw error;
  }
}

/** Files that would be written, each with its new text, or what is added to it. */
export async function plannedFiles(
  changes: readonly Change[],
): Promise<readonly (FileOutcome & { readonly text: string })[]> {
  return Promise.all(
    changes.map(async (change) => {
      const before = await textOf(change.path);
      const text = changedText(before ?? "", change);
      return { path: change.path, outcome: outcomeOf(before, text), text };
    }),
  );
}

/** Takes a plugin out again; no outcomes where there was none. */
export async function removePlugin(io: Io, id: PluginId): Promise<readonly FileOutcome[]> {
  const own = (await installed(io)).find((one) => isOf(one, id));
  if (own === undefined) return [];
  const outcomes = await takeBack(own);
  await remember(io, await others(io, id));
  return outcomes;
}

function outcomeOf(before: string | undefined, after: string): FileOutcome["outcome"] {
  if (before === undefined) return "written";
  return before === after ? "unchanged" : "changed";
}

async function writeChange(
  change: Change,
): Promise<{ readonly file?: ChangedFile; readonly outcome: FileOutcome }> {
  const before = await textOf(change.path);
  const text = changedText(before ?? "", change);
  const outcome = { path: change.path, outcome: outcomeOf(before, text) };
  if (before === text) return { outcome };
  const backup =
    before === undefined ? undefined : await freeName(`${change.path}.before-longhaul`);
  if (before !== undefined && backup !== undefined) await writeFileAtomically(backup, before);
  await writeFileAtomically(change.path, text);
  const kept = backup === undefined ? {} : { backup };
  // The content of a file of ours is in that file: it is not needed to take it back.
  const remembered = change.type === "file" ? { ...change, content: "" } : change;
  return {
    file: { change: remembered, sha256: digest(text), ...kept },
    outcome: { ...outcome, ...kept },
  };
}

async function takeBack({ files, folders }: Installed): Promise<readonly FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  for (const file of files.toReversed()) outcomes.push(await takeBackFile(file));
  // A folder with something of somebody else in it stays.
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined);
  return outcomes.toReversed();
}

async function takeBackFile({ change, backup, sha256 }: ChangedFile): Promise<FileOutcome> {
  const file = change.path;
  const now = await textOf(file);
  const before = backup === undefined ? undefined : await textOf(backup);
  const isOurs = now !== undefined && digest(now) === sha256;
  if (isOurs && before !== undefined) await writeFileAtomically(file, before);
  else if (isOurs && backup === undefined) await unlink(file);
  else if (now === undefined || change.type === "file") return { path: file, outcome: "left" };
  else await writeFileAtomically(file, restoredText(now, change));
  if (backup !== undefined) await unlink(backup).catch(() => undefined);
  return { path: file, outcome: isOurs && backup === undefined ? "removed" : "restored" };
}

/** Makes a folder and those around it; returns the ones that were not there, the outermost first. */
async function makeFolder(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return [];
  const steps = path.relative(first, folder).split(path.sep).filter(Boolean);
  return [first, ...steps.map((_, at) => path.join(first, ...steps.slice(0, at + 1)))];
}

async function freeName(name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name}-${number}`;
    if ((await stat(free).catch(() => undefined)) === undefined) return free;
  }
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The list of what was written, in the state folder. */
const FILE_NAME = "plugins.json";

async function installed(io: Io): Promise<readonly Installed[]> {
  const text = await textOf(path.join(longhaulHome(io.env), FILE_NAME));
  return text === undefined ? [] : (JSON.parse(text) as Installed[]);
}

async function others(io: Io, id: PluginId): Promise<readonly Installed[]> {
  return (await installed(io)).filter((one) => !isOf(one, id));
}

function isOf(one: PluginId, { agent, where }: PluginId): boolean {
  return one.agent === agent && one.where === where;
}

async function remember(io: Io, all: readonly Installed[]): Promise<void> {
  const folder = longhaulHome(io.env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomically(path.join(folder, FILE_NAME), `${JSON.stringify(all, undefined, 2)}\n`);
}
