import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseSession, listSessions } from "../../../src/cli/sessions/choose-session.ts";
import { capturedIo } from "../captured-io.ts";
import { SESSION_ID, writeStorage } from "./opencode-session.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "longhaul-home-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const at = (columns?: number): ReturnType<typeof capturedIo> =>
  capturedIo({
    env: { HOME: home, LONGHAUL_HOME: path.join(home, "longhaul") },
    cwd: home,
    ...(columns !== undefined && { columns }),
  });

async function putDamaged(): Promise<string> {
  const file = path.join(home, ".claude/projects/p/damaged.jsonl");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "no session\n");
  return file;
}

describe("chooseSession without a terminal", () => {
  it("lists the sessions, says how to go on, and picks none", async () => {
    await writeStorage(path.join(home, ".local/share/opencode"));
    const damaged = await putDamaged();
    const io = at();
    expect(await chooseSession(io)).toBeUndefined();
    expect(io.text()).toContain("shop: Where is the port set?");
    expect(io.text()).toMatch(/ 7 %\? +7\.1k .* opencode/);
    expect(io.text()).toContain(`  ${SESSION_ID}`);
    expect(io.text()).toMatch(/damaged .* Claude/);
    expect(io.text()).toContain(damaged);
    expect(io.lines().at(-1)).toContain("longhaul compact ID");
  });

  it("names a file on one line, whatever is in its name", async () => {
    const folder = path.join(home, ".claude/projects/p");
    await mkdir(folder, { recursive: true });
    for (const name of ["new\nline.jsonl", "\u001b[31mred.jsonl", "tab\t.jsonl", "🦊 é.jsonl"]) {
      await writeFile(path.join(folder, name), "no session\n");
    }
    const io = at();
    await listSessions(io, {});
    for (const name of [
      'new\\nline.jsonl"',
      '\\u001b[31mred.jsonl"',
      'tab\\t.jsonl"',
      "🦊 é.jsonl",
    ]) {
      expect(io.lines().some((line) => line.endsWith(name))).toBe(true);
    }
  });

  it("says that the options ask for none, instead of a table without rows", async () => {
    await writeStorage(path.join(home, ".local/share/opencode"));
    const io = at();
    await listSessions(io, { agent: "codex" });
    expect(io.text()).toBe(
      "None of the sessions on this computer is asked for by these options.\n",
    );
  });

  it("prints JSON for programs", async () => {
    await writeStorage(path.join(home, ".local/share/opencode"));
    const io = at();
    expect(await chooseSession(io, { json: true })).toBeUndefined();
    const listed = at();
    await listSessions(listed, { json: true });
    expect(io.json()).toEqual(listed.json());
    expect(io.json()).toMatchObject([{ agent: "opencode", id: SESSION_ID, tokens: 7_120 }]);
  });

  it("says in a friendly way where it looked when there is nothing", async () => {
    const io = at();
    expect(await chooseSession(io)).toBeUndefined();
    expect(io.text()).toContain("No agent sessions were found on this computer.");
    expect(io.text()).toContain(path.join(home, ".claude", "projects"));
    expect(io.text()).toContain("longhaul compact FILE");
  });
});

describe("listSessions", () => {
  it.each([60, 80, 100, 120])(
    "keeps the rows of a terminal of %i columns in it",
    async (columns) => {
      await writeStorage(path.join(home, ".local/share/opencode"));
      await putDamaged();
      const io = at(columns);
      await listSessions(io, {});
      const rows = io.lines().filter((line) => /(?:Agent|opencode|Claude)$/.test(line));
      expect(rows).toHaveLength(3);
      for (const line of rows) expect(Array.from(line).length).toBeLessThanOrEqual(columns);
    },
  );
});
