import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
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
 * What was read of sessions before, in one file of the cache folder, a line a session. A session counts
 * as read as long as its stamp is the same. The file is written beside and takes the name then, so that
 * two processes never see half of it; the later one adds what the earlier has. A line that is torn, or
 * a file that is none, counts as nothing.
 */
export interface SessionIndex {
  /** Whether the session was read, and has not changed since. */
  has(session: FoundSession): boolean;
  /** `undefined` where it has not. */
  get(session: FoundSession): SessionFacts | undefined;
  set(session: FoundSession, facts: SessionFacts): void;
  /** Writes what is new; with `keep`, what is none of these sessions goes. Never throws. */
  save(keep?: readonly FoundSession[]): Promise<void>;
}

/** The first line; another one for other facts, so that nothing of an old file counts. */
const HEADING = "longhaul sessions 4";

/** Facts are parsed when they are asked for: of thousands a table shows a few. */
interface Entry {
  readonly stamp: string;
  /** As JSON. */
  readonly text: string;
  facts?: SessionFacts | "none";
}

/** By the key of the session. */
type Entries = Map<string, Entry>;

/** Opens the index of the sessions as they are measured with these settings. */
export async function openIndex(io: Io, settings: Settings): Promise<SessionIndex> {
  const measured = JSON.stringify([budgetOptions(settings), settings.fixedTokens]);
  const name = createHash("sha256").update(measured).digest("hex").slice(0, 12);
  const file = path.join(cacheFolder(io.env), `sessions-${name}.txt`);
  let entries = await readEntries(file);
  let isChanged = false;
  // Each session is asked for several times, and looking up a path takes longer than what it finds.
  const found = new Map<FoundSession, Entry | undefined>();
  const entryOf = (session: FoundSession): Entry | undefined => {
    if (found.has(session)) return found.get(session);
    const entry = entries.get(keyOf(session));
    const current = entry?.stamp === session.stamp ? entry : undefined;
    found.set(session, current);
    return current;
  };
  const isKnown = (session: FoundSession): boolean => entryOf(session) !== undefined;
  return {
    has: isKnown,
    get(session) {
      const entry = entryOf(session);
      if (entry === undefined) return undefined;
      entry.facts ??= factsIn(entry.text);
      return entry.facts === "none" ? undefined : entry.facts;
    },
    set(session, facts) {
      const { stamp } = session;
      const entry = { stamp, text: JSON.stringify(facts), facts };
      entries.set(keyOf(session), entry);
      found.set(session, entry);
      isChanged = true;
    },
    async save(keep) {
      const isSame = keep === undefined || (entries.size === keep.length && keep.every(isKnown));
      if (!isChanged && isSame) return;
      const kept = keep && new Set(keep.map(keyOf));
      const isGone = (key: string): boolean => kept?.has(key) === false;
      entries = new Map([...(await readEntries(file)), ...entries]);
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

function factsIn(text: string): SessionFacts | "none" {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && Array.isArray(value["uses"]) ? (value as never) : "none";
  } catch {
    return "none";
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

/** What does not end its line is torn. */
async function readEntries(file: string): Promise<Entries> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [heading, ...lines] = text.split("\n").slice(0, -1);
  const entries: Entries = new Map();
  if (heading !== HEADING) return entries;
  for (const line of lines) {
    const [key = "", stamp, facts] = line.split("\t");
    if (stamp !== undefined && facts !== undefined) entries.set(key, { stamp, text: facts });
  }
  return entries;
}
