import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { runs, sample } from "../property/runs.ts";
import { capturedIo } from "./captured-io.ts";
import { runCli, runHere, temporaryFolder } from "./run-cli.ts";

/** A folder with one file in it. */
function fileWith(
  content: string | Buffer,
  name = "session.jsonl",
): { folder: string; file: string } {
  const folder = temporaryFolder();
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return { folder, file };
}

const chat = [
  { role: "system", content: "You are a careful agent." },
  { role: "user", content: "Fix the failing test, and never touch the API." },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: "call_1",
        type: "function",
        function: { name: "bash", arguments: '{"command":"npm test"}' },
      },
    ],
  },
  { role: "tool", tool_call_id: "call_1", content: "1 failed" },
  { role: "assistant", content: "One test fails." },
];

/** OpenAI chat as JSON lines. */
function lines(messages: readonly unknown[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}

/** A conversation that overflows an 8k window. */
function longChat(): unknown[] {
  const steps = Array.from({ length: 40 }, (_, n) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `c${n}`,
          type: "function",
          function: { name: "bash", arguments: JSON.stringify({ command: `run ${n}` }) },
        },
      ],
    },
    {
      role: "tool",
      tool_call_id: `c${n}`,
      content: `result ${n}: ${"all is well here. ".repeat(60)}`,
    },
  ]);
  return [...chat, { role: "user", content: "Go on." }, ...steps.flat()];
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** One line, on stderr, that begins with the program's name. */
function expectOneLine(stderr: string, pattern: RegExp): void {
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(/^longhaul: /);
  expect(stderr).toMatch(pattern);
}

describe("a file that cannot be read", () => {
  it.each(["compact", "inspect"])("%s names a missing one", async (command) => {
    const { code, stderr, stdout } = await runHere([command, "nowhere.jsonl"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expectOneLine(stderr, /nowhere\.jsonl/);
  });

  it("names an empty one, and one of blank lines", async () => {
    for (const content of ["", "\n\n  \n"]) {
      const { folder, file } = fileWith(content);
      const { code, stderr } = await runHere(["compact", file], { cwd: folder });
      expect(code).toBe(2);
      expectOneLine(stderr, /session\.jsonl.*empty/);
    }
  });

  it("says that a folder is a folder", async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await runHere(["compact", folder]);
    expect(code).toBe(2);
    expectOneLine(stderr, /folder/);
  });

  it("writes nothing and prints the error as JSON too, when asked", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await runHere(["compact", "nowhere", "--json"], { cwd: folder });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, error: { code: "unreadable-file" } });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("an unknown format", () => {
  it("says in three lines what was seen, what is near, and how to name it", async () => {
    const { folder, file } = fileWith('{"type": "hello", "payload": 1}\n{"type": "again"}\n');
    const { code, stderr } = await runHere(["compact", file], { cwd: folder });
    expect(code).toBe(1);
    const [seen, nearest, next, ...more] = stderr.trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(seen).toMatch(
      /^longhaul: .*session\.jsonl fits no known.*lines.*object with type, payload/,
    );
    expect(nearest).toMatch(/^Nearest: codex \(no line has the type and payload/);
    expect(next).toMatch(/--format.*claude-code, codex, copilot-cli, opencode/);
    expect(readdirSync(folder)).toEqual(["session.jsonl"]);
  });

  it("is refused as an option, with the ones there are", async () => {
    const { code, stderr } = await runHere(["compact", "x", "--format", "word"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/claude-code/);
  });
});

describe("a damaged file", () => {
  const whole = lines(longChat());

  it.each([
    ["a torn last line", Buffer.from(`${whole}{"role":"assistant","cont`), /line \d+/],
    [
      "invalid UTF-8",
      Buffer.concat([
        Buffer.from(whole),
        Buffer.from('{"role":"user","content":"caf\xe9"}\n', "latin1"),
      ]),
      /line \d+.*UTF-8/,
    ],
  ])("%s: reads what is whole and warns with the line", async (_, content, warning) => {
    const { folder, file } = fileWith(content);
    const { code, stdout } = await runHere(["compact", file, "--window", "8k", "--json"], {
      cwd: folder,
    });
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.action).toBe("compact");
    expect(report.warnings.join("\n")).toMatch(warning);
  });

  it.each([
    ["a byte-order mark", Buffer.from(`\uFEFF${whole}`)],
    ["CRLF", Buffer.from(whole.replaceAll("\n", "\r\n"))],
    ["gzip under a plain name", gzipSync(whole)],
    ["one JSON document in a .jsonl name", Buffer.from(JSON.stringify(longChat(), null, 2))],
  ])("%s: reads all of it", async (_, content) => {
    const { folder, file } = fileWith(content);
    const { code, stdout } = await runHere(["compact", file, "--window", "8k", "--json"], {
      cwd: folder,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).messages.before).toBe(longChat().length);
  });

  it("orphans, duplicates and missing ids: repaired in the view, reported, original untouched", async () => {
    const broken = [
      ...longChat(),
      { role: "tool", tool_call_id: "nobody", content: "orphan result" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: "{}" } }],
      },
    ];
    const { folder, file } = fileWith(lines(broken));
    const before = sha256(file);
    const run = await runHere(
      ["compact", file, "--window", "8k", "--to", "openai-chat", "--out", "o.json", "--json"],
      { cwd: folder },
    );
    expect(run.code).toBe(0);
    const { warnings } = JSON.parse(run.stdout);
    expect(warnings.join("\n")).toMatch(/had no call/);
    expect(warnings.join("\n")).toMatch(/had no result/);
    expect(sha256(file)).toBe(before);
    expect(readFileSync(path.join(folder, "o.json"), "utf8")).toContain("orphan result");
  });
});

describe("a huge file", () => {
  it("a line beyond the limit is left out with a warning, the rest is read", async () => {
    const most = runs(1, 64);
    const huge = Buffer.from(`{"role":"user","content":"${"x".repeat(most * 4_000_000)}"}\n`);
    const { folder, file } = fileWith(
      Buffer.concat([
        Buffer.from(lines(longChat())),
        huge,
        Buffer.from(lines([{ role: "user", content: "after" }])),
      ]),
    );
    const limit = ["--limit", `lineBytes=${most}MB`];
    const args = ["compact", file, "--window", "8k", "--json", ...limit];
    const { code, stdout } = await runHere(args, { cwd: folder });
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.warnings.join("\n")).toMatch(/line \d+.*(?:limit|MiB|MB)/);
    expect(report.messages.before).toBe(longChat().length + 1);
  });

  it("very many messages are compacted", async () => {
    const pairs = runs(3_000, 50_000);
    const many = Array.from({ length: pairs }, (_, n) => [
      { role: "user", content: `question ${n}` },
      { role: "assistant", content: `answer ${n}` },
    ]);
    const { folder, file } = fileWith(lines(many.flat()));
    const { code, stdout } = await runHere(["compact", file, "--window", "32k", "--json"], {
      cwd: folder,
    });
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.messages.before).toBe(2 * pairs);
    expect(report.tokens.after).toBeLessThan(report.usable);
  });

  it("JSON nested ten thousand deep is left out with a warning, or is a clear limit error", async () => {
    const deep = `{"role":"user","content":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const asLine = fileWith(`${lines(longChat())}${deep}\n`);
    const run = await runHere(["compact", asLine.file, "--window", "8k", "--json"], {
      cwd: asLine.folder,
    });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).warnings.join("\n")).toMatch(/line \d+.*(?:deep|nest|level)/);
    const asDocument = fileWith(`[\n${JSON.stringify(chat[0])},\n${deep}]`, "session.json");
    const refused = await runHere(["compact", asDocument.file], { cwd: asDocument.folder });
    expect(refused.code).toBe(1);
    expectOneLine(refused.stderr, /deep|nest|level/);
  });
});

describe("windows", () => {
  it("smaller than the fixed part: irreducible, naming the biggest items; nothing written", async () => {
    const messages = [{ role: "system", content: "rule. ".repeat(20_000) }, ...chat.slice(1)];
    const { folder, file } = fileWith(lines(messages));
    const { code, stderr } = await runHere(["compact", file, "--window", "8k"], { cwd: folder });
    expect(code).toBe(1);
    expectOneLine(stderr, /system message 0 \(\d+ tokens\)/);
    expect(readdirSync(folder)).toEqual(["session.jsonl"]);
  });

  it.each(["0", "-5", "lots", "8kk"])("%s is no window", async (window) => {
    const { code, stderr } = await runHere(["compact", "x", `--window=${window}`]);
    expect(code).toBe(2);
    expectOneLine(stderr, /--window/);
  });

  it("an unknown option is one line with the nearest spelling", async () => {
    const { code, stderr } = await runHere(["compact", "x", "--widnow", "8k"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--window/);
  });
});

describe("handles", () => {
  it("come back byte for byte", async () => {
    const { folder, file } = fileWith(lines(longChat()));
    const env = { LONGHAUL_HOME: path.join(folder, "state") };
    const run = await runHere(["compact", file, "--window", "8k", "--json"], { cwd: folder, env });
    const { head } = JSON.parse(run.stdout);
    const recalled = await runHere(["recall", head.handle], { env });
    expect(recalled.code).toBe(0);
    expect(recalled.stdout.trimEnd().split("\n")).toHaveLength(head.messages);
    expect(recalled.stdout).toContain("result 3: all is well");
  });

  it.each([
    "out_0123456789abcdef",
    "nonsense",
    "../../etc/passwd",
    "out_../../../etc/pw",
    "/etc/passwd",
  ])("%s gets a terminal answer and never a path outside the archive", async (handle) => {
    const { code, stdout, stderr } = await runHere(["recall", handle]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expectOneLine(stderr, /./);
    expect(stderr).not.toMatch(/root:/);
  });
});

describe("the archive", () => {
  it("not writable: the work goes on, the report says that the original was not kept", async () => {
    const { folder, file } = fileWith(lines(longChat()));
    const state = path.join(folder, "state");
    // A file where the folder should be stops root as well.
    writeFileSync(state, "");
    const options = { cwd: folder, env: { LONGHAUL_HOME: state } };
    const args = ["compact", file, "--window", "8k", "--json"];
    const placeless = await runHere(args, options);
    expect(placeless.code).toBe(1);
    expectOneLine(placeless.stderr, /Cannot write .*results.*Choose another path/);
    const run = await runHere([...args, "--out", "small.json"], options);
    expect(run.code).toBe(0);
    const report = JSON.parse(run.stdout);
    expect(report.prune).toEqual([]);
    expect(report.failures[0]).toMatchObject({
      code: "archive-failed",
      message: expect.stringContaining("not kept"),
    });
    expect(readFileSync(path.join(folder, report.out), "utf8")).not.toMatch(
      /recall (?:out|in|msg|head)_/,
    );
  });

  it("two processes on one archive: both work, no record is torn", async () => {
    const { folder, file } = fileWith(lines(longChat()));
    const env = { LONGHAUL_HOME: path.join(folder, "state") };
    const runs = await Promise.all(
      ["a.json", "b.json"].map((out) =>
        runCli(["compact", file, "--window", "8k", "--json", "--out", out], { cwd: folder, env }),
      ),
    );
    const reports = runs.map((run) => JSON.parse(run.stdout));
    for (const report of reports) {
      expect(report.failures).toEqual([]);
      expect((await runHere(["recall", report.head.handle], { env })).code).toBe(0);
    }
    expect(readFileSync(path.join(folder, "a.json"))).toEqual(
      readFileSync(path.join(folder, "b.json")),
    );
  });
});

describe("the output", () => {
  it("is written whole beside and renamed, and an unwritable place is one clear line", async () => {
    const { folder, file } = fileWith(lines(longChat()));
    mkdirSync(path.join(folder, "taken"));
    const { code, stderr } = await runHere(["compact", file, "--window", "8k", "--out", "taken"], {
      cwd: folder,
    });
    expect(code).not.toBe(0);
    expectOneLine(stderr, /taken/);
    expect(readdirSync(folder).sort()).toEqual(["session.jsonl", "taken"]);
  });

  it("goes to stdout with --out -, and the report to stderr", async () => {
    const { folder, file } = fileWith(lines(longChat()));
    const { code, stdout, stderr } = await runHere(
      ["compact", file, "--window", "8k", "--out", "-"],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(Array.isArray(JSON.parse(stdout))).toBe(true);
    expect(stderr).toContain("Compacted");
    expect(existsSync(path.join(folder, "session.compacted.json"))).toBe(false);
  });

  it("is nothing when there is nothing to do, which is success", async () => {
    const { folder, file } = fileWith(lines(chat));
    const { code, stdout } = await runHere(["compact", file, "--window", "128k"], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing to do");
    expect(readdirSync(folder)).toEqual(["session.jsonl"]);
  });
});

describe("wrong usage with --json", () => {
  it.each([
    ["a value that makes no sense", ["compact", "x", "--json", "--window", "x"], /window.*128k/],
    ["an option that there is not", ["inspect", "x", "--json", "--nht", "2"], /--nht.*--nth/],
    ["a file too many", ["compact", "x", "y", "--json"], /too many.*got 2/],
    ["no text", ["search", "--json"], /text.*longhaul search --help/],
    ["a command that there is not", ["shrink", "--json"], /shrink.*longhaul --help/],
    ["no command to run", ["run", "--timeout", "5", "--json"], /command.*longhaul run --help/],
    ["no such limit", ["compact", "x", "--json", "--limit", "bytes=3"], /documentBytes/],
  ])("%s is one line, and an object", async (_, args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(2);
    expectOneLine(stderr, message);
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      error: { code: "invalid-options", message: expect.stringMatching(message), details: {} },
    });
  });

  it("is no matter of ours where --json is for the command that is run", async () => {
    const { code, stdout } = await runHere(["run", "ls", "--json", "/nowhere"]);
    expect(code).not.toBe(0);
    expect(stdout).not.toContain('"version"');
  });
});

describe("a session with control characters in it", () => {
  const evil = "\u001B]0;owned\u0007\u001B[2J\u009B31m\u001B[8m\rfake\u202E\u007F";
  const session = [
    { type: "session", id: `id${evil}`, cwd: `/tmp/${evil}`, version: 3 },
    { type: "model_change", id: "m", parentId: null, provider: "x", modelId: `model${evil}` },
    { type: "session_info", id: "n", parentId: "m", name: `title${evil}` },
    {
      type: "message",
      id: "1",
      parentId: "n",
      message: { role: "user", content: `do ${evil}`, timestamp: 1 },
    },
    {
      type: "message",
      id: "2",
      parentId: "1",
      message: {
        role: "assistant",
        model: `model${evil}`,
        content: [
          { type: "toolCall", id: `c${evil}`, name: `tool${evil}`, arguments: { path: evil } },
        ],
        usage: { input: 3, output: 4 },
        stopReason: "stop",
        timestamp: 2,
      },
    },
  ];

  it.each([
    ["inspect", []],
    ["compact", ["--force", "--window", "8k"]],
    ["compact", ["--force", "--window", "8k", "--json"]],
    ["compact", ["--force", "--window", "8k", "--out", "-"]],
    ["inspect", ["--format", evil]],
  ])("%s %j prints none of them", async (command, options) => {
    const { file } = fileWith(session.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { stdout, stderr } = await runHere([command, file, ...options]);
    expect(`${stdout}${stderr}`).toMatch(/fake/);
    // oxlint-disable-next-line no-control-regex -- that is what it is about
    expect(`${stdout}${stderr}`).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  it.each([{ args: ["--force", "--window", "8k"] }])("nor on a terminal", async ({ args }) => {
    const { folder, file } = fileWith(session.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const command of ["inspect", "compact"]) {
      const env = { LONGHAUL_HOME: path.join(folder, "state"), HOME: folder, FORCE_COLOR: "1" };
      const io = capturedIo({ env, cwd: folder, columns: 80 });
      await runProgram(io, [command, file, ...(command === "compact" ? args : [])], "0");
      // oxlint-disable-next-line no-control-regex -- that is what it is about
      const unpainted = io.raw().replace(/\x1b\[(?:[12]|22|3[1-6]|39)m/g, "");
      // oxlint-disable-next-line no-control-regex -- that is what it is about
      expect(unpainted).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
  });
});

describe("a result that would take the place of the session", () => {
  it.each([
    ["by its name", (file: string) => file],
    ["by a symbolic link", (file: string) => (symlinkSync(file, `${file}.link`), `${file}.link`)],
    ["by a hard link", (file: string) => (linkSync(file, `${file}.hard`), `${file}.hard`)],
    [
      "by another way to it",
      (file: string) =>
        path.join(path.dirname(file), "..", path.basename(path.dirname(file)), "session.jsonl"),
    ],
  ])("%s is refused", async (_, outOf) => {
    const { folder, file } = fileWith(lines(longChat()));
    const before = sha256(file);
    const out = outOf(file);
    const { code, stderr } = await runHere(["compact", file, "--force", "--out", out]);
    expect(code).toBe(2);
    expectOneLine(stderr, /would replace the session itself.*--out/);
    expect(sha256(file)).toBe(before);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("is refused too where the usual name leads to it", async () => {
    const { folder, file } = fileWith(lines(longChat()));
    const options = { cwd: folder, env: { LONGHAUL_HOME: path.join(folder, "state") } };
    const { stdout } = await runHere(["compact", file, "--force", "--json"], options);
    const { out } = JSON.parse(stdout);
    expect(out.startsWith(path.join(folder, "state", "results"))).toBe(true);
    unlinkSync(out);
    symlinkSync(file, out);
    const { code, stderr } = await runHere(["compact", file, "--force"], options);
    expect(code).toBe(2);
    expectOneLine(stderr, /would replace the session itself/);
  });
});

describe("limits", () => {
  const deep = `{"messages": [${"[".repeat(2_000)}${"]".repeat(2_000)}]}`;

  it("are told with the option that raises them", async () => {
    const { file } = fileWith(deep);
    const { code, stderr } = await runHere(["inspect", file]);
    expect(code).toBe(1);
    expectOneLine(stderr, /--limit depth=5000/);
    const again = await runHere(["inspect", file, "--limit", "depth=5000"]);
    expect(again.stderr).not.toContain("deeper");
  });
});

describe("few file descriptors", () => {
  it.skipIf(process.platform === "win32").each(sample([22, 24, 26, 28], 2))(
    "%d are a sentence",
    async (count) => {
      const { file } = fileWith(lines(longChat()));
      const main = path.resolve("test/.built/main.js");
      const line = `ulimit -n ${count} && exec "${process.execPath}" "${main}" compact "${file}" --force`;
      const { status, stderr } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
      expect(status).toBe(1);
      expectOneLine(stderr, /opens no more files.*ulimit -n/);
    },
  );
});
