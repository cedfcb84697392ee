import { access } from "node:fs/promises";
import path from "node:path";
import type { Io } from "../io.ts";
import { exportDocument, type OpencodeInfo, type OpencodeMessage } from "./opencode-export.ts";
import { findProgramSessions } from "./sessions-opencode-program.ts";
import type { FoundSession, SessionSearch } from "./session-search.ts";

type DatabaseSearch = Omit<SessionSearch, "place">;

/**
 * The sessions of opencode's SQLite database: read by Node itself where it can (22.5 and newer),
 * else through the `opencode` program, else a hint says how to get at them.
 */
export async function findDatabaseSessions(io: Io, data: string): Promise<DatabaseSearch> {
  const file = path.resolve(data, io.env["OPENCODE_DB"] || "opencode.db");
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return { sessions: [], skipped: 0 };
  const sqlite = await importSqlite();
  return sqlite === undefined ? findProgramSessions(io, file) : readDatabase(sqlite, file);
}

/** What we use of `node:sqlite`, which the oldest Node that we run on does not have. */
interface Sqlite {
  readonly DatabaseSync: new (file: string, options: { readOnly: boolean }) => Database;
}

interface Database {
  prepare(sql: string): { all(...values: string[]): Row[] };
  close(): void;
}

const SQLITE: string = "node:sqlite";

/** `undefined` where this Node has no SQLite. */
async function importSqlite(): Promise<Sqlite | undefined> {
  // Some versions warn that the module is experimental, in the middle of our output.
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return (await import(SQLITE)) as Sqlite;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
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

type Row = Readonly<Record<string, unknown>>;

/** Not the sessions of sub-agents, and none without a message. */
const SESSIONS = `
  select * from session
  where parent_id is null and exists (select 1 from message where session_id = session.id)`;
/** The order that opencode itself reads them in. */
const MESSAGES = "select id, data from message where session_id = ? order by time_created, id";
const PARTS = "select id, message_id, data from part where session_id = ? order by id";

function sessionOf(sqlite: Sqlite, file: string, row: Row): FoundSession {
  const info = infoOf(row);
  return {
    agent: "opencode",
    title: info.title ?? info.directory ?? info.id,
    path: undefined,
    bytes: undefined,
    modifiedAt: info.time?.updated ?? 0,
    name: info.id,
    load: () => Promise.resolve(exportDocument(info, storedMessages(sqlite, file, info.id))),
  };
}

function infoOf(row: Row): OpencodeInfo & Record<string, unknown> {
  const { id, title, directory, version, time_created: created, time_updated: updated } = row;
  const revert = parsed(row["revert"]);
  return {
    id: String(id),
    ...(typeof title === "string" && { title }),
    ...(typeof directory === "string" && { directory }),
    ...(typeof version === "string" && { version }),
    time: {
      ...(typeof created === "number" && { created }),
      ...(typeof updated === "number" && { updated }),
    },
    ...(revert !== undefined && { revert }),
  };
}

/** The stored objects lack the ids that stand in columns of their own. */
function storedMessages(sqlite: Sqlite, file: string, sessionID: string): OpencodeMessage[] {
  const [messages, parts] = withDatabase(sqlite, file, (database) => [
    database.prepare(MESSAGES).all(sessionID),
    database.prepare(PARTS).all(sessionID),
  ]);
  const partsOf = new Map<unknown, Row[]>();
  for (const part of parts ?? []) {
    const siblings = partsOf.get(part["message_id"]);
    if (siblings === undefined) partsOf.set(part["message_id"], [part]);
    else siblings.push(part);
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

/** `undefined` for what is no JSON object. */
function parsed(data: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(String(data));
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function withDatabase<T>(sqlite: Sqlite, file: string, use: (database: Database) => T): T {
  const database = new sqlite.DatabaseSync(file, { readOnly: true });
  try {
    return use(database);
  } finally {
    database.close();
  }
}
