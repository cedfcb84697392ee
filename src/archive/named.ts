import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "./archive-error.ts";
import { appendLine, readPlainFile, wholeLines } from "./files.ts";

/*
 * `.named` in a conversation's folder: who names its originals, one JSON value a line. A path is a
 * file that names them as long as it is there; `true` is somebody whom nobody here can look for.
 */

export const NAMES_FILE = ".named";

/** A file that names originals, or `true` for somebody who cannot be looked for. */
export type Namer = string | true;

export async function addNamer(folder: string, namer: Namer): Promise<void> {
  if ((await namers(folder)).includes(namer)) return;
  await appendLine(join(folder, NAMES_FILE), JSON.stringify(namer));
}

/** Somebody still names the originals in a conversation's folder. */
export async function hasNamer(folder: string): Promise<boolean> {
  for (const namer of await namers(folder)) {
    if (namer === true || !(await isGone(namer))) return true;
  }
  return false;
}

async function namers(folder: string): Promise<readonly Namer[]> {
  const lines = wholeLines(await readPlainFile(join(folder, NAMES_FILE)));
  return lines.filter((line): line is Namer => typeof line === "string" || line === true);
}

/** Gone is what is missing in its folder; of a disk that is not there, nothing is known. */
async function isGone(file: string): Promise<boolean> {
  return (await isMissing(file)) && !(await isMissing(dirname(file)));
}

function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: unknown) => errorCode(error) === "ENOENT",
  );
}
