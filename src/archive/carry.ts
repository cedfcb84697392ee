import { createReadStream, linkSync, lstatSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Handle } from "../core/message/handle.ts";
import { attempt, errorCode } from "./archive-error.ts";
import { conversationFolder, createUses, pathOf, temporaryPath } from "./conversation.ts";
import { giveName, removeFile, syncFolder } from "./files.ts";
import type { Namer } from "./named.ts";

export interface Carried {
  readonly from: readonly string[];
  readonly to: string | undefined;
  readonly namedBy: Namer;
}

/**
 * Makes a conversation of the archive in `root` hold every original that `text` names, and what those
 * name, as far as the conversations `from` have it; so it is kept as long as it is named, whatever
 * becomes of them. Rejects with `archive-failed`.
 */
export async function carryOriginals(
  root: string,
  text: string,
  { from, to, namedBy }: Carried,
): Promise<void> {
  const waiting = [...handlesIn(text)];
  if (waiting.length === 0) return;
  const own = conversationFolder(root, to);
  const folders = [...new Set([own, ...from.map((id) => conversationFolder(root, id))])];
  await attempt("use", own, async () => {
    await createUses(own, { namedBy, id: to })("write");
    const seen = new Set<Handle>(waiting);
    for (let handle = waiting.pop(); handle !== undefined; handle = waiting.pop()) {
      const path = await carry(handle, folders, own);
      if (path === undefined) continue;
      for await (const named of handlesInFile(path)) {
        if (seen.has(named)) continue;
        seen.add(named);
        waiting.push(named);
      }
    }
    await syncFolder(own);
  });
}

const HANDLES = /\b(?:out|parts|in|msg|head|run)_[0-9a-f]{16}\b/g;
/** More than any handle has characters. */
const LONGEST = 32;

function handlesIn(text: string): Set<Handle> {
  return new Set((text.match(HANDLES) ?? []) as Handle[]);
}

async function* handlesInFile(path: string): AsyncGenerator<Handle> {
  let rest = "";
  for await (const piece of createReadStream(path, { encoding: "latin1" })) {
    const text = rest + String(piece);
    yield* handlesIn(text);
    rest = text.slice(-LONGEST);
  }
}

/** The path of the original; `undefined` if none of the conversations has it. */
async function carry(
  handle: Handle,
  folders: readonly string[],
  own: string,
): Promise<string | undefined> {
  const path = pathOf(own, handle);
  for (const folder of folders) {
    const there = pathOf(folder, handle);
    if (lstatSync(there, { throwIfNoEntry: false })?.isFile() !== true) continue;
    if (folder !== own) await linkOrCopy(there, path);
    return there;
  }
  return undefined;
}

/** One file with two names, of which a collection removes one; without links its bytes. */
async function linkOrCopy(from: string, path: string): Promise<void> {
  try {
    linkSync(from, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return;
    const beside = temporaryPath(dirname(path), "write");
    try {
      await copyFile(from, beside);
      giveName(beside, path);
    } finally {
      removeFile(beside);
    }
  }
}
