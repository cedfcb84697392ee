import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inspectCommand } from "../../src/cli/inspect.ts";
import type { InspectReport } from "../../src/cli/inspection.ts";
import { capturedIo, type CapturedIo } from "./captured-io.ts";
import { RECORDED_FILES, RECORDED_SAMPLE, RECORDINGS } from "../recordings.ts";

const RECORDED = "examples/recorded-session/session.json.gz";

/** The report on our own recording, which many tests look at. */
const recorded = once(() => inspected(RECORDED));

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function inspected(file: string, options: object = {}): Promise<InspectReport> {
  const io = capturedIo();
  await inspectCommand(io, file, { json: true, ...options });
  return io.json() as InspectReport;
}

async function view(file: string, columns: number): Promise<CapturedIo> {
  const io = capturedIo({ columns });
  await inspectCommand(io, file, {});
  return io;
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
const kindTokens = (report: InspectReport, kind: string): number =>
  report.kinds.find((share) => share.kind === kind)?.tokens ?? 0;

interface OpencodeTool {
  readonly type: string;
  readonly tool: string;
  readonly state: { readonly output?: string; readonly input: unknown };
}

/** Every tool call of the recording, straight from its JSON. */
function recordedTools(): OpencodeTool[] {
  const { messages } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString());
  return messages.flatMap(({ parts }: { parts: OpencodeTool[] }) =>
    parts.filter((part) => part.type === "tool"),
  );
}

describe("inspect on our recorded session", () => {
  it("tells the facts that the recording is known for", async () => {
    const report = await recorded();
    expect(report).toMatchObject({
      version: 1,
      format: "opencode",
      agentVersion: "1.18.33",
      model: "scripted-model",
      conversations: 1,
      messages: 172,
      turns: 8,
      window: 128_000,
      windowFrom: "default",
      reserved: 20_000,
      usable: 108_000,
      overflow: true,
      counts: { compactions: 0, prunedOutputs: 0, unparsableLines: 0 },
    });
    const calls = report.tools.map(({ tool, calls }) => [tool, calls]);
    expect(Object.fromEntries(calls)).toEqual({
      bash: 77,
      read: 51,
      edit: 27,
      todowrite: 14,
      write: 8,
      grep: 6,
      skill: 2,
      glob: 1,
    });
    expect(sum(report.tools.map((tool) => tool.failed))).toBe(3);
  });

  it("adds up: kinds to the total, tools to their kinds", async () => {
    const report = await recorded();
    const { total, source, outside } = report.tokens;
    expect(source).toBe("reported");
    expect(total).toBe(159_132);
    expect(sum(report.kinds.map((share) => share.tokens))).toBe(total);
    expect(kindTokens(report, "outside")).toBe(outside);
    expect(sum(report.tools.map((tool) => tool.input))).toBe(kindTokens(report, "tool-call"));
    expect(sum(report.tools.map((tool) => tool.output))).toBe(kindTokens(report, "tool-result"));
  });

  it("comes close to an exact count of each kind", async () => {
    const report = await recorded();
    // From the README of the recording; framing of calls and results comes on top.
    expect(kindTokens(report, "tool-result") / 133_903).toBeGreaterThan(0.93);
    expect(kindTokens(report, "tool-result") / 133_903).toBeLessThan(1.07);
    expect(kindTokens(report, "tool-call")).toBeGreaterThan(13_000);
    expect(kindTokens(report, "tool-call")).toBeLessThan(18_000);
    // The client's system prompt and tool schemas have about 6,700 tokens.
    expect(kindTokens(report, "outside")).toBeGreaterThan(5_000);
    expect(kindTokens(report, "outside")).toBeLessThan(9_000);
  });

  it("names the largest item, as an exact tokenizer finds it", async () => {
    const [largest] = (await recorded()).largest;
    const counted = recordedTools().map((part) => ({
      part,
      tokens: countTokens(part.state.output ?? ""),
    }));
    const exact = counted.reduce((most, one) => (one.tokens > most.tokens ? one : most));
    expect(largest).toMatchObject({ kind: "tool-result", tool: exact.part.tool });
    const { command } = exact.part.state.input as { command: string };
    expect(command.startsWith(largest!.subject.replace(/…$/, ""))).toBe(true);
    expect(Math.abs(largest!.tokens / exact.tokens - 1)).toBeLessThan(0.1);
  });

  it("lists the ten largest in order, each with its message", async () => {
    const { largest } = await recorded();
    expect(largest).toHaveLength(10);
    const sizes = largest.map((item) => item.tokens);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    for (const item of largest) expect(item.message).toBeLessThan(172);
  });

  it("shows the growth that was reported, and what pruning would bring back", async () => {
    const { growth, prunable, tokens } = await recorded();
    expect(growth.source).toBe("reported");
    expect(growth.samples).toHaveLength(86);
    expect(growth.samples.at(-1)!.tokens).toBe(159_132);
    expect(sum(prunable.pieces.map((piece) => piece.tokens))).toBe(prunable.tokens);
    expect(prunable.pieces.map((piece) => piece.kind)).toContain("superseded");
    expect(prunable.tokens).toBeGreaterThan(60_000);
    expect(prunable.tokens).toBeLessThan(tokens.total);
  });

  it("takes the window that a person names", async () => {
    const report = await inspected(RECORDED, { window: 1_000_000 });
    expect(report).toMatchObject({ window: 1_000_000, windowFrom: "option", overflow: false });
    expect(report.warnings).toEqual([]);
  });

  it.each([60, 80, 120])("fits a terminal of %i columns", async (columns) => {
    const lines = (await view(RECORDED, columns)).lines();
    for (const line of lines.slice(0, -1))
      expect(Array.from(line).length).toBeLessThanOrEqual(columns);
    const titles = ["By role, % of usable", "By tool", "Largest, % of usable", "Growth"];
    for (const title of titles) expect(lines).toContain(title);
    expect(lines).toContain("State     Overflow: 51,132 over");
    expect(lines.at(-1)).toMatch(new RegExp(`^(?:Next:| ) longhaul compact ${RECORDED}$`));
  });

  it.each([undefined, 400_000])(
    "has one whole for all shares, in a window of %s",
    async (window) => {
      const io = capturedIo({ columns: 80 });
      await inspectCommand(io, RECORDED, { window });
      const text = io.text();
      const lines = io.lines();
      const rows = lines
        .slice(lines.indexOf("By role, % of usable") + 1, lines.indexOf("By tool"))
        .flatMap((line) => [...line.matchAll(/^ {2}(\S.*?) +([\d,]+) +<?(\d+) %/g)]);
      const numberOf = (told: string | undefined): number => Number(told?.replaceAll(",", ""));
      const full = numberOf(/(\d+) % of usable$/m.exec(text)?.[1]);
      const usable = numberOf(/which ([\d,]+) usable/.exec(text)?.[1]);
      const held = numberOf(/In it +([\d,]+) tokens/.exec(text)?.[1]);
      const free = rows.filter(([, label]) => label === "free");
      expect(free.map(([, , tokens]) => numberOf(tokens))).toEqual(
        held < usable ? [usable - held] : [],
      );
      const shares = sum(rows.map(([, , , share]) => numberOf(share)));
      expect(Math.abs(shares - Math.max(full, 100))).toBeLessThanOrEqual(4);
      expect(sum(rows.map(([, , tokens]) => numberOf(tokens)))).toBe(Math.max(held, usable));
    },
  );
});

describe.skipIf(RECORDED_FILES.length === 0)("inspect on recorded transcripts", () => {
  it.each(RECORDED_SAMPLE)("%s adds up and fits the terminal", async (file) => {
    const source = path.join(RECORDINGS, file);
    const report = await inspected(source);
    const { total, estimated } = report.tokens;
    expect(total).toBeGreaterThan(0);
    expect(estimated).toBeGreaterThan(0);
    expect(sum(report.kinds.map((share) => share.tokens))).toBe(total);
    for (const { tokens } of report.kinds) expect(tokens).toBeGreaterThan(0);
    const lines = (await view(source, 80)).lines();
    for (const line of lines.slice(0, -1)) expect(Array.from(line).length).toBeLessThanOrEqual(80);
  });

  it("shows compactions as drops", async () => {
    const io = await view(path.join(RECORDINGS, "codex/cx-0.142.2-remote-compaction.jsonl"), 100);
    const marks = io.lines().find((line) => /^ +▾[ ▾]*$/.test(line));
    expect(marks?.match(/▾/g)).toHaveLength(2);
    expect(io.text()).toContain("compacted twice before");
  });

  it("says which conversation of many it shows", async () => {
    const file = path.join(RECORDINGS, "openai-chat/tau-airline-gpt-4o.json.gz");
    const first = await inspected(file, { nth: 1 });
    expect(first.conversations).toBe(200);
    expect(first.warnings.join()).not.toContain("200 conversations");
    const largest = await inspected(file);
    expect(largest.warnings.join()).toContain("the file holds 200 conversations");
    expect(largest.tokens.total).toBeGreaterThan(first.tokens.total);
    await expect(inspected(file, { nth: 201 })).rejects.toMatchObject({
      code: "invalid-options",
    });
  });

  it("warns when a session has outgrown its window, and takes a larger one by itself", async () => {
    const file = path.join(RECORDINGS, "claude-code/cc-2.1.219-preserved-tail.jsonl.gz");
    const report = await inspected(file);
    expect(report.window).toBe(1_000_000);
    expect(report.warnings.join()).toContain("once held more than its model is known for");
    expect((await inspected(file, { window: 1_000_000 })).warnings).toHaveLength(1);
  });
});

describe("inspect --show", () => {
  const shown = async (which: string): Promise<string> => {
    const io = capturedIo({ columns: 80 });
    await inspectCommand(io, RECORDED, { show: which });
    return io.text();
  };

  it("prints a message of the window, and one of the file, in full", async () => {
    const { largest } = await recorded();
    const { message } = largest[0]!;
    const { messages } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString());
    const outputs = recordedTools().map((part) => part.state.output ?? "");
    const text = await shown(String(message));
    expect(text).toContain(`#${message} tool`);
    expect(
      outputs.some((output) => output.length > 5_000 && text.includes(output.slice(0, 3_000))),
    ).toBe(true);
    expect(await shown(`#${message}`)).toBe(text);
    expect(await shown("L1")).toContain(messages[0].parts[0].text.slice(0, 60));
  });

  it("says of a line that only its provider can read what it is", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "longhaul-sealed-"));
    const file = path.join(folder, "rollout.jsonl");
    const sealed = {
      type: "reasoning",
      id: "rs_1",
      summary: [],
      encrypted_content: "x".repeat(1_234),
    };
    const lines = [
      { type: "session_meta", payload: { id: "1", cwd: "/", originator: "codex" } },
      { type: "response_item", payload: sealed },
      { type: "event_msg", payload: { type: "token_count", info: null } },
    ];
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const io = capturedIo({ columns: 80 });
    await inspectCommand(io, file, { show: "L2" });
    expect(io.text()).toMatch(/^L2 reasoning\n\nIt is encrypted \(1,234 characters\): only the/);
    expect(io.lines().filter((line) => line.length > 80)).toEqual([]);
    await inspectCommand(io, file, { show: "L3" });
    expect(io.text()).toContain("It holds no text for people.");
    await rm(folder, { recursive: true });
  });

  it.each([
    ["9999", /no message 9999.*0 to 171/],
    ["L9999", /no line 9999/],
    ["x", /give a number such as 241/],
  ])("refuses %s", async (which, sentence) => {
    await expect(shown(which)).rejects.toThrow(sentence);
  });
});

describe("inspect on small sessions", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "longhaul-inspect-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function put(name: string, value: unknown): Promise<string> {
    const file = path.join(folder, name);
    await writeFile(file, JSON.stringify(value));
    return file;
  }

  it("says of an empty conversation that nothing is in it", async () => {
    const file = await put("empty.json", { info: { id: "ses_1" }, messages: [] });
    expect(await inspected(file)).toMatchObject({
      messages: 0,
      tokens: { total: 0, source: "estimated" },
      kinds: [],
      tools: [],
      largest: [],
      overflow: false,
    });
    const io = await view(file, 80);
    expect(io.text()).toContain("0 messages, 0 turns");
    expect(io.text()).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("names the command that a terminal goes on with, and no path of the folder", async () => {
    const file = path.join(folder, "rollout.jsonl");
    const cwd = "/home/ada/a-folder-with-a-long-name";
    const call = (name: string, id: string, args: object): object => ({
      type: "response_item",
      payload: { type: "function_call", name, call_id: id, arguments: JSON.stringify(args) },
    });
    const output = (id: string, text: string): object => ({
      type: "response_item",
      payload: { type: "function_call_output", call_id: id, output: text },
    });
    const lines = [
      { type: "session_meta", payload: { id: "s", cwd, cli_version: "0.142.2" } },
      { type: "event_msg", payload: { type: "user_message", message: "Go" } },
      call("exec_command", "c1", { cmd: `cd ${cwd} && npm test ${cwd}/deep/er.ts` }),
      output("c1", "Wall time: 1\nProcess running with session ID 4242\nOutput:\nstarted\n"),
      call("write_stdin", "c2", { session_id: 4242, chars: "" }),
      output("c2", "all is well ".repeat(500)),
    ];
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const text = (await view(file, 80)).text();
    expect(text).toMatch(/write_stdin output +npm test deep\/er\.ts \(goes on\)/);
    expect(text).toContain("in full: the same command with --show");
  });

  it("counts images apart, and estimates where nothing was reported", async () => {
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const file = await put("chat.json", [
      { role: "system", content: "You help." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is on this picture?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
        ],
      },
      { role: "assistant", content: "A single pixel." },
    ]);
    const report = await inspected(file);
    expect(report.tokens).toMatchObject({ source: "estimated", outside: 0 });
    expect(report.kinds.map((share) => share.kind)).toEqual(["system", "user", "text", "file"]);
    expect(report.growth).toMatchObject({ source: "estimated" });
    expect(report.growth.samples).toHaveLength(3);
    expect((await view(file, 80)).text()).toContain("message 3");
  });

  it("advises what is true, and tells names alike apart", async () => {
    const folder = `/projects/${"a-rather-long-folder/".repeat(3)}src`;
    const read = (n: number): unknown[] => {
      const input = JSON.stringify({ file_path: `${folder}/part.ts` });
      const call = { id: `c${n}`, type: "function", function: { name: "Read", arguments: input } };
      const content = `line of turn ${n}\n`.repeat(n < 3 ? 1 : 1_200);
      return [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: `c${n}`, content },
      ];
    };
    const reads = [1, 2, 3, 4, 5].flatMap(read);
    const file = await put("reads.json", [{ role: "user", content: "Go" }, ...reads]);
    const { advice } = await inspected(file, { window: 64_000 });
    expect(advice).toContainEqual(expect.stringContaining(`Read ${folder}/part.ts (#8): `));
    expect(new Set(advice.map((line) => line.split(". ")[0])).size).toBe(advice.length);
    const text = (await view(file, 80)).text();
    expect(text).toMatch(/…\S*part\.ts\s+\(#2\):\s+5\s+times/);
    expect(text).not.toContain("Pruning takes");
  });

  it("promises nothing of what is prunable: a pruning may be too small to be made", async () => {
    const lines = (await view(RECORDED, 80)).lines();
    expect(lines.find((line) => line.startsWith("Prunable"))).toMatch(/tokens: [\d a-z,]+$/);
    expect(lines.join(" ")).not.toContain("--prune-only");
  });

  it("quotes a file name that a shell would take apart", async () => {
    const file = await put("it's one.json", [{ role: "user", content: "hello" }]);
    expect((await view(file, 80)).lines().at(-1)).toContain("it'\\''s one.json'");
  });
});
