import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { cacheFolder } from "../../archive/home.ts";
import { budgetOptions } from "../../core/overflow/budget-options.ts";
import { isRecord } from "../../core/text/json.ts";
import type { Io } from "../io.ts";
import type { Settings } from "../../settings/settings.ts";
import { writeFileAtomically } from "../write-file.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { FoundSession } from "./session-search.ts";

/**
 * Facts that were read of sessions before, in one file of the cache folder, a line a session. A session counts
 * as read as long as its stamp is the same. The file is written beside and takes the name then, so that
 * two processes never see half of it; the later one adds what the earlier has. A line that is torn, or
 * a file that is none, counts as nothing.
 */
export interface SessionIndex {
  /** `undefined` where the session was not read, or has changed since. */
  get(session: FoundSession): SessionFacts | undefined;
  set(session: FoundSession, facts: SessionFacts): void;
  /** Writes what is new; with `keep`, what is none of these sessions goes. Never throws. */
  save(keep?: readonly FoundSession[]): Promise<void>;
}

/** The first line; another one for other facts, so that nothing of an old file counts. */
const HEADING = "longhaul sessions 4";

/** Facts are parsed when they are asked for, and written as they were read. */
interface Entry {
  readonly stamp: string;
  /** As JSON. */
  readonly text: string;
}

/** By the key of the session. */
type Entries = Map<string, Entry>;

/** Opens the index of the sessions as they are measured with these settings. */
export async function openIndex(io: Io, settings: Settings): Promise<SessionIndex> {
  const measured = JSON.stringify([budgetOptions(settings), settings.fixedTokens]);
  const name = createHash("sha256").update(measured).digest("hex").slice(0, 12);
  const file = path.join(cacheFolder(io.env), `sessions-${name}.txt`);
  let entries = readEntries(file);
  let isChanged = false;
  return {
    get(session) {
      const entry = entries.get(keyOf(session));
      return entry?.stamp === session.stamp ? factsIn(entry.text) : undefined;
    },
    set(session, facts) {
      entries.set(keyOf(session), { stamp: session.stamp, text: JSON.stringify(facts) });
      isChanged = true;
    },
    async save(keep) {
      if (!isChanged && (keep === undefined || entries.size === keep.length)) return;
      const kept = keep && new Set(keep.map(keyOf));
      const isGone = (key: string): boolean => kept?.has(key) === false;
      entries = new Map([...readEntries(file), ...entries]);
      for (const key of entries.keys()) if (isGone(key)) entries.delete(key);
      if (await isWritten(file, entries)) isChanged = false;
    },
  };
}

/** It holds no tab and no line end. */
function keyOf({ agent, path: file, id }: FoundSession): string {
  const key = `${agent} ${file ?? id}`;
  return /[\t\n]/.test(key) ? JSON.stringify(key) : key;
}

function factsIn(text: string): SessionFacts | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && Array.isArray(value["uses"]) ? (value as never) : undefined;
  } catch {
    return undefined;
  }
}

/** Without an index the next list takes longer; that is all. */
async function isWritten(file: string, entries: Entries): Promise<boolean> {
  const lines = [...entries].map(([key, { stamp, text }]) => [key, stamp, text].join("\t"));
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFileAtomically(file, [HEADING, ...lines, ""].join("\n"), { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** A last line without its end is torn. */
function readEntries(file: string): Entries {
  const entries: Entries = new Map();
  const text = textOf(file);
  const heading = `${HEADING}\n`;
  if (!text.startsWith(heading)) return entries;
  for (let from = heading.length, end; (end = text.indexOf("\n", from)) >= 0; from = end + 1) {
    const [key = "", stamp, facts] = text.slice(from, end).split("\t");
    if (stamp !== undefined && facts !== undefined) entries.set(key, { stamp, text: facts });
  }
  return entries;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
