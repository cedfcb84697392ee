import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import type { CommanderError } from "commander";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../examples/coding-agent/agent.ts";
import { modelFrom } from "../../examples/coding-agent/model.ts";
import { readArguments } from "../../examples/coding-agent/options.ts";
import { chooseSession } from "../../examples/coding-agent/session.ts";
import type { Script } from "../provider/index.ts";
import { upstreamForTest } from "../provider/for-test.ts";

const ANSWER =
  "src/money.js rounded half a cent down; it is repaired and tested. Of the orders 95 differed before, 7 differ now, and those were not paid or not imported. src/legacy.js is as it was. The release ticket is TR-4711-KINGFISHER.";

interface Run {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly stdout: () => string;
  /** Waits for the beginning of a step; what the step does is then under way. */
  step(number: number): Promise<void>;
  end(): Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

function stateForTest(): string {
  const home = mkdtempSync(path.join(tmpdir(), "longhaul-coding-agent-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function start(home: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const { PATH } = process.env;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "examples/coding-agent/main.ts", ...args],
    { env: { PATH, LONGHAUL_HOME: home, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  return {
    child,
    stdout: () => stdout,
    async step(number) {
      const begun = new RegExp(`^ *${number} [█░]`, "m");
      while (!begun.test(stdout)) await once(child.stdout, "data");
    },
    async end() {
      const [code] = (await once(child, "close")) as [number | null];
      return { code, stdout, stderr };
    },
  };
}

function outcomeOf(stdout: string): Outcome {
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Outcome;
}

function projectFile(home: string, session: string, name: string): string {
  return readFileSync(path.join(home, "agent", session, "project", name), "utf8");
}

// So many steps take a while where others work, too.
describe("the coding agent, offline", { timeout: 180_000 }, () => {
  it("does its task in a small window, in sight of whoever watches", async () => {
    const home = stateForTest();
    const run = start(home, ["--offline", "--json", "--session", "whole", "--window", "16k"]);
    const { code, stdout, stderr } = await run.end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { steps, truncations, prunes, compactions, ...rest } = outcomeOf(stdout);
    expect(rest).toEqual({ rejected: 0, finished: true, answer: ANSWER });
    expect(steps).toBeGreaterThan(100);
    expect(truncations).toBeGreaterThanOrEqual(1);
    expect(prunes).toBeGreaterThanOrEqual(1);
    expect(compactions).toBeGreaterThanOrEqual(3);
    expect(stdout).toContain("  > Never change src/legacy.js: the accountants still compare");
    expect(stdout).toMatch(/^ {2}1 [█░]{12} +\d+\/12,000 +\d+% {2}I look round first\.$/m);
    expect(stdout).toMatch(/✂ bash: 51\.8 KB cut to \d\.\d KB; the whole is out_[0-9a-f]{16}$/m);
    expect(stdout).toMatch(/▾ pruned \d+ outputs: 1\d,\d{3} → \d,\d{3} tokens$/m);
    expect(stdout).toMatch(/● compacted \d+ messages: 1\d,\d{3} → \d,\d{3} tokens; they are head_/);
    expect(stdout).toMatch(/summary \(extractive, [\d,]+ tokens; lines\): goal \d+ · instr/);
    expect(stdout).toMatch(/^ {4}│ +1 [█░]{12}/m);
    expect(stdout).not.toContain("\u001B");
    expect(projectFile(home, "whole", "CHANGELOG.md")).toContain("## 0.4.2 (TR-4711-KINGFISHER)");
    expect(projectFile(home, "whole", "src/money.js")).toContain("Math.sign");
    const legacy = readFileSync("examples/recorded-session/seed/src/legacy.js", "utf8");
    expect(projectFile(home, "whole", "src/legacy.js")).toBe(legacy);
  });

  it("goes on where it was killed, and ends with the same answer", async () => {
    const home = stateForTest();
    const args = ["--offline", "--json", "--window", "16k"];
    for (const step of [4, 62, 113]) {
      const killed = start(home, [...args, "--session", "killed"]);
      await killed.step(step);
      killed.child.kill("SIGKILL");
      const { code } = await killed.end();
      expect(code).toBeNull();
      appendFileSync(path.join(home, "agent/killed/history.jsonl"), '{"messages":[{"role":"assi');
    }
    const { code, stdout, stderr } = await start(home, [...args, "--resume"]).end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Session killed, going on");
    expect(stdout).not.toMatch(/^ *! /m);
    const { steps, compactions, rejected, finished, answer } = outcomeOf(stdout);
    expect({ rejected, finished, answer }).toEqual({ rejected: 0, finished: true, answer: ANSWER });
    expect(steps).toBeGreaterThan(100);
    expect(compactions).toBeGreaterThanOrEqual(3);
    const changelog = projectFile(home, "killed", "CHANGELOG.md");
    expect(changelog.split("TR-4711-KINGFISHER")).toHaveLength(2);

    const again = await start(home, [...args, "--session", "killed"]).end();
    expect(outcomeOf(again.stdout)).toEqual(outcomeOf(stdout));
    expect(again.stdout).not.toMatch(/[█░]/);
  });
});

describe("the coding agent with a provider", () => {
  it.each([
    {
      provider: "anthropic",
      env: (url: string) => ({ ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: `${url}/v1` }),
    },
    {
      provider: "compatible",
      env: (url: string) => ({
        OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
        OPENAI_COMPATIBLE_API_KEY: "key",
        MODEL: "scripted",
      }),
    },
  ])("works over the wire: $provider", async ({ env }) => {
    const home = stateForTest();
    const upstream = await upstreamForTest({ script: reader(40), window: 32_000 });
    const task = ["--json", "--window", "32k", "Read the changelog again and again."];
    const { code, stdout, stderr } = await start(home, task, env(upstream.url)).end();
    expect(upstream.refusals).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(outcomeOf(stdout)).toMatchObject({
      steps: 41,
      rejected: 0,
      finished: true,
      answer: "It says what changed.",
    });
  });

  it("says which variables name a model when none does", async () => {
    const { code, stdout, stderr } = await start(stateForTest(), ["Fix it."]).end();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/ANTHROPIC_API_KEY[^]*OPENAI_API_KEY[^]*OPENAI_COMPATIBLE_BASE_URL/);
    expect(stderr).toContain("npm run agent -- --offline");
  });

  it("says what is missing before it asks a model", async () => {
    const env = { ANTHROPIC_API_KEY: "key" };
    const idle = await start(stateForTest(), [" "], env).end();
    expect(idle).toMatchObject({ code: 1 });
    expect(idle.stderr).toContain("There is nothing to do: give a task");
    const lost = await start(stateForTest(), ["--folder", "/not/there", "Fix it."], env).end();
    expect(lost).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no folder /not/there to work in.\n",
    });
  });

  it("takes the provider that is named", async () => {
    const named = modelFrom({ MODEL: "openai:gpt-5", ANTHROPIC_API_KEY: "key" });
    await expect(named).rejects.toThrow(/OPENAI_API_KEY(?![^]*ANTHROPIC)/);
    await expect(modelFrom({ MODEL: "nobody:x" })).rejects.toThrow("must begin with one of");
    await expect(modelFrom({ ANTHROPIC_API_KEY: "key", MODEL: "claude-x" })).resolves.toMatchObject(
      { modelId: "claude-x" },
    );
  });
});

/** A model that reads a file so many times. */
function reader(times: number): Script {
  let calls = 0;
  return ({ tools, lastUserText }) => {
    // A summary may be asked for behind the agent's own request, tools included.
    const isSummary = lastUserText.includes("The whole summary has at most");
    if (isSummary || tools.length === 0 || calls >= times) return "It says what changed.";
    calls += 1;
    return { parts: [{ type: "call", name: "read", input: { path: "CHANGELOG.md" } }] };
  };
}

describe("the command line of the coding agent", () => {
  function read(args: readonly string[]): { readonly code: number; readonly text: string } {
    let text = "";
    const write = (more: string): void => void (text += more);
    try {
      readArguments(args, { writeOut: write, writeErr: write });
    } catch (error) {
      return { code: (error as CommanderError).exitCode, text };
    }
    return { code: -1, text };
  }

  it("has help", () => {
    const { code, text } = read(["--help"]);
    expect(code).toBe(0);
    for (const word of ["--offline", "--json", "--window", "--session", "--resume", "MODEL"]) {
      expect(text).toContain(word);
    }
  });

  it.each([
    { args: ["--window", "much", "--offline"], says: "such as 16k or 200000" },
    { args: ["--window", "500", "--offline"], says: "from 8000 on" },
    { args: ["--session", "../up", "--offline"], says: "Give a name of a-z" },
    { args: ["--session", "a", "--resume"], says: "cannot be used with" },
    { args: ["--offline", "Fix it."], says: "a task and a folder of its own" },
    { args: ["one", "two"], says: "too many arguments" },
    { args: ["--oflline"], says: "Did you mean --offline?" },
  ])("calls wrong usage by its name: $args", ({ args, says }) => {
    const { code, text } = read(args);
    expect(code).toBe(1);
    expect(text).toContain(says);
  });

  it("reads what is meant", () => {
    expect(readArguments(["--window", "16k", "--session", "a", "Fix it."])).toEqual({
      window: 16_000,
      session: "a",
      task: "Fix it.",
    });
  });

  it("ends with 2 for wrong usage", async () => {
    const wrong = await start(stateForTest(), ["--window", "0"]).end();
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });

  it("says that there is nothing to resume", () => {
    const home = stateForTest();
    expect(() => chooseSession(home, { resume: true })).toThrow(
      /There is no session in .* to go on/,
    );
  });
});
