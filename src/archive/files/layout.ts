import { join } from "node:path";
import { type Handle, handleKind, isHandle, type OriginalKind } from "../../core/message/index.ts";
import { HOLDER } from "./holder.ts";

/*
 * `<folder>/<first two hex digits>/<handle>.<extension>`: 256 folders. A flat folder would work for
 * the file system, but not for people and agents: with 100,000 files `grep x *` fails because the
 * argument list is too long, and every listing is one long read. With 256 folders each has 400.
 */

const EXTENSIONS: Readonly<Record<OriginalKind, string>> = {
  out: "txt",
  parts: "json",
  in: "txt",
  msg: "txt",
  head: "jsonl",
  run: "txt",
};
const FOLDER = /^[0-9a-f]{2}$/;
const OWNED = new RegExp(
  String.raw`^\.(spill|gc|removing)\.(${HOLDER.source})\.[0-9a-f]{16}\.tmp$`,
);
const TEMPORARY = /^\.\w+\.[0-9a-f]{16}\.tmp$/;

/** The name of the folder that an original is in. */
function folderName(handle: Handle): string {
  const digits = handle.indexOf("_") + 1;
  return handle.slice(digits, digits + 2);
}

export function fileName(handle: Handle): string {
  return `${handle}.${EXTENSIONS[handleKind(handle)]}`;
}

/** Where an original is; only a handle can become a path. */
export function pathOf(root: string, handle: Handle): string {
  return join(root, folderName(handle), fileName(handle));
}

export function isFolderName(name: string): boolean {
  return FOLDER.test(name);
}

/** The handle of a file in a folder of the archive; `undefined` for a file that is none of ours. */
export function handleOfFile(folder: string, name: string): Handle | undefined {
  const handle = name.slice(0, Math.max(0, name.indexOf(".")));
  const isOurs = isHandle(handle) && fileName(handle) === name && folderName(handle) === folder;
  return isOurs ? handle : undefined;
}

/** The name of a file that is still being written; `random` is 16 hex digits. */
export function temporaryName(handle: Handle, random: string): string {
  return `.${handle}.${random}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** The name of a file that `holder` spills into; it stands in the archive's own folder. */
export function spillName(holder: string, random: string): string {
  return `.spill.${holder}.${random}.tmp`;
}

/** The name of what `holder` writes for a collection, before it has its own. */
export function collectorsName(holder: string, random: string): string {
  return `.gc.${holder}.${random}.tmp`;
}

/** The name of the file that says that `holder` removes something from the folder it stands in. */
export function removalName(holder: string, random: string): string {
  return `.removing.${holder}.${random}.tmp`;
}

/** The process that removes something while a file with this name is there. */
export function removerOf(name: string): string | undefined {
  const found = OWNED.exec(name);
  return found?.[1] === "removing" ? found[2] : undefined;
}

/** The process to which a file with this name belongs; when it ends, nobody needs the file. */
export function ownerOf(name: string): string | undefined {
  return OWNED.exec(name)?.[2];
}
