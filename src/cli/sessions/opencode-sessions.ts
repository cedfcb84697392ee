import path from "node:path";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isRecord } from "../../core/text/json.ts";
import type { Io } from "../io.ts";
import { filesBelow, type FoundSession, type SessionSearch } from "./session-search.ts";

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
    hint: database.hint,
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
    const info = (await readJson(file.path)) as OpencodeInfo | undefined;
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

async function* storedObjects(folder: string): AsyncGenerator<JsonObject> {
  const { files } = await filesBelow(folder, {
    depth: 0,
    accepts: (name) => name.endsWith(".json"),
  });
  for (const file of files.map(({ path }) => path).sort()) {
    const value = await readJson(file);
    if (value !== undefined) yield value;
  }
}

async function readJson(file: string): Promise<JsonObject | undefined> {
  return parsed(await readFile(file, "utf8").catch(() => ""));
}

type JsonObject = Readonly<Record<string, unknown>>;

/** `undefined` for what is no JSON object. */
function parsed(data: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(data));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type DatabaseSearch = Omit<SessionSearch, "place">;

/**
 * The sessions of opencode's SQLite database, where Node can read it (22.5 and newer); else a hint
 * says how to get at them.
 */
async function findDatabaseSessions(io: Io, data: string): Promise<DatabaseSearch> {
  const file = path.resolve(data, io.env["OPENCODE_DB"] || "opencode.db");
  if (!existsSync(file)) return { sessions: [], skipped: 0 };
  const sqlite = await importSqlite();
  return sqlite === undefined ? withoutSqlite(file) : readDatabase(sqlite, file);
}

/** What we use of `node:sqlite`, which the oldest Node that we run on does not have. */
interface Sqlite {
  readonly DatabaseSync: new (file: string, options: { readOnly: boolean }) => Database;
}

interface Database {
  prepare(sql: string): { all(...values: string[]): JsonObject[] };
  close(): void;
}

const SQLITE: string = "node:sqlite";

/** `undefined` where this Node has no SQLite. */
function importSqlite(): Promise<Sqlite | undefined> {
  return import(SQLITE).then(
    (sqlite: Sqlite) => sqlite,
    () => undefined,
  );
}

/** For a database that this Node cannot read. */
function withoutSqlite(file: string): DatabaseSearch {
  const hint = `${file} holds opencode sessions that this Node (${process.versions.node}) cannot read; use Node 22.5 or newer, or write one to a file with: opencode export ID > session.json`;
  return { sessions: [], skipped: 0, hint };
}

function readDatabase(sqlite: Sqlite, file: string): DatabaseSearch {
  try {
    const rows = withDatabase(sqlite, file, (database) => database.prepare(SESSIONS).all());
    return { sessions: rows.map((row) => sessionOf(sqlite, file, row)), skipped: 0 };
  } catch {
    return {
      sessions: [],
      skipped: 1,
      hint: `${file} could not be read; write a session to a file with: opencode export ID > session.json`,
    };
  }
}

/** Not the sessions of sub-agents, and none without a message. */
const SESSIONS = `
  select * from session
  where parent_id is null and exists (select 1 from message where session_id = session.id)`;
/** The order that opencode itself reads them in. */
const MESSAGES = "select id, data from message where session_id = ? order by time_created, id";
const PARTS = "select id, message_id, data from part where session_id = ? order by id";

function sessionOf(sqlite: Sqlite, file: string, row: JsonObject): FoundSession {
  const info = infoOf(row);
  return {
    agent: "opencode",
    title: info.title ?? info.directory ?? info.id,
    path: undefined,
    bytes: undefined,
    modifiedAt: info.time?.updated ?? 0,
    name: info.id,
    load: () => Promise.resolve(exportDocument(info, databaseMessages(sqlite, file, info.id))),
  };
}

function infoOf(row: JsonObject): OpencodeInfo & Record<string, unknown> {
  const { id, title, directory, version, time_created: created, time_updated: updated } = row;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? value : undefined;
  const time = (value: unknown): number | undefined =>
    typeof value === "number" ? value : undefined;
  return {
    id: String(id),
    title: text(title),
    directory: text(directory),
    version: text(version),
    time: { created: time(created), updated: time(updated) },
    revert: parsed(row["revert"]),
  };
}

/** The stored objects lack the ids that stand in columns of their own. */
function databaseMessages(sqlite: Sqlite, file: string, sessionID: string): OpencodeMessage[] {
  const [messages, parts] = withDatabase(sqlite, file, (database) => [
    database.prepare(MESSAGES).all(sessionID),
    database.prepare(PARTS).all(sessionID),
  ]);
  const partsOf = new Map<unknown, JsonObject[]>();
  for (const part of parts ?? []) {
    const siblings = partsOf.get(part["message_id"]) ?? [];
    partsOf.set(part["message_id"], [...siblings, part]);
  }
  return (messages ?? []).map(({ id, data }) => ({
    info: { ...parsed(data), id, sessionID },
    parts: (partsOf.get(id) ?? []).map((part) => ({
      ...parsed(part["data"]),
      id: part["id"],
      sessionID,
      messageID: id,
    })),
  }));
}

function withDatabase<T>(sqlite: Sqlite, file: string, use: (database: Database) => T): T {
  const database = new sqlite.DatabaseSync(file, { readOnly: true });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** What opencode keeps about a session, as far as we look into it. */
interface OpencodeInfo {
  readonly id: string;
  readonly title?: string;
  readonly directory?: string;
  /** On the session of a sub-agent. */
  readonly parentID?: string;
  readonly time?: { readonly created?: number; readonly updated?: number };
}

/** A message as it stands in an export. */
interface OpencodeMessage {
  readonly info: unknown;
  readonly parts: readonly unknown[];
}

/**
 * The bytes of `{info, messages: [{info, parts}]}`, the document that `opencode export` prints,
 * message by message, so that a long session is never held twice.
 */
async function* exportDocument(
  info: unknown,
  messages: AsyncIterable<OpencodeMessage> | Iterable<OpencodeMessage>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"info":${JSON.stringify(info)},"messages":[`);
  let separator = "";
  for await (const message of messages) {
    yield Buffer.from(separator + JSON.stringify(message));
    separator = ",";
  }
  yield Buffer.from("]}");
}
