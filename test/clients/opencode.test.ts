import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Fields, fieldsOf } from "../../src/core/text/json.ts";
import type { Misbehave } from "../provider/types.ts";
import { startUpstream, type Upstream } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, type Place, run, type Ran } from "./clients.ts";

/*
 * The compactions of the real opencode, with the plugin inside: switched off and on, with models that say nothing where a
 * summary is wanted, and with a plugin that fails.
 */

const MAIN = path.resolve("test/.built/main.js");
const RULE = "never touch the file secret.txt";
const STEPS = 40;

/** How opencode is told of its model, and what that model is like. */
interface Scenery {
  /** The window that stands in the settings, in tokens. */
  readonly told: number;
  /** That of the model. @default the same */
  readonly has?: number;
  readonly compaction?: object;
  /** What the model says where a summary is wanted. */
  readonly summary?: Misbehave | string;
  readonly steps?: number;
  /** Changes what was installed. */
  readonly spoil?: (place: Place) => void;
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  readonly isPlugged?: boolean;
}

interface Scene {
  readonly ran: Ran;
  readonly upstream: Upstream;
  readonly done: number;
  readonly log: string;
  /** Texts of the summaries in opencode's database. */
  readonly summaries: () => Promise<readonly string[]>;
}

const tool = clients.opencode.tool;

function startScripted(
  { told, has = told, summary = "A title, or a summary" }: Scenery,
  [steps, onStep]: readonly [number, () => number],
): Promise<Upstream> {
  return startUpstream({
    window: has,
    script: ({ tools, messages }) => {
      if (!tools.some(({ name }) => name === tool.name))
        return isTitle(messages) ? "A title" : summary;
      const step = onStep();
      if (step <= steps) {
        const command = `seq 1 150 | sed 's/^/line of step ${step} number /'; echo FACT-${step}-IS-$((${step} * 7919))`;
        return { parts: [{ type: "call", name: tool.name, input: tool.input(command) }] };
      }
      if (JSON.stringify(messages).includes("FACT-3-IS-23757")) return "FACT-3-IS-23757";
      if (!tools.some(({ name }) => name === "search_archive")) return "FACT-3 is lost.";
      const input = { pattern: "FACT-3-IS-" };
      return { parts: [{ type: "call", name: "search_archive", input }] };
    },
  });
}

function isTitle(messages: readonly { readonly text: string }[]): boolean {
  return messages.some(({ text }) => text.includes("Generate a title"));
}

async function play(scenery: Scenery): Promise<Scene> {
  const { told, compaction, steps = STEPS, spoil, isPlugged = true } = scenery;
  const home = mkdtempSync(path.join(os.tmpdir(), "longhaul-opencode-"));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  let done = 0;
  const upstream = await startScripted(scenery, [steps, () => ++done]);
  const place = { home, cwd, upstream };
  clients.opencode.configure(place);
  const config = path.join(home, ".config", "opencode", "opencode.json");
  const settings = fieldsOf(
    JSON.parse(readFileSync(config, "utf8").replace(/"context": \d+/, `"context": ${told}`)),
  );
  writeFileSync(config, JSON.stringify({ ...settings, compaction }, undefined, 2));
  const state = { LONGHAUL_HOME: path.join(home, "state") };
  const env = { ...homeEnv(home), ...clients.opencode.env(place), ...state };
  if (isPlugged) {
    const installed = await run(process.execPath, [MAIN, "plugin", "opencode"], { cwd, env });
    expect(installed).toMatchObject({ code: 0 });
  }
  spoil?.(place);
  const program = path.join(CLIENTS, clients.opencode.folder);
  const ran = await run(program, [...clients.opencode.args(`BEGIN: do all steps, and ${RULE}.`)], {
    cwd,
    env: { ...env, ...scenery.env?.(place) },
  });
  await upstream.close();
  const file = path.join(home, "state", "plugins.log");
  return {
    ran,
    upstream,
    done,
    log: existsSync(file) ? readFileSync(file, "utf8") : "",
    summaries: async () => {
      const listed = await run(program, ["session", "list", "--format", "json"], { cwd, env });
      const [{ id = "" } = {}] = JSON.parse(listed.stdout) as readonly { id?: string }[];
      // Of a long session opencode prints only a part into a pipe.
      const exported = path.join(home, "export.json");
      const line = `${program} export ${id} > ${exported}`;
      await run("sh", ["-c", line], { cwd, env });
      const { messages } = JSON.parse(readFileSync(exported, "utf8")) as {
        messages: readonly { info: Fields; parts: readonly Fields[] }[];
      };
      const found = messages.filter(({ info }) => info["summary"] === true);
      return found.map(({ parts }) =>
        parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n"),
      );
    },
  };
}

const isInstalled = existsSync(path.join(CLIENTS, clients.opencode.folder));

describe.skipIf(!isInstalled)("the compaction of opencode", () => {
  it.each([{ auto: false }, { auto: true }])(
    "has nothing to do with %j: ours is earlier",
    async (compaction) => {
      const { ran, upstream, done, log } = await play({ told: 32_000, compaction });
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("FACT-3-IS-23757") });
      expect(upstream.refusals).toEqual([]);
      expect(done).toBe(STEPS + 2);
      expect(log).toMatch(/: compact: /);
      expect(log).not.toMatch(/: summary: /);
      expect(JSON.stringify(upstream.requests.at(-1)?.view?.messages)).toContain(RULE);
    },
  );

  it.each<Misbehave | string>([
    "The words of a model that remembers nothing.",
    { misbehave: "empty" },
    { misbehave: "cut-off" },
  ])("has our summary where a model says %j, and the run goes on", async (summary) => {
    const { ran, upstream, log, summaries } = await play({
      told: 64_000,
      has: 24_000,
      compaction: { auto: true },
      summary,
    });
    expect(ran.stdout).toContain("FACT-3-IS-23757");
    expect(upstream.refusals.length).toBeLessThanOrEqual(1);
    expect(JSON.stringify(upstream.requests.at(-1)?.view?.messages)).toContain(RULE);
    expect(log).toMatch(/: summary: /);
    const stored = await summaries();
    expect(stored.length).toBeGreaterThan(0);
    for (const one of stored) expect(one).toMatch(/^<prior-conversation-summary[^]*secret\.txt/);
  });
});

describe.skipIf(!isInstalled)("opencode with a plugin that fails", () => {
  const THROWS = "() => { throw new Error('spoilt') }";
  /** The door of the plugin behind one that breaks what it is given, or itself. */
  const behind =
    (code: string) =>
    ({ home }: Place) => {
      const config = path.join(home, ".config", "opencode", "opencode.json");
      const settings = fieldsOf(JSON.parse(readFileSync(config, "utf8")));
      const [door] = settings["plugin"] as readonly string[];
      const file = path.join(home, "spoilt.js");
      writeFileSync(
        file,
        `import * as ours from ${JSON.stringify(door)};\nconst load = ours.default;\n${code}\n`,
      );
      writeFileSync(config, JSON.stringify({ ...settings, plugin: [`file://${file}`] }));
    };

  it.each([
    ["cannot be loaded", { spoil: behind("throw new Error('spoilt');") }],
    [
      "reaches nothing of opencode",
      {
        spoil: behind(
          `export default (input) => load(Object.defineProperty({ ...input }, "client", { value: new Proxy({}, { get: ${THROWS} }) }));`,
        ),
      },
    ],
    [
      "has no folder to write to",
      {
        env: ({ home }: Place) => ({
          LONGHAUL_HOME: path.join(home, ".config", "opencode", "opencode.json"),
        }),
      },
    ],
    [
      "is handed what nobody knows",
      {
        spoil: behind(`export default async (input) => {
  const hooks = await load(input);
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) =>
    [name, typeof hook === "function" ? () => hook(null, null) : hook]));
};`),
      },
    ],
  ])("goes on as without it where that %s", async (_, spoilt) => {
    const small = { told: 120_000, steps: 6 };
    const without = await play({ ...small, isPlugged: false });
    const { ran, upstream, done } = await play({ ...small, ...spoilt });
    expect(ran).toMatchObject({ code: 0, stdout: without.ran.stdout });
    expect(done).toBe(without.done);
    const said = (each: Upstream): unknown =>
      each.requests.at(-1)?.view?.messages.map(({ role }) => role);
    expect(said(upstream)).toEqual(said(without.upstream));
  });
});
