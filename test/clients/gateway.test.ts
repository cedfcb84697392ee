import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/gateway/server.ts";
import { SESSION_AGENTS } from "../../src/resume/write-session.ts";
import { startUpstream, type Upstream } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, type Place, type Ran, run, runIt } from "./clients.ts";
import { WIRE_AGENTS, wireClients } from "./wire-clients.ts";

const MAIN = path.resolve("test/.built/main.js");
const RULE = "never touch the file secret.txt";
const STEPS = 40;
/** All that a client can work in: Claude Code begins with some 25,000 tokens. */
const WINDOW = 48_000;

const ALL = { ...clients, ...wireClients };
type Agent = (typeof SESSION_AGENTS)[number] | (typeof WIRE_AGENTS)[number];
const AGENTS: readonly Agent[] = [...SESSION_AGENTS, ...WIRE_AGENTS];

interface Scripted {
  readonly upstream: Upstream;
  /** In how many requests the rule of the first message was out of sight. */
  readonly lost: () => number;
  /** How many steps were made. */
  readonly steps: () => number;
}

/** Forty steps with long outputs; how far it has come is known to the server alone. */
async function startScripted(agent: Agent): Promise<Scripted> {
  const { tool } = ALL[agent];
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

const nameOf = (agent: Agent): string => (agent === "claude-code" ? "claude" : agent);

/** What the client calls the provider of its own settings. */
const PROVIDERS: Readonly<Partial<Record<Agent, string>>> = {
  codex: "scripted",
  opencode: "scripted",
  pi: "scripted",
  cline: "anthropic",
  continue: "scripted",
  "qwen-code": "scripted-model",
};
const OPENAI: ReadonlySet<Agent> = new Set(["codex", "continue", "qwen-code"]);

/** The options of `wrap` that name the provider of the client's own settings. */
function providerArgs(agent: Agent, { upstream }: Place): readonly string[] {
  const provider = PROVIDERS[agent];
  const own = provider === undefined ? [] : ["--provider", provider];
  const to = OPENAI.has(agent) ? ["--openai", `${upstream.url}/v1`] : ["--anthropic", upstream.url];
  return [...own, ...to];
}

function place(agent: Agent, upstream: Pick<Upstream, "url">): Place {
  const home = mkdtempSync(path.join(os.tmpdir(), `longhaul-${agent}-`));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  const made = { home, cwd, upstream };
  ALL[agent].configure(made);
  return made;
}

function wrapClient(agent: Agent, at: Place, flags: readonly string[]): Promise<Ran> {
  const { args, env } = ALL[agent];
  const words = [MAIN, "wrap", ...flags, ...providerArgs(agent, at), nameOf(agent), "--"];
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
  }, 1_500);
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

describe.each(AGENTS)("%s behind a gateway", (agent) => {
  const isInstalled = existsSync(path.join(CLIENTS, ALL[agent].folder));

  it.skipIf(!isInstalled)("does not get to the end without one", async () => {
    const { upstream, steps } = await startScripted(agent);
    try {
      const { code } = await runIt(ALL[agent], place(agent, upstream), PROMPT);
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
      expect(ran.stderr).not.toContain("prefix violation");
    } finally {
      await upstream.close();
    }
  });

  it.skipIf(!isInstalled)("never hears that the window nobody named is full", async () => {
    const { upstream, steps, lost } = await startScripted(agent);
    const at = place(agent, upstream);
    const { url } = upstream;
    const archive = path.join(at.home, "archive");
    const gateway = await startGateway({ port: 0, anthropic: url, openai: `${url}/v1`, archive });
    try {
      const ran = await wrapClient(agent, at, ["--gateway", gateway.url]);
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("All is done.") });
      expect(steps()).toBe(STEPS + 1);
      expect(upstream.requests.filter(({ outcome }) => outcome === "refused")).toEqual([]);
      expect(upstream.rejected).toBeLessThan(4);
      expect(lost()).toBe(0);
      const { counted } = gateway.metrics;
      expect(counted("planned_edits")).toBeGreaterThan(0);
      expect({ violations: counted("prefix_violations"), open: counted("failed_open") }).toEqual({
        violations: 0,
        open: 0,
      });
    } finally {
      gateway.abort();
      await gateway.close();
      await upstream.close();
    }
  });

  it.skipIf(!isInstalled)("goes on when the gateway is killed again and again", async () => {
    const { upstream, steps, lost } = await startScripted(agent);
    const port = 20_000 + (process.pid % 20_000) + AGENTS.indexOf(agent);
    const direct = place(agent, upstream);
    const behind = place(agent, { url: `http://127.0.0.1:${port}` });
    const killed = startKilled(path.join(direct.home, "archive"), direct, port);
    try {
      const ran = await runIt(ALL[agent], behind, PROMPT);
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
