import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { runProgram } from "../../src/cli/program.ts";
import { literalNeedle, regexNeedle } from "../../src/cli/search/needle.ts";
import { caselessProbe, literalProbe, type Probe } from "../../src/cli/search/probe.ts";
import { runs } from "../property/runs.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { HAS_ZSTD, PACKED_ROLLOUT } from "../transcripts/zstd.ts";
import { capturedIo, type CapturedIo } from "./captured-io.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

interface Hit {
  readonly agent: string;
  readonly session: string | null;
  readonly path: string | null;
  readonly project: string | null;
  readonly turn: number | null;
  readonly record: number;
  readonly kind: string;
  readonly text: string;
  readonly open: readonly string[];
}

let home: string;

beforeAll(() => {
  home = temporaryFolder();
});

function put(name: string, data: string | Uint8Array): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, data);
  return file;
}

async function run(args: readonly string[], columns?: number): Promise<CapturedIo> {
  const env = { HOME: home, LONGHAUL_HOME: path.join(home, "longhaul"), PATH: "" };
  const io = capturedIo({ env, cwd: home, ...(columns !== undefined && { columns }) });
  expect(await runProgram(io, args, "0.0.0")).toBe(0);
  return io;
}

async function search(...args: readonly string[]): Promise<readonly Hit[]> {
  const { hits } = (await run(["search", ...args, "--json"])).json() as { hits: readonly Hit[] };
  return hits;
}

// oxlint-disable-next-line no-control-regex -- it is one
const OWN_COLOUR = /\u001B\[\d+m/g;
const UUID = "aaaaaaaa-2222-3333-4444-555555555555";

function claudeLine(type: "user" | "assistant", content: unknown, more: object = {}): string {
  const base = { parentUuid: null, sessionId: UUID, cwd: "/home/ada/shop", ...more };
  return `${JSON.stringify({ type, uuid: String(Math.random()), ...base, message: { role: type, content } })}\n`;
}

describe("longhaul search", () => {
  beforeAll(async () => {
    const call = {
      type: "tool_use",
      id: "t1",
      name: "Bash",
      input: { command: "ls 'quoted \"dir\"'" },
    };
    const result = {
      type: "tool_result",
      tool_use_id: "t1",
      content: 'first\nsecond "line"\twith größe',
    };
    put(
      `.claude/projects/-home-ada-shop/${UUID}.jsonl`,
      [
        claudeLine("user", "Please paint the fence"),
        claudeLine("assistant", [call]),
        claudeLine("user", [result]),
        claudeLine("user", "And now the gate, evil \u001B]0;owned\u0007title \u202Eesrever"),
        claudeLine("assistant", [{ type: "text", text: "The gate is red." }]),
        '{"type":"user","message":{"content":"torn fence',
      ].join(""),
    );
    put(
      `.claude/projects/-home-ada-shop/${UUID}/subagents/agent-7.jsonl`,
      claudeLine("assistant", [{ type: "text", text: "I measured the palisade." }], {
        isSidechain: true,
      }),
    );
    put(`.claude/projects/-home-ada-shop/${UUID}/tool-results/t9.txt`, "one\ntwo zebras\nthree\n");
    const args = JSON.stringify({ cmd: 'echo "deeply packed"\n' });
    const items = [
      { type: "session_meta", payload: { id: "c1", cwd: "/home/ada/mill" } },
      { type: "event_msg", payload: { type: "user_message", message: "Grind" } },
      { type: "response_item", payload: { type: "function_call", name: "exec", arguments: args } },
    ];
    put(
      ".codex/sessions/2026/06/26/rollout-2026-06-26T12-24-00-c1.jsonl.gz",
      gzipSync(items.map((item) => `${JSON.stringify(item)}\n`).join("")),
    );
    await directoryArchive(path.join(home, "longhaul/archive"), { conversation: "x" }).put(
      "out",
      "alpha\nbeta walrus\ngamma",
    );
  });

  it("finds what stands in a session, however it is written there", async () => {
    for (const [text, found] of [
      ["paint the fence", { turn: 1, record: 1, kind: "user" }],
      ["'quoted \"dir\"'", { turn: 1, record: 2, kind: "tool call" }],
      ['second "line"\twith größe', { turn: 1, record: 3, kind: "tool result" }],
      ["first\nsecond", { record: 3 }],
      ["öß", { record: 3 }],
      ["gate is", { turn: 2, record: 5, kind: "assistant" }],
    ] as const) {
      const [hit, ...others] = await search(text);
      expect(others).toEqual([]);
      expect(hit).toMatchObject({ agent: "claude-code", session: UUID, ...found });
      expect(hit!.project).toBe("/home/ada/shop");
      expect(hit!.open).toEqual(["longhaul", "inspect", "aaaaaaaa", "--show", `L${hit!.record}`]);
    }
  });

  it("lists, searches and counts a session of Copilot CLI", async () => {
    const id = "99999999-2222-3333-4444-555555555555";
    const usage = { inputTokens: 900, outputTokens: 30, cacheReadTokens: 600, cacheWriteTokens: 0 };
    const modelMetrics = { "claude-opus-4.7": { requests: { count: 4 }, usage } };
    const result = { content: "the otter sleeps" };
    const drafts = [
      { type: "session.start", data: { sessionId: id, context: { cwd: "/home/ada/pond" } } },
      { type: "user.message", data: { content: "Where is the otter?" } },
      { type: "assistant.message", data: { messageId: "m", content: "I look.", toolRequests: [] } },
      { type: "tool.execution_complete", data: { toolCallId: "c", success: true, result } },
      { type: "session.shutdown", data: { modelMetrics } },
    ];
    const timestamp = "2026-11-20T10:00:00Z";
    const lines = drafts.map((draft, at) => ({
      ...draft,
      id: `e${at}`,
      parentId: null,
      timestamp,
    }));
    put(
      `.copilot/session-state/${id}/events.jsonl`,
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    expect(await search("the otter", "--agent", "copilot-cli")).toMatchObject([
      { project: "/home/ada/pond", turn: 1, record: 2, kind: "user" },
      {
        session: id,
        turn: 1,
        record: 4,
        kind: "tool result",
        open: ["longhaul", "inspect", "99999999", "--show", "L4"],
      },
    ]);
    const listed = (await run(["sessions", "--agent", "copilot-cli", "--json"])).json();
    expect(listed).toMatchObject([{ id, project: "/home/ada/pond", title: "Where is the otter?" }]);
    const { total } = (await run(["cost", "--agent", "copilot-cli", "--json"])).json() as {
      total: object;
    };
    expect(total).toMatchObject({ requests: 4, input: 300, cacheRead: 600, output: 30 });
    const shown = await run(["inspect", "99999999", "--show", "L4"]);
    expect(shown.text()).toContain("the otter sleeps");
  });

  it("finds it in sub-agents, outputs beside a session, packed files and the archive", async () => {
    expect(await search("palisade")).toMatchObject([{ session: UUID, record: 1 }]);
    expect(await search("zebras")).toMatchObject([
      { session: UUID, record: 2, text: "two zebras" },
    ]);
    expect(await search('"deeply packed"')).toMatchObject([
      { agent: "codex", turn: 1, record: 3, kind: "tool call", project: "/home/ada/mill" },
    ]);
    const [archived] = await search("walrus");
    expect(archived).toMatchObject({ agent: "longhaul", record: 2 });
    const [, ...recall] = archived!.open;
    expect((await run(recall)).text()).toBe("beta walrus\n");
  });

  it("looks into what Codex packed with zstd, or says that it could not", async () => {
    put(".codex/archived_sessions/rollout-2026-06-27T12-24-00-z1.jsonl.zst", PACKED_ROLLOUT);
    const found = await search("walnuts");
    if (HAS_ZSTD) expect(found).toMatchObject([{ agent: "codex", project: "/home/ada/mill" }]);
    else {
      const told = (await run(["search", "walnuts"])).talk();
      expect(told).toContain("1 file could not be read");
      expect(told).toContain("Use Node.js 22.15 or newer");
    }
  });

  it("opens what it finds", async () => {
    for (const text of ["paint the fence", "with größe", "gate is", "palisade", "deeply packed"]) {
      const [hit] = await search(text);
      const [program, ...args] = hit!.open;
      expect(program).toBe("longhaul");
      expect((await run(args)).text()).toContain(text);
    }
  });

  it("takes regular expressions, and narrows by agent, project and limit", async () => {
    expect(await search("--regex", "gate,? (is|was)")).toMatchObject([{ record: 5 }]);
    expect(await search("--regex", "(?i)PALISADE")).toHaveLength(1);
    expect(await search("--regex", "^(gr|sm)")).toEqual([]);
    expect((await search("e")).length).toBeGreaterThan(5);
    expect(await search("e", "--limit", "2")).toHaveLength(2);
    expect((await search("e", "--agent", "codex")).every(({ agent }) => agent === "codex")).toBe(
      true,
    );
    expect(await search("paint", "--project", "/home/ada")).toHaveLength(1);
    expect(await search("paint", "--project", "/home/eve")).toEqual([]);
    expect(await search("paint", "--since", "2099-01-01")).toEqual([]);
    expect(await search("paint", "--session", UUID.slice(0, 6))).toHaveLength(1);
    expect(await search("torn fence")).toHaveLength(1);
  });

  it("lets no control character of a session reach the terminal", async () => {
    const io = await run(["search", "title"], 80);
    expect(io.text()).toContain("turn 2, user");
    const bare = [...io.raw().replaceAll(OWN_COLOUR, "")];
    const others = bare.filter((char) => /[\p{Cc}\u202A-\u202E]/u.test(char) && char !== "\n");
    expect(others).toEqual([]);
  });
});

describe.skipIf(!existsSync(RECORDINGS))("longhaul search in recorded sessions", () => {
  const CLAUDE = "claude-code/cc-2.1.17-microcompact-and-compact.jsonl.gz";

  it("finds what was compacted away", async () => {
    const lines = recording(CLAUDE).toString().split("\n");
    const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
    expect(boundary).toBeGreaterThan(10);
    const file = put(
      ".claude/projects/p/bbbbbbbb-2222-3333-4444-555555555555.jsonl",
      lines.join("\n"),
    );
    const words = lines
      .slice(0, boundary)
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
      .flatMap(({ message }) => (typeof message?.content === "string" ? [message.content] : []))
      .map((text: string) => text.slice(0, 60));
    expect(words.length).toBeGreaterThan(1);
    for (const text of words.slice(0, 5)) {
      const hits = await search(text, "--limit", "1000");
      expect(hits.some((hit) => hit.path === file && hit.record <= boundary)).toBe(true);
    }
  });

  it("finds a text of every format that is found on a computer", async () => {
    cpSync(
      path.join(RECORDINGS, "gemini-cli/gem-cancelled-tools.json"),
      path.join(home, ".gemini/tmp/x/chats/session-1.json"),
      { recursive: true },
    );
    put(".pi/agent/sessions/--p--/1_pi.jsonl", recording("pi/pi-v3-compaction.jsonl"));
    put(".pi/agent/sessions/--p--/2_pi.jsonl.gz", gzipSync(recording("pi/pi-v3-compaction.jsonl")));
    expect((await search("PascalCase", "--agent", "gemini-cli")).length).toBeGreaterThan(0);
    const both = await search("micropolish", "--agent", "pi");
    expect(new Set(both.map(({ path: file }) => path.basename(file!)))).toEqual(
      new Set(["1_pi.jsonl", "2_pi.jsonl.gz"]),
    );
  });
});

describe("what is looked for in bytes", () => {
  const stored = (text: string): string[] => {
    const ascii = (json: string): string =>
      json.replace(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    const json = JSON.stringify({ text });
    const web = ascii(json).replace(
      /[<>&'/]/g,
      (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`,
    );
    return [text, json, ascii(json), web, JSON.stringify(json), ascii(JSON.stringify(ascii(json)))];
  };
  const holds = (probes: readonly Probe[], form: string): boolean =>
    probes.length === 0 || probes.some((probe) => probe.isIn(Buffer.from(form)));

  it("stands in every stored form of a text", () => {
    const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (text, around) => {
        const { probes } = literalNeedle(text);
        for (const form of stored(around + text + around)) expect(holds(probes, form)).toBe(true);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  it.each([
    ["a{0}bcd", "bcd"],
    ["ab*cde|x", "x"],
    ["colou?r of", "color of"],
    ["(not)?here", "here"],
    ["x[abc]+yyy", "xayyy"],
    ["end\\.", "end."],
    ["\\bword\\b", "word"],
    ["(?i)Case", "cASE"],
    ["(?i)milk|NO. thanks", "no, thankſ"],
    ["[]x]yes", "]yes"],
    ["\\x41bc", "Abc"],
    ["one|two", "two"],
    ["a+b{2}c", "aabbc"],
    ["日😀*本", "日本"],
    ["日😀?", "日"],
  ])("of the pattern %s stands in %s", async (pattern, text) => {
    const needle = await regexNeedle(pattern);
    expect(needle.find(text)).toBeGreaterThanOrEqual(0);
    for (const form of stored(text)) expect(holds(needle.probes, form)).toBe(true);
  });
});

describe("a probe", () => {
  const few = fc.string({ unit: fc.constantFrom("a", "Z", ".", "é"), minLength: 1, maxLength: 9 });
  const many = fc.string({ unit: fc.constantFrom("a", "A", "Z", ".", "é"), maxLength: 400 });

  it("is found where it is, and nowhere else", () => {
    fc.assert(
      fc.property(few, many, (text, within) => {
        expect(literalProbe(text).isIn(Buffer.from(within))).toBe(within.includes(text));
        const plain = text.replaceAll("é", "x");
        const isIn = within.toLowerCase().includes(plain.toLowerCase());
        expect(caselessProbe(plain).isIn(Buffer.from(within))).toBe(isIn);
      }),
      { numRuns: runs(1_000, 50_000) },
    );
  });

  it("is found behind many beginnings of it", () => {
    const text = "aaaaaaaaaaab";
    const within = Buffer.from(`${"a".repeat(1_000)}-`.repeat(100));
    expect(literalProbe(text).isIn(within)).toBe(false);
    const ending = Buffer.concat([within, Buffer.from(text)]);
    expect(literalProbe(text).isIn(ending)).toBe(true);
    expect(caselessProbe(text.toUpperCase()).isIn(within)).toBe(false);
    expect(caselessProbe(text.toUpperCase()).isIn(ending)).toBe(true);
  });

  it("is found where two parts of a block meet", () => {
    for (let at = 65_520; at <= 65_540; at++) {
      const block = Buffer.alloc(70_000, "x");
      block.write("Needle", at);
      expect(caselessProbe("needle").isIn(block)).toBe(true);
      expect(literalProbe("Needle").isIn(block)).toBe(true);
    }
  });
});

describe("what is typed for a search", () => {
  it("is one text: a pattern behind --regex is told so", async () => {
    const { code, stderr } = await runHere(["search", "zzz", "--regex", "("]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/one text and was given 2: "zzz", "\(".*--regex has no value/);
    expect((await runHere(["search", "zzz", "--regex"])).code).toBe(0);
  });
});
