import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type Reply,
  startUpstream,
  type Upstream,
  type UpstreamOptions,
} from "../provider/index.ts";
import { runProgram } from "../../src/cli/program.ts";
import { capturedIo } from "./captured-io.ts";
import { runCli, runHere, temporaryFolder } from "./run-cli.ts";

const KEY = "sk-test-0123456789abcdefghijklmnop";
const running: Upstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((upstream) => upstream.close()));
});

async function start(script: () => Reply, options: Partial<UpstreamOptions> = {}) {
  const upstream = await startUpstream({ script, apiKey: KEY, ...options });
  running.push(upstream);
  return upstream;
}

/** A session that overflows an 8k window, in a folder of its own. */
function session(): { readonly folder: string; readonly file: string } {
  const steps = Array.from({ length: 40 }, (_, n) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `c${n}`,
          type: "function",
          function: { name: "bash", arguments: JSON.stringify({ command: `npm run job-${n}` }) },
        },
      ],
    },
    { role: "tool", tool_call_id: `c${n}`, content: `job ${n}: ${"all is well. ".repeat(60)}` },
  ]);
  const messages = [{ role: "user", content: "Run all jobs, never twice." }, ...steps.flat()];
  const folder = temporaryFolder();
  const file = path.join(folder, "session.jsonl");
  writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  return { folder, file };
}

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Every file that the run left behind. */
  readonly files: string;
}

/** Compacts the session, with the key in every variable that is looked at. */
async function compact(args: readonly string[], env: Record<string, string>): Promise<Run> {
  const { folder, file } = session();
  const state = path.join(folder, "state");
  const io = capturedIo({ cwd: folder, env: { LONGHAUL_HOME: state, ...env } });
  const code = await runProgram(io, ["compact", file, "--window", "8k", ...args], "1.0.0");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
  return { code, stdout: io.text(), stderr: io.talk(), files };
}

const SUMMARY = `## Goal
Run all jobs, never twice.

## Instructions
- Run all jobs, never twice.

## Discoveries
All is well in the MOONSHINE department.

## Accomplished
The jobs were run.

## Relevant files
None.`;

/** The same server under each of the names. */
type Named = readonly [string, (url: string) => Record<string, string>];
const names: readonly [Named, Named, Named] = [
  ["anthropic:m", (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY })],
  ["openai:m", (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY })],
  ["openai-compatible:URL/v1#m", () => ({ OPENAI_COMPATIBLE_API_KEY: KEY })],
];

describe.each(names)("compact --summarizer %s", (form, envFor) => {
  it("writes the summary with the model, and says what it cost", async () => {
    const upstream = await start(() => SUMMARY);
    const name = form.replace("URL", upstream.url);
    const args = ["--summarizer", name];
    const json = await compact([...args, "--json"], envFor(upstream.url));
    expect(json).toMatchObject({ code: 0, stderr: "" });
    const { summary, failures } = JSON.parse(json.stdout);
    expect(failures).toEqual([]);
    expect(["model", "repaired"]).toContain(summary.source);
    expect(summary.sections.discoveries).toContain("MOONSHINE");
    expect(summary.calls[0]).toMatchObject({ summarizer: name, attempt: 1 });
    expect(summary.calls[0]).not.toHaveProperty("prompt");
    expect(summary.usage).toEqual({
      input: upstream.totals.input,
      cached: upstream.totals.cacheRead,
      output: upstream.totals.output,
    });
    expect(upstream.refusals).toEqual([]);

    const view = await compact(args, envFor(upstream.url));
    expect(view.stdout).toMatch(new RegExp(`^Model {5}${name} wrote the summary`, "m"));
    expect(view.stdout).toMatch(
      /^ {10}\d calls? in \d+\.\d s, [\d,]+ tokens in \([\d,]+ cached\), 52 out$/m,
    );
    for (const run of [json, view]) expect(Object.values(run).join("\n")).not.toContain(KEY);
  });

  it("has the prompt in the report when it is asked for", async () => {
    const upstream = await start(() => SUMMARY);
    const args = ["--summarizer", form.replace("URL", upstream.url), "--json", "--show-prompt"];
    const { stdout } = await compact(args, envFor(upstream.url));
    const { prompt } = JSON.parse(stdout).summary.calls[0];
    expect(prompt).toEqual({ system: expect.any(String), user: expect.any(String) });
    expect(upstream.requests[0]!.view).toMatchObject({
      system: prompt.system,
      lastUserText: prompt.user,
    });
    expect(prompt.user).toContain("npm run job-3");
  });
});

/** Failures, each of another maker's model: the drivers' own tests have all of both. */
const FAILURES = [
  ["rate-limit", /answered 429/, 0],
  ["server-error", /answered 500/, 1],
  ["disconnect", /broke off/, 2],
  ["empty", /./, 0],
  ["answers-chat", /./, 1],
] as const;

it.each(FAILURES)("does without a model that fails: %s", async (misbehave, reason, at) => {
  const [form, envFor] = names[at];
  const upstream = await start(() => ({ misbehave, retryAfter: 0 }));
  const args = ["--summarizer", form.replace("URL", upstream.url)];
  const run = await compact(args, envFor(upstream.url));
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("was asked, and the summary was made without it");
  expect(run.stdout).toMatch(/^! The summary was made without a model: /m);
  expect(run.stdout).toMatch(reason);
  expect(run.stdout).toMatch(/^Archive {3}/m);
  expect(run.files).toContain("npm run job-3");
  expect(upstream.requests.length).toBeLessThanOrEqual(2);
});

describe("a model that does not answer", () => {
  it.each([
    ["--summarizer-timeout-ms", ["--summarizer-timeout-ms", "300"], {}],
    ["LONGHAUL_SUMMARIZER_TIMEOUT_MS", [], { LONGHAUL_SUMMARIZER_TIMEOUT_MS: "300" }],
  ])("is given up after %s", async (_, args, env) => {
    const upstream = await start(() => ({ misbehave: "hang" }));
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const run = await compact(["--summarizer", "anthropic:m", "--json", ...args], {
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: KEY,
    });
    vi.unstubAllEnvs();
    expect(run.code).toBe(0);
    const { summary, failures } = JSON.parse(run.stdout);
    expect(summary.source).toBe("extractive");
    expect(failures).toMatchObject([
      { code: "summarizer-failed", message: expect.stringContaining("300 ms") },
    ]);
  });
});

describe("a key", () => {
  it.each(names)("that %s refuses is named nowhere", async (form, envFor) => {
    const upstream = await start(() => SUMMARY, { apiKey: "another" });
    const args = ["--summarizer", form.replace("URL", upstream.url)];
    for (const more of [[], ["--json", "--show-prompt"]]) {
      const run = await compact([...args, ...more], envFor(upstream.url));
      expect(run.code).toBe(0);
      expect(run.stdout).toContain("answered 401");
      expect(Object.values(run).join("\n")).not.toContain(KEY);
    }
  });

  it("is taken from the environment of the process", async () => {
    const upstream = await start(() => SUMMARY);
    const { folder, file } = session();
    const run = await runCli(
      ["compact", file, "--window", "8k", "--summarizer", "anthropic:m", "--json"],
      { cwd: folder, env: { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: KEY } },
    );
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout).summary.sections.discoveries).toContain("MOONSHINE");
    expect(run.stdout).not.toContain(KEY);
  });
});

describe("wrong usage", () => {
  it.each([
    [
      ["--summarizer", "gpt-5"],
      {},
      /no summarizer "gpt-5"; give one of extractive, anthropic:MODEL/,
    ],
    [["--summarizer", "openai-compatible:localhost#m"], {}, /is no address/],
    [["--summarizer", "anthropic:m"], {}, /set ANTHROPIC_API_KEY/],
    [["--summarizer", "openai:m"], { OPENAI_API_KEY: "" }, /set OPENAI_API_KEY/],
    [["--summarizer-timeout-ms", "soon"], {}, /milliseconds/],
  ])("%j is told in one line, and nothing is written", async (args, env, message) => {
    const run = await compact(args, env);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(run.stderr).toMatch(message);
    expect(run.files).toBe(readFileSync(session().file, "utf8"));
  });

  it("is told before the file is read, and as JSON", async () => {
    const run = await runHere(["compact", "nowhere", "--summarizer", "gpt-5", "--json"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('no summarizer "gpt-5"');
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: "invalid-options" } });
  });

  it("is a time limit that makes no sense, also in the environment", async () => {
    const { folder, file } = session();
    const env = { LONGHAUL_SUMMARIZER_TIMEOUT_MS: "soon" };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const run = await runHere(["compact", file, "--window", "8k"], { cwd: folder, env });
    vi.unstubAllEnvs();
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/LONGHAUL_SUMMARIZER_TIMEOUT_MS/);
    expect(readdirSync(folder)).toEqual(["session.jsonl"]);
  });
});

it("asks nobody when there is nothing to do", async () => {
  const upstream = await start(() => SUMMARY);
  const { file } = session();
  for (const window of ["200k", "13k"]) {
    const env = { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: KEY };
    const io = capturedIo({ env });
    const args = ["--window", window, "--reserved", "1k", "--summarizer", "anthropic:m"];
    expect(await runProgram(io, ["compact", file, ...args], "1.0.0")).toBe(0);
    expect(io.text()).toContain("Nothing to do");
  }
  expect(upstream.requests).toEqual([]);
});
