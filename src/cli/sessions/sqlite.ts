import {
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";

type Row = Readonly<Record<string, unknown>>;

/** Runs one statement; the rows that it gives. */
export type Query = (sql: string, ...values: readonly string[]) => Row[];

/**
 * Opens a database file for reading, asks it, and closes it. All that is asked comes from one state of
 * the database, also while another program writes it. Throws where the file is none.
 */
export type OpenDatabase = <T>(file: string, ask: (query: Query) => T) => T;

/** The used part of `node:sqlite`, which Node has without a flag since 22.13. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readOnly: boolean },
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { all(...values: readonly string[]): Row[] };
    close(): void;
  };
}

/** The used part of the package `node-sqlite3-wasm`. */
interface WasmSqlite {
  readonly Database: new (
    file: string,
    options: { readOnly: boolean },
  ) => {
    all(sql: string, values?: string[]): Row[];
    close(): void;
  };
}

/** Node's own SQLite, else the package `node-sqlite3-wasm`; `undefined` where there is neither. */
export async function importSqlite(): Promise<OpenDatabase | undefined> {
  const own = nodeSqlite();
  if (own !== undefined) return (file, ask) => askNode(own, file, ask);
  const wasm = await import("node-sqlite3-wasm").catch(() => undefined);
  return wasm && ((file, ask) => askWasm(wasm.default, file, ask));
}

/** Without the warning that it is new, which is nothing to a person who asks for sessions. */
function nodeSqlite(): NodeSqlite | undefined {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function askNode<T>({ DatabaseSync }: NodeSqlite, file: string, ask: (query: Query) => T): T {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec("begin");
    return ask((sql, ...values) => database.prepare(sql).all(...values));
  } finally {
    database.close();
  }
}

/** The times that a database that is being written is asked again. */
const ATTEMPTS = 5;

/**
 * The locks of this SQLite are its own, so nothing keeps the writer from moving its write-ahead log
 * into the file meanwhile. A read counts if that did not happen.
 */
function askWasm<T>(sqlite: WasmSqlite, file: string, ask: (query: Query) => T): T {
  for (let attempt = 1; ; attempt++) {
    const before = stateOf(file);
    const isSame = (): boolean => stateOf(file) === before;
    try {
      const answer = askOnce(sqlite, file, ask);
      if (isSame()) return answer;
    } catch (error) {
      if (isSame()) throw error;
    }
    if (attempt === ATTEMPTS) throw new Error("it is being written all the time");
  }
}

/** Changes with every write to the file, and when its log begins anew; not with what is added to that. */
function stateOf(file: string): string {
  const { mtimeMs, size } = statSync(file);
  return [mtimeMs, size, logHeader(file)].join(" ");
}

function logHeader(file: string): string {
  const log = `${file}-wal`;
  if (!existsSync(log)) return "";
  const [bytes, descriptor] = [Buffer.alloc(32), openSync(log, "r")];
  try {
    return bytes.toString("hex", 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Its lock is a folder beside the file, and a log that is not there gets created: links in a folder of
 * their own keep both out of the agent's.
 */
function askOnce<T>(sqlite: WasmSqlite, file: string, ask: (query: Query) => T): T {
  const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-"));
  try {
    const linked = path.join(folder, "database");
    for (const end of ["", "-wal"]) if (existsSync(file + end)) link(file + end, linked + end);
    const database = new sqlite.Database(linked, { readOnly: true });
    try {
      // Without memory shared between processes only this mode sees the log.
      database.all("pragma locking_mode = exclusive");
      database.all("begin");
      return ask((sql, ...values) => database.all(sql, [...values]));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Windows gives not everybody the right to make symbolic links. */
function link(file: string, name: string): void {
  try {
    symlinkSync(file, name);
  } catch {
    linkSync(file, name);
  }
}
