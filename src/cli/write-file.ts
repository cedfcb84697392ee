import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath, rename, stat, unlink, writeFile, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { ContextError, wrongUse } from "../core/error.ts";
import type { Io } from "./io.ts";

/** Permissions of a new file before the user's umask, and the bits that are kept of an old one. */
const NEW_FILE = 0o666;
const PERMISSIONS = 0o777;

/**
 * Writes a file whole or not at all: the text goes to a new file beside it, to the disk, and then
 * takes the name. A file that was there is replaced only then and its permissions stay; a link is
 * followed; what is no file (`/dev/stdout`, a pipe) is written to as it is. `mode` is that of a new
 * file, before the person's umask.
 * Throws `ContextError` code `unwritable-file`; nothing half-written stays behind.
 */
export async function writeFileAtomically(
  file: string,
  text: string,
  { mode }: { readonly mode?: number } = {},
): Promise<void> {
  try {
    const target = await realpath(file).catch(() => file);
    const info = await stat(target).catch(() => undefined);
    if (info === undefined || info.isFile())
      await replace(target, text, { old: info?.mode, fresh: mode });
    else await writeFile(target, text, { flag: constants.O_WRONLY });
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

interface Modes {
  /** That of the file that is replaced. */
  readonly old: number | undefined;
  readonly fresh: number | undefined;
}

async function replace(target: string, text: string, { old, fresh }: Modes): Promise<void> {
  const beside = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}.tmp`);
  const handle = await open(beside, "wx", fresh ?? NEW_FILE);
  try {
    await fill(handle, text, old);
    await rename(beside, target);
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(target));
}

async function fill(handle: FileHandle, text: string, mode: number | undefined): Promise<void> {
  try {
    if (mode !== undefined) await handle.chmod(mode & PERMISSIONS);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the new name durable; not every platform can open a folder, and the file is there. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Refuses to write a result onto the session that it is made of, which would lose it. A pipe, which is
 * no file, may be both. Throws `ContextError` code `invalid-options`.
 */
export async function refuseInput(
  { cwd }: Pick<Io, "cwd">,
  input: unknown,
  [option, out]: readonly [option: string, out: string],
): Promise<void> {
  if (typeof input !== "string" || !(await isSameFile(input, path.resolve(cwd, out)))) return;
  if (!(await stat(input)).isFile()) return;
  throw wrongUse(
    `The result would replace the session itself: ${out} is the file that is read. Give --${option} another path.`,
    { option, value: out },
  );
}

/** Whether two paths lead to one file, also through links of either kind. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((file) => stat(file, { bigint: true }).catch(() => undefined)),
  );
  if (first === undefined || second === undefined) return false;
  return first.dev === second.dev && first.ino === second.ino;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist. Create the folder first",
  ENOTDIR: "its folder is a file. Choose another path",
  EISDIR: "it is a folder. Name a file in it",
  EACCES: "there is no permission. Choose another path",
  EPERM: "there is no permission. Choose another path",
  EROFS: "the disk is read-only. Choose another path",
  ENOSPC: "the disk is full. Make room and try again",
};

function unwritable(file: string, cause: unknown): ContextError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const reason = REASONS[code] ?? `the system says ${code}. Choose another path`;
  return new ContextError("unwritable-file", `Cannot write ${file}: ${reason}.`, {
    details: { file, reason: code },
    cause,
  });
}
