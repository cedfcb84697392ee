import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { cacheFolder } from "../../archive/home.ts";
import { budgetOptions } from "../../core/overflow/budget-options.ts";
import { isRecord } from "../../core/text/json.ts";
import type { Io } from "../io.ts";
import type { Settings } from "../settings.ts";
import { writeFileAtomically } from "../write-file.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { FoundSession } from "./session-search.ts";

/**
 * What was read of sessions before, in one file of the cache folder. A session counts as read as long
 * as its stamp is the same. The file is written beside and takes the name then, so that two processes
 * never see half of it; the later one adds what the earlier has. A file that is none is begun anew.
 */
export interface SessionIndex {
  /** `undefined`: the session was not read, or has changed since. */
  get(session: FoundSession): SessionFacts | undefined;
  set(session: FoundSession, facts: SessionFacts): void;
  /** Writes what is new; with `keep`, what is none of these sessions goes. Never throws. */
  save(keep?: readonly FoundSession[]): Promise<void>;
}

/** Another one for other facts: then nothing of the old file counts. */
const VERSION = 1;

type Entries = Record<string, readonly [stamp: string, facts: SessionFacts]>;

/** Opens the index of the sessions as they are measured with these settings. */
export async function openIndex(io: Io, settings: Settings): Promise<SessionIndex> {
  const measured = JSON.stringify([budgetOptions(settings), settings.fixedTokens]);
  const name = createHash("sha256").update(measured).digest("hex").slice(0, 12);
  const file = path.join(cacheFolder(io.env), `sessions-${name}.json`);
  let entries = await readEntries(file);
  let isChanged = false;
  return {
    get(session) {
      const [stamp, facts] = entries[keyOf(session)] ?? [];
      return stamp === session.stamp && Array.isArray(facts?.uses) ? facts : undefined;
    },
    set(session, facts) {
      entries[keyOf(session)] = [session.stamp, facts];
      isChanged = true;
    },
    async save(keep) {
      const kept = keep && new Set(keep.map(keyOf));
      const gone = Object.keys(entries).filter((key) => kept?.has(key) === false);
      if (!isChanged && gone.length === 0) return;
      entries = { ...(await readEntries(file)), ...entries };
      for (const key of Object.keys(entries)) if (kept?.has(key) === false) delete entries[key];
      const text = JSON.stringify({ version: VERSION, entries });
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await writeFileAtomically(file, text, { mode: 0o600 });
        isChanged = false;
      } catch {
        // Without an index the next list takes longer; that is all.
      }
    },
  };
}

function keyOf({ agent, path: file, id }: FoundSession): string {
  return `${agent} ${file ?? id}`;
}

async function readEntries(file: string): Promise<Entries> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isRecord(value) || value["version"] !== VERSION || !isRecord(value["entries"])) return {};
    const entries = Object.entries(value["entries"]).filter(([, entry]) => Array.isArray(entry));
    return Object.fromEntries(entries) as Entries;
  } catch {
    return {};
  }
}
