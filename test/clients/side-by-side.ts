import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { PluginAgent } from "../../src/plugins/agents.ts";
import { type LoggedRequest, type RequestView, startUpstream } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, type Place, run } from "./clients.ts";

/*
 * One long task in a real coding agent, with Longhaul and without it, against the strict server. Each
 * of its steps prints a log with one fact in it that nobody can guess. When all steps are
 * done, the scripted model has to know the facts: it takes those that stand in front of it, and for
 * the others it asks the tool `search`, if it has one.
 */

/** How an agent is set up for a small window. */
interface SmallWindow {
  /** The agent, for people. */
  readonly title: string;
  /** The window of the server, in tokens. */
  readonly window: number;
  /** Changes its files below the home folder. */
  readonly configure?: (home: string) => void;
  readonly args?: readonly string[];
}

/** Sets one number in a JSON file of an agent. */
function numberIn(file: readonly string[], name: string, value: number): (home: string) => void {
  return (home) => {
    const place = path.join(home, ...file);
    const text = readFileSync(place, "utf8");
    writeFileSync(place, text.replace(new RegExp(`"${name}": \\d+`), `"${name}": ${value}`));
  };
}

/** The smallest window in which each agent works on by itself, or with Longhaul. */
export const SMALL_WINDOWS: Partial<Record<PluginAgent, SmallWindow>> = {
  "claude-code": {
    title: "Claude Code, 100,000,",
    window: 120_000,
    args: ["--autocompact", "100000"],
  },
  opencode: {
    title: "opencode, 32,000,",
    window: 32_000,
    configure: numberIn([".config", "opencode", "opencode.json"], "context", 32_000),
  },
  pi: {
    title: "pi 0.74, 24,000,",
    window: 24_000,
    configure: numberIn([".pi", "agent", "models.json"], "contextWindow", 24_000),
  },
  codex: {
    title: "Codex, 28,000,",
    window: 40_000,
    args: ["--dangerously-bypass-hook-trust"],
    configure(home) {
      const file = path.join(home, ".codex", "config.toml");
      const text = readFileSync(file, "utf8")
        .replace(/^model_context_window = .*$/m, "model_context_window = 36000")
        .replace(
          /^model_auto_compact_token_limit = .*$/m,
          "model_auto_compact_token_limit = 28000",
        );
      writeFileSync(file, text);
    },
  },
};

export interface Variant {
  readonly name: string;
  /** Options of `longhaul plugin`; absent: without Longhaul. */
  readonly plugin?: readonly string[];
}

/** What came out of one run. */
export interface Outcome {
  readonly exitCode: number;
  /** The whole task was done. */
  readonly isDone: boolean;
  /** How many steps were made. */
  readonly steps: number;
  /** Until all steps were done. */
  readonly requests: number;
  /** Requests that the server refused, for a rule or for their size. */
  readonly refused: number;
  readonly compactions: number;
  /** Requests of the agent's own that do not begin as the one before them ended. */
  readonly rewrites: number;
  /** Sums over all requests of the steps, in tokens; asking for facts comes after that. */
  readonly sent: number;
  readonly uncached: number;
  /** Of the facts of all steps, when they were done. */
  readonly facts: { readonly inSight: number; readonly recalled: number; readonly lost: number };
  /** Whether the person's rule was in front of the model with the last request. */
  readonly hasRule: boolean;
}

const PROMPT = "BEGIN: do all the steps one by one, and never touch the file secret.txt.";
const RULE = "never touch the file secret.txt";
/** Newest facts that the model's own summaries name. */
const SUMMARIZED = 10;

function factOf(step: number): string {
  const value = createHash("sha256").update(`fact ${step}`).digest("hex").slice(0, 12);
  return `FACT-${step}-IS-${value}`;
}

const LINES = 400;

/** Logs of some 20 KB, each with a fact somewhere in it. */
function writeLogs(folder: string, steps: number): void {
  for (let step = 1; step <= steps; step++) {
    const lines = Array.from({ length: LINES }, (_, at) => {
      const id = createHash("sha256").update(`${step} ${at}`).digest("hex").slice(0, 8);
      return `step ${step} request ${at} took ${at % 97} ms id ${id}`;
    });
    lines.splice((step * 37) % LINES, 0, factOf(step));
    writeFileSync(path.join(folder, `step-${step}.log`), `${lines.join("\n")}\n`);
  }
}

/** Everything that a request holds, as one text. */
function textOf(view: RequestView): string {
  return JSON.stringify([view.system, view.messages]);
}

/** The scripted model, and what it found out. */
function createModel(agent: PluginAgent, steps: number, onDone: () => void) {
  const { tool } = clients[agent];
  let step = 0;
  const tries = new Map<number, number>();
  let missing: readonly number[] | undefined;
  const known = new Set<number>();
  const all = Array.from({ length: steps }, (_, at) => at + 1);
  const answer = (view: RequestView) => {
    const seen = textOf(view);
    if (!hasTool(view, tool.name) || isSummaryRequest(view)) {
      if (!isSummaryRequest(view)) return "A title";
      const facts = all.map(factOf).filter((fact) => seen.includes(fact));
      return `<summary>The task goes on. ${facts.slice(-SUMMARIZED).join(", ")}</summary>`;
    }
    if (step < steps) {
      step++;
      return call(tool.name, tool.input(`cat step-${step}.log`));
    }
    for (const each of all) if (seen.includes(factOf(each))) known.add(each);
    if (missing === undefined) onDone();
    missing ??= all.filter((each) => !known.has(each));
    const search = searchTool(view);
    // An answer may come just when the agent compacts: then it is asked once more.
    const next = missing.find((each) => !known.has(each) && (tries.get(each) ?? 0) < 2);
    if (search === undefined || next === undefined) return "All is done.";
    tries.set(next, (tries.get(next) ?? 0) + 1);
    return call(search.name, { pattern: `FACT-${next}-IS-` }, search.namespace);
  };
  const facts = () => {
    const lost = steps - known.size;
    const recalled = (missing ?? []).filter((each) => known.has(each)).length;
    return { inSight: known.size - recalled, recalled, lost };
  };
  return { answer, facts, isDone: () => missing !== undefined, steps: () => step };
}

function call(name: string, input: unknown, namespace?: string) {
  return { parts: [{ type: "call" as const, name, input, ...(namespace && { namespace }) }] };
}

function hasTool({ tools }: RequestView, wanted: string): boolean {
  return tools.some(({ name }) => name === wanted);
}

/** Claude Code asks with all its tools, the others without any. */
function isSummaryRequest({ messages, tools, lastUserText }: RequestView): boolean {
  const asked = `${lastUserText} ${messages.at(-1)?.text ?? ""}`;
  const isAsked = /<summary> block|CONTEXT CHECKPOINT COMPACTION|context summarization/i.test(
    asked,
  );
  return isAsked || (tools.length === 0 && /summar/i.test(asked));
}

/** As each agent calls it. */
function searchTool({ tools }: RequestView) {
  const names = tools.map(({ name }) => name);
  const name = names.find((one) => /longhaul__search$|^search_archive$/.test(one));
  if (name !== undefined) return { name };
  return names.includes("mcp__longhaul")
    ? { name: "search", namespace: "mcp__longhaul" }
    : undefined;
}

interface HowToRun {
  /** Our command line. */
  readonly main: string;
  readonly steps?: number;
  /** Looks at the home folder before it is removed. */
  readonly look?: (home: string) => void;
}

/** Does the task once. */
export async function runOnce(
  agent: PluginAgent,
  { plugin }: Variant,
  { main, steps = 40, look }: HowToRun,
): Promise<Outcome> {
  const small = SMALL_WINDOWS[agent];
  if (small === undefined) throw new TypeError(`No small window of ${agent} is known.`);
  const home = mkdtempSync(path.join(os.tmpdir(), `longhaul-${agent}-`));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  writeLogs(cwd, steps);
  let requestsOfSteps: number | undefined;
  const model = createModel(agent, steps, () => (requestsOfSteps = upstream.requests.length));
  const upstream = await startUpstream({
    window: small.window,
    script: (view) => model.answer(view),
  });
  const place: Place = { home, cwd, upstream };
  try {
    clients[agent].configure(place);
    small.configure?.(home);
    const env = { ...homeEnv(home), LONGHAUL_HOME: path.join(home, "state") };
    if (plugin !== undefined) {
      const installed = await run(process.execPath, [main, "plugin", agent, ...plugin], {
        cwd,
        env,
      });
      if (installed.code !== 0) throw new Error(installed.stderr);
    }
    const args = [...clients[agent].args(PROMPT)];
    args.splice(1, 0, ...(small.args ?? []));
    const program = path.join(CLIENTS, clients[agent].folder);
    const ran = await run(program, args, { cwd, env: { ...env, ...clients[agent].env(place) } });
    return {
      exitCode: ran.code,
      ...outcomeOf(upstream.requests.slice(0, requestsOfSteps), upstream.requests, model),
    };
  } finally {
    await upstream.close();
    look?.(home);
    rmSync(home, { recursive: true, force: true });
  }
}

function outcomeOf(
  ofSteps: readonly LoggedRequest[],
  all: readonly LoggedRequest[],
  model: ReturnType<typeof createModel>,
): Omit<Outcome, "exitCode"> {
  const asked = ofSteps.filter(({ view }) => view !== undefined);
  const own = asked.filter(isOwn);
  const sum = (of: (request: LoggedRequest) => number): number =>
    asked.reduce((total, request) => total + of(request), 0);
  const last = all.findLast(isOwn)?.view;
  return {
    isDone: model.isDone(),
    steps: model.steps(),
    requests: asked.length,
    refused: all.filter(isRefused).length,
    compactions: asked.filter(({ view }) => isSummaryRequest(view!)).length,
    rewrites: own.filter((request, at) => at > 0 && isRewritten(own[at - 1]!, request)).length,
    sent: sum(({ usage, promptTokens }) => usage?.input ?? promptTokens ?? 0),
    uncached: sum(({ usage }) => (usage === undefined ? 0 : usage.input - usage.cacheRead)),
    facts: model.facts(),
    hasRule: last !== undefined && textOf(last).includes(RULE),
  };
}

/** Claude Code also asks for counts of tokens, which this server does not know. */
function isRefused({ view, outcome }: LoggedRequest): boolean {
  return view !== undefined && (outcome === "refused" || outcome === "overflow");
}

/** A request of the agent's own work, not for a title or a summary. */
function isOwn({ view, outcome }: LoggedRequest): boolean {
  const isAnswered = view !== undefined && outcome === "answered";
  return isAnswered && view.tools.length > 0 && !isSummaryRequest(view);
}

/** Whether a request changes anything of the one before it, its newest message aside. */
function isRewritten(before: LoggedRequest, after: LoggedRequest): boolean {
  const [old, now] = [before.view!.messages.slice(0, -1), after.view!.messages];
  return old.some((message, at) => JSON.stringify(message) !== JSON.stringify(now[at]));
}

/** Outcomes as a table, one line each by its name. */
export function table(outcomes: ReadonlyMap<string, Outcome>): string {
  const head = [
    "",
    "steps done",
    "requests",
    "refused",
    "compactions",
    "prefix rewrites",
    "tokens sent",
    "of these not cached",
    "facts in sight, recalled, lost",
    "the rule stands",
  ];
  const rows = [...outcomes].map(([name, one]) => [
    name,
    one.isDone ? "all" : `${one.steps}, then it gave up`,
    one.requests,
    one.refused,
    one.compactions,
    one.rewrites,
    one.sent.toLocaleString("en-US"),
    one.uncached.toLocaleString("en-US"),
    `${one.facts.inSight}, ${one.facts.recalled}, ${one.facts.lost}`,
    one.hasRule ? "yes" : "no",
  ]);
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
