import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { RequestView } from "../provider/types.ts";
import { startUpstream } from "../provider/index.ts";
import { startAppServer } from "./codex-app-server.ts";
import { CLIENTS, clients, homeEnv, type Place, run } from "./clients.ts";

/*
 * What a truncation left out, got back by the agent's own model over MCP: the real Claude Code and Codex start our server,
 * which must know whose session a call belongs to.
 */

const MAIN = path.resolve("test/.built/main.js");
const FACT = "FACT-IS-7919";
/** The fact stands far from both ends, which are what is shown. */
const LOG = Array.from({ length: 1_500 }, (_, at) => (at === 700 ? FACT : `line ${at} of the log`));
const HANDLE = /\bout_[0-9a-f]{16}\b/;

/** As each agent calls a tool of a server. */
function recallTool(
  { tools }: RequestView,
  server: string,
): { name: string; namespace?: string } | undefined {
  const names = tools.map(({ name }) => name);
  const name = names.find((one) => one.endsWith(`${server}__recall`));
  if (name !== undefined) return { name };
  const namespace = `mcp__${server}`;
  return names.includes(namespace) ? { name: "recall", namespace } : undefined;
}

const AGENTS = ["claude-code", "codex"] as const;
const PROMPTS = { recalled: "READ THE LOG", elsewhere: "WHAT STOOD THERE", all: "LOOK INTO ALL" };

/** Behind `mcp add`, each agent's own command for servers; Codex hands them few variables. */
const SERVER = {
  "claude-code": (): readonly string[] => ["--scope", "user", "everything"],
  codex: (state: string): readonly string[] => ["everything", "--env", `LONGHAUL_HOME=${state}`],
};

/**
 * Three sessions: one reads the log and recalls it, the others ask for the same handle, the last of them a
 * server for all sessions.
 */
async function play(agent: (typeof AGENTS)[number]) {
  const { tool } = clients[agent];
  const home = mkdtempSync(path.join(os.tmpdir(), `longhaul-recall-${agent}-`));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, "a.log"), LOG.join("\n"));
  let handle = "";
  const seen = { truncated: false, recalled: "", elsewhere: "", all: "" };
  const upstream = await startUpstream({
    window: 200_000,
    script: (view) => {
      if (!view.tools.some(({ name }) => name === tool.name)) return "A title";
      const results = view.messages.flatMap((message) => message.results);
      const last = results.at(-1)?.output ?? "";
      const said = view.messages.map(({ text }) => text).join("\n");
      const asked = Object.entries(PROMPTS).find(([, prompt]) => said.includes(prompt))?.[0];
      const isFirst = asked === "recalled";
      const recall = recallTool(view, asked === "all" ? "everything" : "longhaul");
      if (isFirst && results.length === 0)
        return { parts: [{ type: "call", name: tool.name, input: tool.input("cat a.log") }] };
      if (isFirst && results.length === 1) {
        handle = HANDLE.exec(last)?.[0] ?? "";
        seen.truncated = handle !== "" && !last.includes(FACT);
      }
      if (results.length === (isFirst ? 1 : 0) && recall !== undefined)
        return { parts: [{ type: "call", ...recall, input: { handle, lines: [690, 710] } }] };
      if (asked !== undefined) seen[asked as keyof typeof PROMPTS] = last;
      return "That is all.";
    },
  });
  const place: Place = { home, cwd, upstream };
  clients[agent].configure(place);
  const env = { ...homeEnv(home), LONGHAUL_HOME: path.join(home, "state") };
  const own = { ...env, ...clients[agent].env(place) };
  const program = path.join(CLIENTS, clients[agent].folder);
  const ask = async (prompt: string): Promise<void> => {
    const ran = await run(program, [...clients[agent].args(prompt)], { cwd, env: own });
    expect(ran).toMatchObject({ code: 0 });
  };
  try {
    const options = ["plugin", agent, "--max-bytes", "6000"];
    const install = (): Promise<unknown> => run(process.execPath, [MAIN, ...options], { cwd, env });
    await install();
    if (agent === "codex") await trustHooks(program, { cwd, env: own }, install);
    await ask(PROMPTS.recalled);
    await ask(PROMPTS.elsewhere);
    const add = ["mcp", "add", ...SERVER[agent](env.LONGHAUL_HOME)];
    const added = await run(program, [...add, "--", process.execPath, MAIN, "mcp", "--all"], {
      cwd,
      env: own,
    });
    expect(added).toMatchObject({ code: 0 });
    await ask(PROMPTS.all);
  } finally {
    await upstream.close();
  }
  return { ...seen, refusals: upstream.refusals };
}

/** Codex passes over hooks that nobody trusts; trust outlives a new run of our command. */
async function trustHooks(
  program: string,
  options: Parameters<typeof startAppServer>[1],
  install: () => Promise<unknown>,
): Promise<void> {
  const server = await startAppServer(program, options);
  const status = async (): Promise<readonly string[]> =>
    (await server.hooks(options.cwd)).map(({ trustStatus }) => trustStatus);
  expect(await status()).toEqual(["untrusted", "untrusted"]);
  await server.trust(await server.hooks(options.cwd));
  expect(await status()).toEqual(["trusted", "trusted"]);
  server.close();
  await install();
  const next = await startAppServer(program, options);
  expect((await next.hooks(options.cwd)).map(({ trustStatus }) => trustStatus)).toEqual([
    "trusted",
    "trusted",
  ]);
  next.close();
}

describe.each(AGENTS)("recall over MCP in %s", (agent) => {
  const isInstalled = existsSync(path.join(CLIENTS, clients[agent].folder));

  it.skipIf(!isInstalled)("gives the original back, to its own session or with --all", async () => {
    const { truncated, recalled, elsewhere, all, refusals } = await play(agent);
    expect(refusals).toEqual([]);
    expect(truncated).toBe(true);
    expect(recalled).toContain(FACT);
    expect(recalled).toContain("line 699 of the log");
    expect(elsewhere).not.toContain(FACT);
    expect(elsewhere).toMatch(/no original|not in|nothing/i);
    expect(all).toContain(FACT);
  });
});
