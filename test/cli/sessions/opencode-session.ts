import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import sqlite from "node-sqlite3-wasm";

/** A small opencode session: a question, a step with one tool call, an answer. */
export const SESSION_ID = "ses_e07774e43ffe9basD8akHVY74E";

const stored = {
  title: "Where is the port set?",
  directory: "/home/ada/shop",
  version: "1.18.33",
  time: { created: 1_795_000_000_000, updated: 1_795_000_060_000 },
};

const tokens = (input: number, output: number): object => ({
  input,
  output,
  reasoning: 0,
  cache: { read: 0, write: 0 },
});

/** In the order of time; their ids would sort the other way. */
const MESSAGES = [
  {
    id: "msg_9",
    data: { role: "user", time: { created: 1_795_000_000_000 }, agent: "build" },
    parts: [{ id: "prt_1", data: { type: "text", text: "Where is the port set?" } }],
  },
  {
    id: "msg_5",
    data: {
      role: "assistant",
      parentID: "msg_9",
      modelID: "some-model",
      time: { created: 1_795_000_010_000 },
      tokens: tokens(7_000, 40),
      finish: "tool-calls",
    },
    parts: [
      {
        id: "prt_2",
        data: {
          type: "tool",
          callID: "call_1",
          tool: "grep",
          state: {
            status: "completed",
            input: { pattern: "PORT" },
            output: "src/server.ts:4: const PORT = 8080;",
            title: "PORT",
            metadata: {},
            time: { start: 1_795_000_011_000, end: 1_795_000_012_000 },
          },
        },
      },
    ],
  },
  {
    id: "msg_7",
    data: {
      role: "assistant",
      parentID: "msg_9",
      modelID: "some-model",
      time: { created: 1_795_000_020_000 },
      tokens: tokens(7_100, 20),
      finish: "stop",
    },
    parts: [{ id: "prt_3", data: { type: "text", text: "In src/server.ts, line 4." } }],
  },
] as const;

/** As `opencode export` prints it. */
export function exported(): string {
  const messages = MESSAGES.map(({ id, data, parts }) => ({
    info: { ...data, id, sessionID: SESSION_ID },
    parts: parts.map((part) => ({
      ...part.data,
      id: part.id,
      messageID: id,
      sessionID: SESSION_ID,
    })),
  }));
  return JSON.stringify({ info: { id: SESSION_ID, ...stored }, messages });
}

/** As older versions keep it: one file for the session, each message and each part. */
export async function writeStorage(data: string): Promise<void> {
  const storage = path.join(data, "storage");
  const put = async (names: readonly string[], value: unknown): Promise<void> => {
    const file = path.join(storage, ...names);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(value));
  };
  await put(["session", "project", `${SESSION_ID}.json`], { id: SESSION_ID, ...stored });
  const child = { id: "ses_child", ...stored, parentID: SESSION_ID };
  await put(["session", "project", "ses_child.json"], child);
  for (const [index, { data, parts }] of MESSAGES.entries()) {
    // Ids of this store sort by time.
    const id = `msg_${index}`;
    await put(["message", SESSION_ID, `${id}.json`], { ...data, id, sessionID: SESSION_ID });
    for (const part of parts) {
      await put(["part", id, `${part.id}.json`], { ...part.data, id: part.id, messageID: id });
    }
  }
}

/**
 * As newer versions keep it: tables whose `data` lacks the ids that have columns of their own. All of it
 * is still in the write-ahead log, as while opencode runs, until the function that comes back is called.
 */
export async function writeDatabase(data: string): Promise<() => void> {
  await mkdir(data, { recursive: true });
  const database = new sqlite.Database(path.join(data, "opencode.db"));
  database.exec(`pragma locking_mode = exclusive; pragma journal_mode = wal;
    pragma wal_autocheckpoint = 0;
    create table session (id text primary key, project_id text not null, parent_id text, slug text,
      directory text not null, title text not null, version text not null, revert text,
      time_created integer not null, time_updated integer not null);
    create table message (id text primary key, session_id text not null,
      time_created integer not null, time_updated integer not null, data text not null);
    create table part (id text primary key, message_id text not null, session_id text not null,
      time_created integer not null, time_updated integer not null, data text not null);`);
  const add = (table: string, ...values: (string | number | null)[]): void => {
    database.run(`insert into ${table} values (${values.map(() => "?").join()})`, values);
  };
  const { directory, title, version, time } = stored;
  const row = [directory, title, version, null, time.created, time.updated] as const;
  add("session", SESSION_ID, "p", null, "s", ...row);
  add("session", "ses_child", "p", SESSION_ID, "s", ...row);
  add("session", "ses_empty", "p", null, "s", ...row);
  for (const { id, data, parts } of MESSAGES) {
    const { created } = data.time;
    add("message", id, SESSION_ID, created, created, JSON.stringify(data));
    add("message", `${id}c`, "ses_child", created, created, JSON.stringify(data));
    for (const piece of parts) {
      add("part", piece.id, id, SESSION_ID, created, created, JSON.stringify(piece.data));
    }
  }
  return () => database.close();
}
