import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { findSessions } from "../../../src/cli/sessions/sessions.ts";
import {
  queriedRows,
  type SessionRow,
  sessionRow,
} from "../../../src/cli/sessions/session-table.ts";
import { surveySessions } from "../../../src/cli/sessions/survey.ts";
import { stampOf } from "../../../src/cli/sessions/session-search.ts";
import { readTranscript } from "../../../src/transcripts/index.ts";
import { capturedIo, type CapturedIo } from "../captured-io.ts";
import { exported, SESSION_ID, writeDatabase, writeStorage } from "./opencode-session.ts";
import { RECORDINGS } from "../../recordings.ts";

let home: string;
let io: CapturedIo;

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "longhaul-home-"));
  io = capturedIo({
    env: { HOME: home, LONGHAUL_HOME: path.join(home, "longhaul"), PATH: "" },
    cwd: home,
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const UUID = "11111111-2222-3333-4444-555555555555";

/** A file below the home folder, last changed so many minutes ago. */
async function put(names: string, text: string, minutesAgo = 0): Promise<string> {
  const file = path.join(home, names);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  const time = Date.now() / 1000 - minutesAgo * 60;
  await utimes(file, time, time);
  return file;
}

function claudeLine(text: string): string {
  const message = { role: "user", content: text };
  const cwd = path.join(home, "code", "shop");
  const base = { uuid: "u1", parentUuid: null, sessionId: "s1", cwd, version: "2.1.17" };
  return `${JSON.stringify({ type: "user", ...base, timestamp: "2026-02-14T20:00:00Z", isSidechain: false, message })}\n`;
}

describe("longhaul alone, without a terminal", () => {
  it("prints the table of sessions", async () => {
    await put(`.claude/projects/shop/${UUID}.jsonl`, claudeLine("Mend the basket."));
    expect(await runProgram(io, [], "1.0.0")).toBe(0);
    const alone = io.text();
    expect(alone).toContain("Mend the basket.");
    io = capturedIo({ env: io.env, cwd: home });
    await runProgram(io, ["sessions"], "1.0.0");
    expect(alone).toBe(io.text());
  });
});

describe("findSessions", () => {
  it("finds nothing in an empty home and names where it looked", async () => {
    const found = await findSessions(io);
    expect(found.sessions).toEqual([]);
    expect(found.skipped).toBe(0);
    expect(found.places).toHaveLength(8);
    for (const place of found.places) expect(place.startsWith(home)).toBe(true);
  });

  it("finds the sessions of each agent in its own layout, newest first", async () => {
    const project = `${home}/code/shop`.replace(/[^A-Za-z0-9]/g, "-");
    const files = [
      await put(`.claude/projects/${project}/0b7c.jsonl`, claudeLine("hello"), 1),
      await put(".codex/sessions/2026/06/26/rollout-2026-06-26T12-24-00-abc.jsonl", "{}", 2),
      await put(".pi/agent/sessions/--home-ada-shop--/2026_abc.jsonl", "{}", 3),
      await put(".gemini/tmp/9f8e/chats/session-2026-04-14T15-31-abc.json", "{}", 4),
      await put(".gemini/tmp/9f8e/chats/session-2026-04-13T15-31-abc.jsonl", "{}", 5),
      await put(`.copilot/session-state/${UUID}/events.jsonl`, "{}", 6),
      await put(".copilot/session-state/old.jsonl", "{}", 7),
    ];
    const { sessions } = await findSessions(io);
    expect(sessions.map((session) => session.path)).toEqual(files);
    expect(sessions.map((session) => session.agent)).toEqual([
      "claude-code",
      "codex",
      "pi",
      "gemini-cli",
      "gemini-cli",
      "copilot-cli",
      "copilot-cli",
    ]);
    expect(sessions[5]).toMatchObject({ id: UUID, name: `${UUID}.jsonl`, title: UUID });
    expect(sessions[0]).toMatchObject({ title: "code-shop", name: "0b7c.jsonl" });
    expect(sessions[2]).toMatchObject({ title: "home-ada-shop", bytes: 2 });
    expect(await sessions[0]!.load()).toBe(files[0]);
  });

  it("leaves out files of sub-agents, empty files and everything else that lies there", async () => {
    await put(".claude/projects/p/agent-a1.jsonl", claudeLine("sub-agent"));
    await put(".claude/projects/p/s1/subagents/agent-a2.jsonl", claudeLine("sub-agent"));
    await put(".claude/projects/p/empty.jsonl", "");
    await put(".claude/projects/p/notes.md", "notes");
    await put(".claude/projects/stray.jsonl", claudeLine("stray"));
    await put(".codex/sessions/2026/06/26/other.jsonl", "{}");
    await put(".gemini/tmp/9f8e/logs.json", "{}");
    expect((await findSessions(io)).sessions).toEqual([]);
  });

  it("looks where the agents' own variables point", async () => {
    await put("elsewhere/claude/projects/p/a.jsonl", claudeLine("a"), 1);
    await put("elsewhere/codex/sessions/rollout-b.jsonl", "{}", 2);
    await writeStorage(path.join(home, "elsewhere/data/opencode"));
    const env = {
      HOME: home,
      CLAUDE_CONFIG_DIR: path.join(home, "elsewhere/claude"),
      CODEX_HOME: path.join(home, "elsewhere/codex"),
      XDG_DATA_HOME: path.join(home, "elsewhere/data"),
    };
    const { sessions } = await findSessions(capturedIo({ env }));
    expect(sessions.map((session) => session.agent).sort()).toEqual([
      "claude-code",
      "codex",
      "opencode",
    ]);
  });

  it.skipIf(process.platform === "win32")(
    "does not follow symbolic links out of the folders",
    async () => {
      const outside = await put("private/secret.jsonl", claudeLine("secret"));
      await mkdir(path.join(home, ".claude/projects/p"), { recursive: true });
      await symlink(outside, path.join(home, ".claude/projects/p/link.jsonl"));
      await symlink(path.dirname(outside), path.join(home, ".claude/projects/linked"));
      expect(await findSessions(io)).toMatchObject({ sessions: [], skipped: 0 });
    },
  );

  it("counts what it cannot read and goes on", async () => {
    await put(".local/share/opencode/storage/session/p/ses_torn.json", '{"id": "ses_to');
    await writeStorage(path.join(home, ".local/share/opencode"));
    const found = await findSessions(io);
    expect(found.skipped).toBe(1);
    expect(found.sessions.map((session) => session.name)).toEqual([SESSION_ID]);
  });
});

describe("opencode", () => {
  it("gives the export document of a session in the older storage folders", async () => {
    await writeStorage(path.join(home, ".local/share/opencode"));
    const { sessions } = await findSessions(io);
    expect(sessions).toHaveLength(1);
    const stored = await readTranscript(await sessions[0]!.load());
    const printed = await readTranscript(Buffer.from(exported()));
    expect(stored.format).toBe("opencode");
    // The ids of the older storage are others, and stand in what each part was read from.
    const texts = (transcript: typeof stored): unknown =>
      transcript.conversations[0]!.messages.map(({ role, parts }) => ({
        role,
        parts: parts.map((part) => ({ ...part, source: undefined })),
      }));
    expect(texts(stored)).toEqual(texts(printed));
    expect(stored.conversations[0]!.cwd).toBe("/home/ada/shop");
  });

  it("gives exactly that of a session in the database, and of its log, and writes nothing", async () => {
    const data = path.join(home, ".local/share/opencode");
    const close = await writeDatabase(data);
    await rm(path.join(data, "opencode.db.lock"), { recursive: true, force: true });
    await writeStorage(data);
    const before = await contentsOf(data);
    const { sessions, skipped, hints } = await findSessions(io);
    expect(hints).toEqual([]);
    expect(skipped).toBe(0);
    expect(sessions.map((session) => session.name)).toEqual([SESSION_ID]);
    expect(sessions[0]).toMatchObject({ modifiedAt: 1_795_000_060_000, bytes: undefined });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await sessions[0]!.load()) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
    }
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(JSON.parse(exported()));
    expect(await contentsOf(data)).toEqual(before);
    close();
    expect((await findSessions(io)).sessions).toHaveLength(1);
  });

  it("says how to get at a database that is damaged or cannot be read here", async () => {
    const file = await put(".local/share/opencode/opencode.db", "this is no database");
    const { sessions, hints } = await findSessions(io);
    expect(sessions).toEqual([]);
    expect(hints).toHaveLength(1);
    expect(hints[0]).toContain(file);
    expect(hints[0]).toContain("opencode export ID > session.json");
  });
});

/** The files in a folder; memory that SQLite shares between processes is none of them. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !/-shm$|^storage$/.test(name));
  const read = async (name: string) => [name, await readFile(path.join(folder, name), "hex")];
  return Object.fromEntries(await Promise.all(names.map(read)));
}

const rows = async (): Promise<SessionRow[]> =>
  (await surveySessions(io)).sessions.map((known) => sessionRow(known));

describe("surveySessions", () => {
  it("measures what it can read and tells what it cannot", async () => {
    await put(".claude/projects/p/good.jsonl", claudeLine("Fix the shop, please."), 1);
    await put(".claude/projects/p/bad.jsonl", "this is no session\n", 2);
    const [good, bad] = await rows();
    expect(good).toMatchObject({
      known: { facts: { state: "measured", window: 128_000 } },
      title: "Fix the shop, please.",
      project: "shop",
    });
    expect(good!.tokens).toBeGreaterThan(4);
    expect(good!.tokens).toBeLessThan(20);
    expect(bad).toMatchObject({ known: { facts: { state: "unreadable" } } });
    expect(bad!.tokens).toBeUndefined();
  });

  it("measures with what a settings file says, and again when that changes", async () => {
    await put("longhaul.json", '{ "window": 64000, "reserved": 4000 }');
    await put(".claude/projects/p/good.jsonl", claudeLine("Fix the shop, please."));
    const factsOf = async () => (await rows())[0]!.known.facts;
    expect(await factsOf()).toMatchObject({ window: 64_000, usable: 60_000, isWindowSure: true });
    await put("longhaul.json", '{ "window": 32000, "reserved": 4000 }');
    expect(await factsOf()).toMatchObject({ window: 32_000, usable: 28_000 });
  });

  it("keeps what it read, and reads again what has changed only", async () => {
    await put(".claude/projects/p/a.jsonl", claudeLine("first"), 3);
    await put(".claude/projects/p/b.jsonl", claudeLine("second"), 2);
    expect((await rows()).map(({ title }) => title)).toEqual(["second", "first"]);
    // The same size and time: nobody looks into it.
    const same = claudeLine("THIRD");
    await put(".claude/projects/p/a.jsonl", same, 3);
    const file = path.join(home, ".claude/projects/p/a.jsonl");
    const index = path.join(home, "longhaul/cache");
    const [name] = await readdir(index);
    const info = await stat(file);
    const kept = (await readFile(path.join(index, name!), "utf8")).split("\n").map((line) => {
      const [key, , facts] = line.split("\t");
      if (!line.includes(file)) return line;
      return [key, stampOf({ ...info, size: same.length }), facts].join("\t");
    });
    await writeFile(path.join(index, name!), kept.join("\n"));
    expect((await rows()).map(({ title }) => title)).toEqual(["second", "first"]);
    await put(".claude/projects/p/a.jsonl", claudeLine("another one"), 1);
    expect((await rows()).map(({ title }) => title)).toEqual(["another one", "second"]);
    await rm(file);
    expect((await rows()).map(({ title }) => title)).toEqual(["second"]);
    expect(await readFile(path.join(index, name!), "utf8")).not.toContain("another one");
  });

  it.each([
    ["torn", (text: string) => text.slice(0, -20)],
    ["of another kind", () => '{"version":1,"entries":[1,2]}'],
    ["no JSON", () => "\0\0"],
    ["with senseless entries", () => '{"version":1,"entries":{"claude-code x":7}}'],
  ])("begins an index anew that is %s", async (_, damaged) => {
    await put(".claude/projects/p/a.jsonl", claudeLine("first"));
    await rows();
    const index = path.join(home, "longhaul/cache");
    const [name] = await readdir(index);
    const file = path.join(index, name!);
    const whole = await readFile(file, "utf8");
    await writeFile(file, damaged(whole));
    expect((await rows()).map(({ title }) => title)).toEqual(["first"]);
    expect(await readFile(file, "utf8")).toBe(whole);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("is safe for several at once", async () => {
    for (let each = 0; each < 20; each++) {
      await put(`.claude/projects/p/${each}.jsonl`, claudeLine(`number ${each}`), each);
    }
    const all = await Promise.all(Array.from({ length: 4 }, rows));
    const titles = Array.from({ length: 20 }, (_, each) => `number ${each}`);
    for (const one of all) expect(one.map(({ title }) => title)).toEqual(titles);
    expect(await readdir(path.join(home, "longhaul/cache"))).toHaveLength(1);
  });

  it("counts what sub-agents spent for their session", async () => {
    const reply = (id: string, input: number, isSidechain: boolean): string => {
      const usage = { input_tokens: input, output_tokens: 10 };
      const content = [{ type: "text", text: "Done." }];
      const message = { id, role: "assistant", model: "claude-opus-5", content, usage };
      const base = { uuid: id, parentUuid: null, sessionId: "s1", isSidechain, message };
      return `${JSON.stringify({ type: "assistant", timestamp: "2026-02-14T20:00:01Z", ...base })}\n`;
    };
    await put(".claude/projects/p/s1.jsonl", claudeLine("Go.") + reply("m1", 1_000_000, false));
    await put(".claude/projects/p/s1/subagents/agent-1.jsonl", reply("m2", 2_000_000, true));
    await put(".claude/projects/p/agent-2.jsonl", reply("m3", 4_000_000, true));
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row!.spent).toBe(7_000_030);
    expect(row!.cost).toBeCloseTo(7 * 5 + 30 * 25e-6, 9);
  });

  it.skipIf(!existsSync(RECORDINGS))(
    "takes what the provider reported last where there is usage",
    async () => {
      const folder = path.join(home, ".codex/sessions/2026/06/26");
      await mkdir(folder, { recursive: true });
      await copyFile(
        path.join(RECORDINGS, "codex/cx-0.142.2-remote-compaction.jsonl"),
        path.join(folder, "rollout-2026-06-26T12-24-00-abc.jsonl"),
      );
      const chats = path.join(home, ".gemini/tmp/9f8e/chats");
      await mkdir(chats, { recursive: true });
      await copyFile(
        path.join(RECORDINGS, "gemini-cli/gem-cancelled-tools.json"),
        path.join(chats, "session-1.json"),
      );
      const by = new Map((await rows()).map((one) => [one.agent, one]));
      expect(by.get("codex")).toMatchObject({
        tokens: 97_997,
        known: { facts: { isWindowSure: true, window: 121_600 } },
        project: "agentv",
      });
      // 68,000 and some are reported, what came since is estimated.
      expect(by.get("gemini-cli")!.tokens).toBeGreaterThan(68_000);
      expect(by.get("gemini-cli")!.tokens).toBeLessThan(69_000);
    },
  );
});

describe("queriedRows", () => {
  it("filters by every word and sorts", async () => {
    await put(".claude/projects/p/a.jsonl", claudeLine("Paint the fence"), 2);
    await put(".claude/projects/p/b.jsonl", claudeLine("Paint the very, very long wall"), 1);
    const all = await rows();
    const titles = (query: string): string[] => queriedRows(all, query).map(({ title }) => title);
    expect(titles("paint FENCE")).toEqual(["Paint the fence"]);
    expect(titles("codex")).toEqual([]);
    expect(titles("shop sort:tok")[0]).toContain("wall");
    expect(titles("sort:when")).toHaveLength(2);
    expect(titles("sort:")).toHaveLength(2);
  });
});
