import path from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { directoryArchive } from "../../../src/archive/directory.ts";
import type { Context, ContextReport, Failure } from "../../../src/context/index.ts";
import type { PromptMessage } from "../../../src/dialects/ai-sdk/model-prompt.ts";
import {
  mastraContext,
  type MastraContextOptions,
  type MastraProcessor,
} from "../../../src/hooks/mastra/index.ts";
import { words } from "../../build-messages.ts";

const LONG = words(20_000);

type Prompt = readonly PromptMessage[];

/** A step as Mastra puts it into a prompt: new objects every time. */
function step(id: string, output: string): PromptMessage[] {
  const call = { toolCallId: id, toolName: "read" };
  const value = { type: "text", value: output };
  const input = { path: `${id}.ts` };
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input }] },
    { role: "tool", content: [{ type: "tool-result", ...call, input, output: value }] },
  ];
}

function prompt(steps: number): PromptMessage[] {
  return [
    { role: "system", content: "Be good." },
    { role: "user", content: [{ type: "text", text: "Do it all." }] },
    ...Array.from({ length: steps }, (_, n) => step(`c${n}`, words(350, `${n}`))).flat(),
  ];
}

interface Harness {
  readonly processor: MastraProcessor;
  readonly reports: ContextReport[];
  readonly failures: Failure[];
  readonly contexts: { readonly context: Context; readonly id: string }[];
}

function harness(options: MastraContextOptions = { window: 32_000 }): Harness {
  const reports: ContextReport[] = [];
  const failures: Failure[] = [];
  const contexts: Harness["contexts"] = [];
  const own = mastraContext({
    ...options,
    onConversation: (context, id) => void contexts.push({ context, id }),
  });
  own.on("prepared", (report) => void reports.push(report));
  own.on("failed", (failure) => void failures.push(failure));
  return { processor: own.processor, reports, failures, contexts };
}

/** A run of an agent, in the thread of a memory if there is one. */
function run({ processor }: Harness, threadId?: string, asking: object = {}) {
  const state = {};
  const memory = threadId === undefined ? undefined : { thread: { id: threadId } };
  const requestContext = { get: (key: string) => (key === "MastraMemory" ? memory : undefined) };
  const model = {
    modelId: "claude-opus-4-1",
    provider: "anthropic",
    specificationVersion: "v3",
    ...asking,
  };
  const base = { state, requestContext: requestContext as never, model };
  return {
    start: (tools: Record<string, unknown> = {}) =>
      processor.processInputStep({ ...base, runId: "run-1", tools }),
    async send(given: Prompt, usage?: object): Promise<Prompt> {
      const steps = usage === undefined ? [] : [{ usage }];
      const sent = await processor.processLLMRequest({ ...base, prompt: given, steps });
      return sent?.prompt ?? given;
    },
  };
}

const tooLong = { status: 400, message: "prompt is too long: 16009 tokens > 16000 maximum" };

describe("a prompt", () => {
  it("with nothing to do is left as it is", async () => {
    const all = harness();
    const given = prompt(3);
    expect(await run(all).send(given)).toBe(given);
    expect(all.reports).toMatchObject([{ action: "none" }]);
  });

  it("has its long outputs truncated, with the same words in every step", async () => {
    const all = harness();
    const { send } = run(all);
    const one = await send([...prompt(1), ...step("long", LONG)]);
    const two = await send([...prompt(1), ...step("long", LONG), ...step("more", "x")]);
    expect(JSON.stringify(one).length).toBeLessThan(60_000);
    expect(two.slice(0, one.length)).toEqual(one);
    expect(two[one.length - 1]).toBe(one.at(-1));
    const [entry] = await all.contexts[0]!.context.archive.list();
    expect(await all.contexts[0]!.context.recall(entry!.handle)).toBe(LONG);
  });

  it("is compacted in a form that the model takes, and stays so", async () => {
    const all = harness();
    const { send } = run(all);
    const one = await send(prompt(120));
    expect(all.reports.at(-1)!.action).toBe("compact");
    expect(one[0]).toEqual({ role: "system", content: "Be good." });
    expect(one.slice(1).every(({ content }) => Array.isArray(content))).toBe(true);
    const two = await send([...prompt(120), ...step("more", "x")]);
    expect(all.reports.at(-1)!.action).toBe("none");
    expect(two.slice(0, one.length)).toEqual(one);
  });

  it("is measured by what was reported for the step before it", async () => {
    const all = harness();
    const { send } = run(all);
    await send(prompt(1));
    const raw = { inputTokens: { total: 9_000, cacheRead: 4_000 }, outputTokens: { total: 9 } };
    await send(prompt(2), { inputTokens: 9_000, outputTokens: 9, cachedInputTokens: 4_000, raw });
    expect(all.reports.at(-1)!.tokens.source).toBe("reported");
    expect(all.reports.at(-1)!.tokens.before).toBeGreaterThan(9_000);
    expect(all.reports.at(-1)!.tokens.before).toBeLessThan(10_000);
  });

  it("that was refused is asked for again, and is shorter then", async () => {
    const all = harness({ window: 200_000 });
    const asked: Prompt[] = [];
    let refusals: unknown[] = [tooLong];
    const doGenerate = async (options: { readonly prompt: Prompt }): Promise<object> => {
      asked.push(options.prompt);
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      return { content: [{ type: "text", text: "done" }] };
    };
    const { start, send } = run(all, undefined, { doGenerate, doStream: doGenerate });
    const { model } = start() as unknown as {
      readonly model: { readonly doGenerate: typeof doGenerate };
    };
    const given = prompt(80);
    expect(await send(given)).toBe(given);
    expect(await model.doGenerate({ prompt: given })).toMatchObject({ content: [{}] });
    expect(asked.map((one) => one.length < given.length)).toEqual([false, true]);
    const again = await send(given);
    expect(again).toEqual(asked[1]);
    for (refusals of [[{ status: 401, message: "who are you?" }], [tooLong, tooLong]]) {
      const [refusal] = refusals;
      await expect(model.doGenerate({ prompt: again })).rejects.toBe(refusal);
    }
  });

  it("nobody can read goes on as it is, and that is told", async () => {
    const all = harness();
    const given = [{ role: "robot", content: [] }] as never;
    expect(await run(all).send(given)).toBe(given);
    expect(all.failures).toMatchObject([{ code: "invalid-message" }]);
  });
});

describe("conversations", () => {
  it("are those of threads, and of runs without one", async () => {
    const all = harness();
    for (const thread of ["t1", "t2", "t1", undefined, undefined]) {
      await run(all, thread).send(prompt(1));
    }
    expect(all.contexts.map(({ id }) => id)).toEqual(["t1", "t2", "run 1", "run 2"]);
  });

  it("do not see each other's originals", async () => {
    const all = harness();
    const one = run(all, "t1");
    const other = run(all, "t2");
    await one.send([...prompt(1), ...step("long", LONG)]);
    const find = async (of: typeof one): Promise<unknown> => {
      const { search_archive: search } = of.start()!.tools as never as {
        search_archive: { execute(input: object): Promise<string> };
      };
      return search.execute({ pattern: LONG.slice(30_000, 30_020) });
    };
    expect(await find(one)).toContain("out_");
    expect(await find(other)).toContain('hits="0"');
  });

  it("of a thread go on in another process, where the archive is a directory", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "longhaul-test-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const options = { window: 32_000, archive: directoryArchive(folder) };
    const one = await run(harness(options), "t1").send(prompt(120));
    const other = await run(harness(options), "t1").send(prompt(120));
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  });
});

describe("the agent's tools", () => {
  it("are joined by those that recall; one of the same name stays", () => {
    const recall = { id: "recall" };
    const { tools } = run(harness()).start({ recall, read: {} })!;
    expect(Object.keys(tools).sort()).toEqual(["read", "recall", "search_archive"]);
    expect(tools["recall"]).toBe(recall);
  });
});

describe("the options", () => {
  it("that make no sense are said at once", () => {
    expect(() => mastraContext({ window: -1 })).toThrow(/window/);
    expect(() => mastraContext({ maxConversations: 0.5 })).toThrow(/maxConversations/);
  });

  it("leave the window to the model", async () => {
    const all = harness({});
    await run(all).send(prompt(1));
    expect(all.reports[0]!.window).toBe(200_000);
  });
});

describe("a memory that gives the last messages only", () => {
  it("is told of once an edit is at stake, and once", async () => {
    const all = harness();
    const slide = (given: PromptMessage[], most: number): PromptMessage[] => [
      ...given.slice(0, 1),
      ...given.slice(-most),
    ];
    await run(all, "t-1").send(prompt(20));
    await run(all, "t-1").send(slide(prompt(21), 24));
    expect(all.failures).toEqual([]);
    await run(all, "t-2").send(prompt(90));
    expect(all.reports.at(-1)?.action).not.toBe("none");
    await run(all, "t-2").send(prompt(92));
    expect(all.failures).toEqual([]);
    await run(all, "t-2").send(slide(prompt(93), 24));
    await run(all, "t-2").send(slide(prompt(94), 24));
    expect(all.failures).toMatchObject([{ code: "history-cut" }]);
  });
});
