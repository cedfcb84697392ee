import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type LoggedRequest, startUpstream, type Upstream } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, type Place, run, type Ran } from "./clients.ts";

const MAIN = path.resolve("test/.built/main.js");
const RULE = "never touch the file secret.txt";
const STEPS = 40;

/** How an agent is told the window of its model. */
const SETUPS = {
  opencode: { file: [".config", "opencode", "opencode.json"], window: /"context": \d+/ },
  pi: { file: [".pi", "agent", "models.json"], window: /"contextWindow": \d+/ },
} as const;
type Agent = keyof typeof SETUPS;

interface Program {
  readonly agent: Agent;
  readonly name: string;
  /** Below the folder of all clients. */
  readonly file: string;
  /** The windows, named and true, in which it goes on after a request that was refused as too long. */
  readonly heals?: { readonly told: number; readonly has: number };
}

const PROGRAMS: readonly Program[] = [
  {
    agent: "opencode",
    name: "opencode",
    file: clients.opencode.folder,
    heals: { told: 64_000, has: 24_000 },
  },
  // After a refusal its extensions hold a context that is stale, its tools too: it ends by itself.
  { agent: "pi", name: "pi 0.74", file: clients.pi.folder },
  // It keeps the newest 20,000 tokens: where a window has no more, it finds nothing to compact, and ends.
  {
    agent: "pi",
    name: "pi 0.87",
    file: "pi-0.87/node_modules/.bin/pi",
    heals: { told: 200_000, has: 40_000 },
  },
];
const NODE_22 = path.join(CLIENTS, "node22", "node_modules", ".bin");

/** Each step prints a log with a fact; when all are done, the model looks for what it does not see. */
function startScripted(agent: Agent, window: number): Promise<Upstream> {
  const { tool } = clients[agent];
  let step = 0;
  return startUpstream({
    window,
    script: ({ tools, messages, lastUserText }) => {
      if (!tools.some(({ name }) => name === tool.name)) return "A title, or a summary";
      const said = JSON.stringify(messages);
      if (lastUserText.includes("GO ON")) return "I go on.";
      if (step < STEPS) {
        step += 1;
        const command = `seq 1 150 | sed 's/^/line of step ${step} number /'; echo FACT-${step}-IS-$((${step} * 7919))`;
        return { parts: [{ type: "call", name: tool.name, input: tool.input(command) }] };
      }
      if (said.includes("FACT-3-IS-23757")) return "FACT-3-IS-23757";
      const input = { pattern: "FACT-3-IS-" };
      return { parts: [{ type: "call", name: "search_archive", input }] };
    },
  });
}

interface Scene extends Place {
  readonly upstream: Upstream;
  readonly ask: (prompt: string, isNext?: boolean) => Promise<Ran>;
  readonly log: () => string;
}

/** An agent with our plugin in a home of its own, told of one window, while its model has another. */
async function open(
  { agent, name: program, file: own }: Program,
  { told, has = told }: { told: number; has?: number },
): Promise<Scene> {
  const home = mkdtempSync(path.join(os.tmpdir(), `longhaul-inside-${agent}-`));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  const upstream = await startScripted(agent, has);
  const place = { home, cwd, upstream };
  clients[agent].configure(place);
  const { file, window } = SETUPS[agent];
  const config = path.join(home, ...file);
  const name = agent === "pi" ? "contextWindow" : "context";
  writeFileSync(config, readFileSync(config, "utf8").replace(window, `"${name}": ${told}`));
  const state = { LONGHAUL_HOME: path.join(home, "state") };
  const bare = { ...homeEnv(home), ...clients[agent].env(place), ...state };
  const newer = { PATH: `${NODE_22}${path.delimiter}${homeEnv(home)["PATH"]}` };
  const env = program === "pi 0.87" ? { ...bare, ...newer } : bare;
  const installed = await run(process.execPath, [MAIN, "plugin", agent], { cwd, env });
  expect(installed).toMatchObject({ code: 0 });
  return {
    ...place,
    ask(prompt, isNext = false) {
      const args = [...clients[agent].args(prompt)];
      if (isNext) args.splice(-1, 0, "-c");
      if (isNext && agent === "pi") args.splice(-3, 3, "-c", "-p", prompt);
      return run(path.join(CLIENTS, own), args, { cwd, env });
    },
    log: () => readFileSync(path.join(home, "state", "plugins.log"), "utf8"),
  };
}

/** The requests of the agent itself: those for titles and summaries have no tools. */
function ownRequests({ requests }: Upstream): LoggedRequest[] {
  return requests.filter(({ view }) => (view?.tools.length ?? 0) > 0);
}

describe.each(PROGRAMS)("$name with Longhaul inside", (program) => {
  const { agent, file, heals } = program;
  const isInstalled = existsSync(path.join(CLIENTS, file));
  const inSight = (request: LoggedRequest | undefined): string =>
    JSON.stringify(request?.view?.messages);

  it.skipIf(!isInstalled)("works 40 steps in a small window, and loses nothing", async () => {
    const scene = await open(program, { told: 32_000 });
    const { upstream } = scene;
    try {
      const ran = await scene.ask(`BEGIN: do all steps, and ${RULE}.`);
      expect(ran).toMatchObject({ code: 0 });
      expect(upstream.refusals).toEqual([]);
      expect(ran.stdout).toContain("FACT-3-IS-23757");
      const own = ownRequests(upstream);
      expect(own.length).toBeGreaterThanOrEqual(STEPS + 2);
      expect(inSight(own.at(-1))).toContain(RULE);
      // No model was asked for a summary.
      const others = upstream.requests.length - own.length;
      expect(others).toBe(agent === "opencode" ? 1 : 0);
      expect(scene.log()).toMatch(/: compact: /);

      const last = own.at(-1)?.view?.messages ?? [];
      const next = await scene.ask("GO ON", true);
      expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining("I go on.") });
      const first = ownRequests(upstream)[own.length]?.view?.messages ?? [];
      expect(JSON.stringify(first.slice(0, last.length))).toBe(JSON.stringify(last));
    } finally {
      await upstream.close();
    }
  });

  it.skipIf(!isInstalled || heals === undefined)(
    "learns a limit that nobody told it, and sums up itself",
    async () => {
      const scene = await open(program, heals!);
      const { upstream } = scene;
      try {
        const ran = await scene.ask(`BEGIN: do all steps, and ${RULE}.`);
        expect(ran.stdout).toContain("FACT-3-IS-23757");
        expect(upstream.refusals.length).toBeLessThanOrEqual(1);
        expect(inSight(ownRequests(upstream).at(-1))).toContain(RULE);
        expect(JSON.stringify(upstream.requests.map(({ view }) => view?.messages))).not.toContain(
          "A title, or a summary",
        );
        expect(scene.log()).toMatch(/: summary: /);
      } finally {
        await upstream.close();
      }
    },
  );
});
