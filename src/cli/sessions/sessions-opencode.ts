import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Io } from "../io.ts";
import { exportDocument, type OpencodeInfo, type OpencodeMessage } from "./opencode-export.ts";
import { filesBelow, type FoundSession, type SessionSearch } from "./session-search.ts";
import { findDatabaseSessions } from "./sessions-opencode-db.ts";

/**
 * opencode's sessions: those of its database, and those that only its older storage folders hold.
 * Sessions of sub-agents are left out.
 */
export async function findOpencodeSessions(io: Io, home: string): Promise<SessionSearch> {
  const data = path.join(io.env["XDG_DATA_HOME"] || path.join(home, ".local", "share"), "opencode");
  const database = await findDatabaseSessions(io, data);
  const storage = await findStorageSessions(path.join(data, "storage"));
  const known = new Set(database.sessions.map((session) => session.name));
  return {
    place: data,
    sessions: [
      ...database.sessions,
      ...storage.sessions.filter((session) => !known.has(session.name)),
    ],
    skipped: database.skipped + storage.skipped,
    ...(database.hint !== undefined && { hint: database.hint }),
  };
}

/** The older storage: one JSON file for each session, message and part. */
async function findStorageSessions(
  storage: string,
): Promise<Pick<SessionSearch, "sessions" | "skipped">> {
  const { files, skipped } = await filesBelow(path.join(storage, "session"), {
    depth: 1,
    accepts: (name) => /^[^/]+\/ses_[^/]+\.json$/.test(name),
  });
  const sessions: FoundSession[] = [];
  let unreadable = skipped;
  for (const file of files) {
    const info = await readJson<OpencodeInfo>(file.path);
    if (typeof info?.id !== "string") unreadable += 1;
    else if (info.parentID === undefined) {
      sessions.push({
        agent: "opencode",
        title: info.title ?? info.directory ?? info.id,
        path: undefined,
        bytes: undefined,
        modifiedAt: info.time?.updated ?? file.info.mtimeMs,
        name: info.id,
        load: () => Promise.resolve(exportDocument(info, storedMessages(storage, file.path))),
      });
    }
  }
  return { sessions, skipped: unreadable };
}

/** In the order of their ids, which sort by time. What is torn is left out. */
async function* storedMessages(storage: string, file: string): AsyncGenerator<OpencodeMessage> {
  const id = path.basename(file, ".json");
  for await (const info of storedObjects(path.join(storage, "message", id))) {
    const parts: unknown[] = [];
    const folder = path.join(storage, "part", path.basename(String(info["id"])));
    for await (const part of storedObjects(folder)) parts.push(part);
    yield { info, parts };
  }
}

async function* storedObjects(folder: string): AsyncGenerator<Record<string, unknown>> {
  const { files } = await filesBelow(folder, {
    depth: 0,
    accepts: (name) => name.endsWith(".json"),
  });
  for (const file of files.map(({ path }) => path).sort()) {
    const value = await readJson<Record<string, unknown>>(file);
    if (value !== undefined) yield value;
  }
}

/** `undefined` for what is no JSON object. */
async function readJson<Value extends object>(file: string): Promise<Value | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Value) : undefined;
  } catch {
    return undefined;
  }
}
