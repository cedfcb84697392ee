import path from "node:path";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isRecord } from "../../core/text/json.ts";
import type { Io } from "../io.ts";
import { importSqlite, type OpenDatabase } from "./sqlite.ts";
import { filesBelow, type SessionSearch, stampOf, type SubAgent } from "./session-search.ts";

/** The folder in which opencode keeps everything. */
export function opencodeFolder(io: Io, home: string): string {
  return path.join(io.env["XDG_DATA_HOME"] || path.join(home, ".local", "share"), "opencode");
}

/** opencode's sessions: those of its database, and those that only its older storage folders hold. */
export async function findOpencodeSessions(io: Io, home: string): Promise<SessionSearch> {
  const data = opencodeFolder(io, home);
  const database = await findDatabaseSessions(io, data);
  const storage = await findStorageSessions(path.join(data, "storage"));
  const known = new Set(database.sessions.map((session) => session.name));
  const all = [...database.sessions, ...storage.sessions.filter(({ name }) => !known.has(name))];
  const outputs = filesBelow(path.join(data, "tool-output"), { depth: 0, accepts: () => true });
  return {
    place: data,
    sessions: all.filter(({ parent }) => parent === undefined),
    subAgents: all.filter(({ parent }) => parent !== undefined),
    outputs: outputs.files.map((file) => ({ ...file, agent: "opencode", session: undefined })),
    skipped: database.skipped + storage.skipped,
    hint: database.hint,
  };
}

/** Sessions and those of their sub-agents, which have a parent. */
interface OpencodeSearch extends Pick<SessionSearch, "skipped" | "hint"> {
  readonly sessions: readonly SubAgent[];
}

/** The older storage: one JSON file for each session, message and part. */
async function findStorageSessions(storage: string): Promise<OpencodeSearch> {
  const { files, skipped } = filesBelow(path.join(storage, "session"), {
    depth: 1,
    accepts: (name) => /^[^/]+\/ses_[^/]+\.json$/.test(name),
  });
  const sessions: SubAgent[] = [];
  let unreadable = skipped;
  for (const file of files) {
    const info = (await readJson(file.path)) as OpencodeInfo | undefined;
    if (typeof info?.id !== "string") unreadable += 1;
    else {
      sessions.push({
        ...aboutSession(info, stampOf(file)),
        modifiedAt: info.time?.updated ?? file.mtimeMs,
        load: () => Promise.resolve(exportDocument(info, storedMessages(storage, file.path))),
      });
    }
  }
  return { sessions, skipped: unreadable };
}

function aboutSession(info: OpencodeInfo, stamp: string): Omit<SubAgent, "load"> {
  const { id, title = info.directory ?? id, parentID: parent } = info;
  const modifiedAt = info.time?.updated ?? 0;
  const nowhere = { path: undefined, bytes: undefined };
  const cwd = info.directory;
  return { agent: "opencode", id, name: id, title, cwd, parent, stamp, modifiedAt, ...nowhere };
}

/** In the order of their ids, which sort by time. Torn rows are left out. */
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
  const { files } = filesBelow(folder, {
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

/** The sessions of opencode's SQLite database; a hint where nothing here can read it. */
async function findDatabaseSessions(io: Io, data: string): Promise<OpencodeSearch> {
  const file = databaseFile(io, data);
  if (!existsSync(file)) return { sessions: [], skipped: 0 };
  const open = await importSqlite();
  return open === undefined ? withoutSqlite(file) : readDatabase(open, file);
}

/** For a database that nothing here can read. */
function withoutSqlite(file: string): OpencodeSearch {
  const hint = [
    `${file} holds opencode's sessions, which Node ${process.versions.node} cannot read by itself`,
    "  to read them: npm install --global node-sqlite3-wasm (or use Node 22.13 or newer)",
    "  or write one to a file: opencode export ID > session.json",
  ].join("\n");
  return { sessions: [], skipped: 0, hint };
}

function readDatabase(open: OpenDatabase, file: string): OpencodeSearch {
  try {
    const rows = open(file, (query) => query(SESSIONS));
    return { sessions: rows.map((row) => sessionOf(open, file, row)), skipped: 0 };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      sessions: [],
      skipped: 1,
      hint: `${file} could not be read (${why}); write a session to a file with: opencode export ID > session.json`,
    };
  }
}

/** None without a message. The number of messages and the time tell that a session has changed. */
const SESSIONS = `
  select session.*, count(*) as messages, max(message.time_updated) as changed
  from session join message on message.session_id = session.id group by session.id`;
/** The order that opencode itself reads them in. */
const MESSAGES = "select id, data from message where session_id = ? order by time_created, id";
const PARTS = "select id, message_id, data from part where session_id = ? order by id";

function sessionOf(open: OpenDatabase, file: string, row: JsonObject): SubAgent {
  const info = infoOf(row);
  return {
    ...aboutSession(info, [info.time?.updated, row["changed"], row["messages"]].join(":")),
    load: () => Promise.resolve(exportDocument(info, databaseMessages(open, file, info.id))),
  };
}

function infoOf(row: JsonObject): OpencodeInfo & Record<string, unknown> {
  const { id, title, directory, version, time_created: created, time_updated: updated } = row;
  const { parent_id: parent } = row;
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? value : undefined;
  const time = (value: unknown): number | undefined =>
    typeof value === "number" ? value : undefined;
  return {
    id: String(id),
    title: text(title),
    directory: text(directory),
    version: text(version),
    ...(typeof parent === "string" && { parentID: parent }),
    time: { created: time(created), updated: time(updated) },
    revert: parsed(row["revert"]),
  };
}

/** A text that is looked for; in lower case where upper and lower case are one. */
interface TextPiece {
  readonly text: string;
  readonly ignoresCase: boolean;
}

/**
 * Whether one of the pieces of text may stand in a session, by what opencode's database says of those
 * that it holds; of all others nobody knows.
 */
export async function opencodeMayHold(
  io: Io,
  home: string,
  pieces: readonly TextPiece[],
): Promise<(id: string) => boolean> {
  const file = databaseFile(io, opencodeFolder(io, home));
  const open = pieces.length === 0 || !existsSync(file) ? undefined : await importSqlite();
  if (open === undefined) return () => true;
  try {
    const holds = ({ ignoresCase }: TextPiece): string =>
      ignoresCase ? "instr(lower(data), ?) > 0" : "instr(data, ?) > 0";
    const has = pieces.map(holds).join(" or ");
    const texts = pieces.map(({ text }) => text);
    const [stored, ...holding] = open(file, (query) => [
      query("select id from session"),
      ...["part", "message"].map((table) =>
        query(`select distinct session_id as id from ${table} where ${has}`, ...texts),
      ),
    ]);
    const known = new Set(stored?.map(({ id }) => id));
    const found = new Set(holding.flat().map(({ id }) => id));
    return (id) => !known.has(id) || found.has(id);
  } catch {
    return () => true;
  }
}

function databaseFile(io: Io, data: string): string {
  return path.resolve(data, io.env["OPENCODE_DB"] || "opencode.db");
}

/** The stored objects lack the ids that stand in columns of their own. */
function databaseMessages(open: OpenDatabase, file: string, sessionID: string): OpencodeMessage[] {
  const [messages, parts] = open(file, (query) => [
    query(MESSAGES, sessionID),
    query(PARTS, sessionID),
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

/** opencode's record of a session, as far as we look into it. */
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
