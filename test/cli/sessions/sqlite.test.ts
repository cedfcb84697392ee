import { utimesSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findSessions } from "../../../src/cli/sessions/sessions.ts";
import { importSqlite } from "../../../src/cli/sessions/sqlite.ts";
import { capturedIo } from "../captured-io.ts";
import { SESSION_ID, writeDatabase } from "./opencode-session.ts";

let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "longhaul-home-"));
  const data = path.join(home, ".local/share/opencode");
  (await writeDatabase(data))();
  file = path.join(data, "opencode.db");
});
afterEach(async () => {
  vi.doUnmock("node-sqlite3-wasm");
  vi.restoreAllMocks();
  await rm(home, { recursive: true, force: true });
});

/** As on a Node that has no SQLite. */
function withoutNodes(): void {
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
}

describe("importSqlite", () => {
  it.each([
    ["Node's own, or the package", () => undefined],
    ["the package", withoutNodes],
  ])("asks a database through %s", async (_, arrange) => {
    arrange();
    const open = await importSqlite();
    const ids = open!(file, (query) => query("select id from session where id = ?", SESSION_ID));
    expect(ids).toMatchObject([{ id: SESSION_ID }]);
    expect(() => open!(file, (query) => query("delete from session"))).toThrow(/read-?only/);
    expect(() => open!(`${file}.none`, (query) => query("select 1"))).toThrow(/open|ENOENT/);
  });

  it("asks again when the file was written meanwhile, and not for ever", async () => {
    withoutNodes();
    const open = await importSqlite();
    let asked = 0;
    const writtenUntil = (times: number) => (): number => {
      asked += 1;
      if (asked < times) utimesSync(file, asked, asked);
      return asked;
    };
    expect(open!(file, writtenUntil(3))).toBe(3);
    asked = 0;
    expect(() => open!(file, writtenUntil(Infinity))).toThrow("written all the time");
    expect(asked).toBeLessThan(10);
  });

  it("says in three lines how to read a database that nothing here can", async () => {
    withoutNodes();
    vi.doMock("node-sqlite3-wasm", () => {
      throw new Error("not installed");
    });
    const { sessions, hints } = await findSessions(capturedIo({ env: { HOME: home }, cwd: home }));
    expect(sessions).toEqual([]);
    expect(hints.join("\n").split("\n")).toEqual([
      expect.stringContaining(file),
      expect.stringContaining("npm install --global node-sqlite3-wasm"),
      expect.stringContaining("opencode export ID > session.json"),
    ]);
  });
});
