import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SESSION_AGENTS, type SessionAgent } from "../../src/resume/write-session.ts";
import { startUpstream, type Upstream } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, type Place, type Ran, run, runClient } from "./clients.ts";

const MAIN = path.resolve("test/.built/main.js");
const RULE = "never touch the file secret.txt";
const STEPS = 40;
/** All that a client can work in: Claude Code begins with some 25,000 tokens. */
const WINDOW = 48_000;

interface Scripted {
  readonly upstream: Upstream;
  /** In how many requests the rule of the first message was out of sight. */
  readonly lost: () => number;
  /** How many steps were made. */
  readonly steps: () => number;
}

/** Forty steps with long outputs; how far it has come is known to the server alone. */
async function startScripted(agent: SessionAgent): Promise<Scripted> {
  const { tool } = clients[agent];
  let [step, lost] = [0, 0];
  const upstream = await startUpstream({
    window: WINDOW,
    script: ({ tools, messages }) => {
      if (!tools.some(({ name }) => name === tool.name)) return "A title";
      if (!messages.some(({ text }) => text.includes(RULE))) lost += 1;
      step += 1;
      if (step > STEPS) return "All is done.";
      const command = `seq 1 400 | sed 's/^/line of step ${step} number /'; echo FACT-${step}`;
      const call = { type: "call" as const, name: tool.name, input: tool.input(command) };
      return { parts: [{ type: "text", text: `Step ${step}.` }, call] };
    },
  });
  return { upstream, lost: () => lost, steps: () => step };
}

const PROMPT = `Do the forty steps, and ${RULE}.`;

const PROGRAMS: Readonly<Record<SessionAgent, string>> = {
  "claude-code": "claude",
  codex: "codex",
  opencode: "opencode",
  pi: "pi",
};

/** The options of `wrap` that name the provider of the client's own settings. */
function providerArgs(agent: SessionAgent, { upstream }: Place): readonly string[] {
  const own = agent === "claude-code" ? [] : ["--provider", "scripted"];
  const isOpenai = agent === "codex";
  const to = isOpenai ? ["--openai", `${upstream.url}/v1`] : ["--anthropic", upstream.url];
  return [...own, ...to];
}

function place(agent: SessionAgent, upstream: Pick<Upstream, "url">): Place {
  const home = mkdtempSync(path.join(os.tmpdir(), `longhaul-${agent}-`));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  const made = { home, cwd, upstream };
  clients[agent].configure(made);
  return made;
}

function wrapClient(agent: SessionAgent, at: Place, flags: readonly string[]): Promise<Ran> {
  const { args, env } = clients[agent];
  const words = [MAIN, "wrap", ...flags, ...providerArgs(agent, at), PROGRAMS[agent], "--"];
  return run(process.execPath, [...words, ...args(PROMPT)], {
    cwd: at.cwd,
    env: { ...homeEnv(at.home), ...env(at), LONGHAUL_HOME: path.join(at.home, "state") },
  });
}

/** Each makes a client wait until it tries again. */
const MOST_KILLS = 4;

/** A gateway in a process of its own that is killed, and comes back where it was. */
function startKilled(archive: string, at: Place, port: number): { stop(): void; kills(): number } {
  let [child, kills, isOver]: [ChildProcess | undefined, number, boolean] = [undefined, 0, false];
  const start = (): void => {
    const { url } = at.upstream;
    const words = [MAIN, "gateway", "--port", String(port), "--window", String(WINDOW)];
    const to = ["--anthropic", url, "--openai", `${url}/v1`, "--archive", archive];
    child = spawn(process.execPath, [...words, ...to], { stdio: "ignore" });
  };
  const timer = setInterval(() => {
    if (isOver || kills === MOST_KILLS) return;
    kills += 1;
    child?.kill("SIGKILL");
    start();
  }, 4_000);
  start();
  return {
    kills: () => kills,
    stop() {
      isOver = true;
      clearInterval(timer);
      child?.kill("SIGKILL");
    },
  };
}

describe.each(SESSION_AGENTS)("%s behind a gateway", (agent) => {
  const isInstalled = existsSync(path.join(CLIENTS, clients[agent].folder));

  it.skipIf(!isInstalled)("does not get to the end without one", async () => {
    const { upstream, steps } = await startScripted(agent);
    try {
      const { code } = await runClient(agent, place(agent, upstream), PROMPT);
      // Those that heal themselves are refused all the same.
      expect(upstream.rejected).toBeGreaterThan(0);
      if (agent === "codex")
        expect({ code, isDone: steps() > STEPS }).toEqual({ code: 1, isDone: false });
    } finally {
      await upstream.close();
    }
  });

  it.skipIf(!isInstalled)("makes forty steps in a small window and is never refused", async () => {
    const { upstream, steps, lost } = await startScripted(agent);
    try {
      const at = place(agent, upstream);
      const ran = await wrapClient(agent, at, ["--window", String(WINDOW)]);
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("All is done.") });
      expect(steps()).toBe(STEPS + 1);
      expect(upstream.refusals).toEqual([]);
      expect(lost()).toBe(0);
      expect(ran.stderr).toMatch(/longhaul: \d+ requests, [1-9]\d* edits?/);
    } finally {
      await upstream.close();
    }
  });

  it.skipIf(!isInstalled)("never hears that the window nobody named is full", async () => {
    const { upstream, steps, lost } = await startScripted(agent);
    try {
      const ran = await wrapClient(agent, place(agent, upstream), []);
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("All is done.") });
      expect(steps()).toBe(STEPS + 1);
      expect(upstream.requests.filter(({ outcome }) => outcome === "refused")).toEqual([]);
      expect(upstream.rejected).toBeLessThan(4);
      expect(lost()).toBe(0);
    } finally {
      await upstream.close();
    }
  });

  it.skipIf(!isInstalled)("goes on when the gateway is killed again and again", async () => {
    const { upstream, steps, lost } = await startScripted(agent);
    const port = 20_000 + (process.pid % 20_000) + SESSION_AGENTS.indexOf(agent);
    const direct = place(agent, upstream);
    const behind = place(agent, { url: `http://127.0.0.1:${port}` });
    const killed = startKilled(path.join(direct.home, "archive"), direct, port);
    try {
      const ran = await runClient(agent, behind, PROMPT);
      expect(ran).toMatchObject({ code: 0 });
      expect(killed.kills()).toBeGreaterThan(0);
      expect(steps()).toBeGreaterThan(STEPS);
      expect(upstream.refusals).toEqual([]);
      expect(lost()).toBe(0);
    } finally {
      killed.stop();
      await upstream.close();
    }
  });
});
