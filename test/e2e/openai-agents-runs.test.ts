import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  Agent,
  type AgentInputItem,
  MemorySession,
  OpenAIProvider,
  OpenAIResponsesCompactionSession,
  Runner,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Failure } from "../../src/context/index.ts";
import {
  type AgentsContext,
  type AgentsContextOptions,
  agentsContext,
} from "../../src/hooks/openai-agents/index.ts";
import { words } from "../build-messages.ts";
import { runs } from "../property/runs.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Script, Upstream, UpstreamOptions } from "../provider/index.ts";

const WINDOW = 12_000;

beforeAll(() => setTracingDisabled(true));

interface Setup {
  readonly upstream: Upstream;
  readonly context: AgentsContext;
  readonly runner: Runner;
  readonly failures: readonly Failure[];
}

async function setup(
  server: UpstreamOptions,
  options: AgentsContextOptions = { window: WINDOW },
): Promise<Setup> {
  const upstream = await upstreamForTest({ window: WINDOW, ...server });
  return { upstream, ...runnerFor(upstream, options) };
}

function runnerFor(upstream: Upstream, options: AgentsContextOptions): Omit<Setup, "upstream"> {
  const context = agentsContext(options);
  const failures: Failure[] = [];
  context.on("failed", (failure) => void failures.push(failure));
  const provider = new OpenAIProvider({ apiKey: "key", baseURL: `${upstream.url}/v1` });
  const runner = new Runner({ modelProvider: context.modelProvider(provider), model: "scripted" });
  return { context, runner, failures };
}

const page = tool({
  name: "page",
  description: "Reads a page.",
  parameters: {
    type: "object",
    properties: { n: { type: "number" } },
    required: ["n"],
    additionalProperties: false,
  },
  execute: (input) => words(500, `page ${(input as { n: number }).n}`),
});

/** Reads so many pages in each turn, then answers. */
function reader(pages: number): Script {
  let read = 0;
  return ({ messages }) => {
    const turns = messages.filter(({ role }) => role === "user").length;
    if (read < pages) {
      read += 1;
      const id = Math.round(read * 1_000 + turns);
      return { parts: [{ type: "call", name: "page", input: { n: id } }] };
    }
    read = 0;
    return "All read.";
  };
}

const agent = new Agent({ name: "Reader", instructions: "You read.", tools: [page] });

describe("an overflow that nobody saw coming", () => {
  const items = Array.from({ length: 30 }, (_, n): AgentInputItem[] => [
    { role: "user", content: words(40, `question ${n}`) },
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: words(500, `answer ${n}`) }],
    },
  ]).flat();
  const input: AgentInputItem[] = [...items, { role: "user", content: "And now?" }];

  test.each([false, true])("is recovered from, stream %s", async (stream) => {
    const large = { window: 128_000 };
    const { upstream, runner, failures } = await setup({ script: () => "All is well." }, large);
    if (stream) {
      const result = await runner.run(agent, input, { stream: true });
      const types: string[] = [];
      for await (const event of result) {
        if (event.type === "raw_model_stream_event") types.push(event.data.type);
      }
      expect(result.finalOutput).toBe("All is well.");
      expect(types.filter((type) => type === "response_started")).toHaveLength(1);
    } else {
      expect((await runner.run(agent, input)).finalOutput).toBe("All is well.");
    }
    expect(upstream.requests.map(({ outcome }) => outcome)).toEqual(["overflow", "answered"]);
    expect(failures).toEqual([]);
  });

  test.each([false, true])("other errors arrive as they are, stream %s", async (stream) => {
    const script: Script = () => ({ misbehave: "server-error" });
    const { upstream } = await setup({ script });
    const client = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
    const provider = new OpenAIProvider({ openAIClient: client as never });
    const context = agentsContext({ window: WINDOW });
    const run = async (modelProvider: OpenAIProvider): Promise<unknown> => {
      const runner = new Runner({ modelProvider, model: "scripted" });
      try {
        if (!stream) return (await runner.run(agent, "hi")).finalOutput;
        const result = await runner.run(agent, "hi", { stream: true });
        await result.completed;
        return result.finalOutput;
      } catch (error) {
        return (error as { status?: unknown }).status;
      }
    };
    expect(await run(context.modelProvider(provider))).toBe(await run(provider));
  });
});

describe("results of tools", () => {
  test("are truncated on their way, and whole in the session", async () => {
    const log = tool({
      name: "log",
      description: "Reads the log.",
      parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
      execute: () => "a line of the log\n".repeat(10_000),
    });
    let step = 0;
    const script: Script = () => {
      step += 1;
      return step < 3 ? { parts: [{ type: "call", name: "log", input: {} }] } : "All is well.";
    };
    const { upstream, context, runner } = await setup({ script, window: 200_000 }, {});
    const truncated: string[] = [];
    context.on("truncated", ({ toolName }) => void truncated.push(toolName));
    const session = new MemorySession();
    const logger = new Agent({ name: "Logger", tools: [log] });
    await runner.run(logger, "Read the log twice.", { session });
    // Once for each result, however often it is sent.
    expect(truncated).toEqual(["log", "log"]);
    const [, second, third] = upstream.requests.map(({ view }) => view!.messages);
    const [output = ""] = second!.at(-1)!.results.map((result) => result.output);
    expect(output.length).toBeLessThan(60_000);
    expect(output).toContain("<tool-output-truncated");
    expect(third!.slice(0, second!.length)).toEqual(second);
    const stored = await session.getItems();
    expect(JSON.stringify(stored.find(({ type }) => type === "function_call_result"))).toHaveLength(
      JSON.stringify(stored.findLast(({ type }) => type === "function_call_result")).length,
    );
    expect(JSON.stringify(stored)).not.toContain("tool-output-truncated");
    expect(await context.recall(/out_[0-9a-f]{16}/.exec(output)?.[0] ?? "")).toHaveLength(180_000);
  });
});

describe("a session that is compacted", () => {
  test("stays small, and the next run goes on from it", async () => {
    const { upstream, context, runner, failures } = await setup({ script: reader(20) });
    const underlying = new MemorySession();
    const session = context.session(underlying);
    expect(session).toBeInstanceOf(MemorySession);
    expect(await session.getSessionId()).toBe(await underlying.getSessionId());
    for (let turn = 1; turn <= 4; turn++) {
      const { finalOutput } = await runner.run(agent, `Turn ${turn}. Never skip a page.`, {
        session,
        maxTurns: 100,
      });
      expect(finalOutput).toBe("All read.");
      const items = await underlying.getItems();
      expect(items.length).toBeLessThan(45);
    }
    expect(upstream.refusals).toEqual([]);
    expect(failures).toEqual([]);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("Turn 1. Never skip a page.");
    await session.clearSession();
    expect(await underlying.getItems()).toEqual([]);
  });

  test("is not touched when what it holds cannot be kept", async () => {
    const { context, runner } = await setup({ script: reader(20) });
    const underlying = new MemorySession();
    const session = context.session(underlying);
    context.archive.put = () => Promise.reject(new Error("the disk is full"));
    await runner.run(agent, "Read.", { session, maxTurns: 100 }).catch(() => undefined);
    const items = await underlying.getItems();
    expect(items.filter(({ type }) => type === "function_call_result").length).toBeGreaterThan(3);
    expect(JSON.stringify(items)).not.toMatch(/tool-output-compacted|conversation-summary/);
  });

  test("gets its items back when the new ones cannot be stored", async () => {
    const { context, runner } = await setup({ script: reader(20) });
    const underlying = new MemorySession();
    const { addItems } = underlying;
    underlying.addItems = async (items) => {
      if (/tool-output-compacted|conversation-summary/.test(JSON.stringify(items))) {
        throw new Error("no room");
      }
      await addItems.call(underlying, items);
    };
    const run = runner.run(agent, "Read.", { session: context.session(underlying), maxTurns: 99 });
    await expect(run).rejects.toThrow(/no room/);
    const items = await underlying.getItems();
    expect(items.filter(({ type }) => type === "function_call_result")).toHaveLength(20);
  });
});

describe("another process", () => {
  test.each([true, false])("goes on with the same view, stored small %s", async (isSmall) => {
    const folder = mkdtempSync(path.join(tmpdir(), "longhaul-agents-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const options = (): AgentsContextOptions => ({
      window: WINDOW,
      archive: directoryArchive(folder),
      conversation: "chat-1",
    });
    const { upstream, context, runner } = await setup({ script: reader(20) }, options());
    const underlying = new MemorySession();
    const session = isSmall ? context.session(underlying) : underlying;
    await runner.run(agent, "Read.", { session, maxTurns: 100 });
    const before = upstream.requests.at(-1)!.view!.messages;
    expect(context.journal().length).toBeGreaterThan(0);

    // As another process would find it.
    const stored = JSON.parse(JSON.stringify(await underlying.getItems())) as AgentInputItem[];
    const second = runnerFor(upstream, options());
    const again = new MemorySession({ initialItems: stored });
    await second.runner.run(agent, "Go on.", {
      session: isSmall ? second.context.session(again) : again,
      maxTurns: 100,
    });
    const first = upstream.requests.findIndex(({ view }) => view!.lastUserText === "Go on.");
    const after = upstream.requests[first]!.view!.messages;
    expect(after.slice(0, before.length)).toEqual(before);
    expect(upstream.refusals).toEqual([]);
    expect(second.failures).toEqual([]);
  });
});

/** Calls of the helper, and pages that it reads for each. */
const PARTS = runs(9, 15);

describe("agents that work together", () => {
  test("an agent that is a tool has a context of its own", async () => {
    const counts = { helper: 0, lead: 0 };
    const script: Script = ({ system }) => {
      if (system.includes("You help")) {
        counts.helper += 1;
        return counts.helper % PARTS === 0
          ? "Helped."
          : { parts: [{ type: "call", name: "page", input: { n: counts.helper } }] };
      }
      counts.lead += 1;
      return counts.lead > PARTS
        ? "All done."
        : { parts: [{ type: "call", name: "help", input: { input: `Part ${counts.lead}.` } }] };
    };
    const helped: unknown[] = [];
    const { upstream, context, runner, failures } = await setup(
      { script },
      {
        window: WINDOW,
        onConversation: (own) => void own.on("prepared", (report) => void helped.push(report)),
      },
    );
    const helper = new Agent({ name: "Helper", instructions: "You help.", tools: [page] });
    const help = helper.asTool({
      toolName: "help",
      toolDescription: "Helps.",
      runOptions: { maxTurns: 100 },
    });
    const padded = new Agent({ name: "Lead", instructions: "You lead.", tools: [help, page] });
    const reports: { warnings: readonly string[] }[] = [];
    context.on("prepared", (report) => void reports.push(report));
    const { finalOutput } = await runner.run(padded, "Do all parts.", { maxTurns: 100 });
    expect(finalOutput).toBe("All done.");
    expect(upstream.refusals).toEqual([]);
    expect(failures).toEqual([]);
    // The lead's history is never taken for another one.
    expect(reports.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(reports.length - helped.length).toBe(PARTS + 1);
  });

  test("a handoff goes on with the same conversation", async () => {
    let step = 0;
    const script: Script = ({ system }) => {
      step += 1;
      if (step === 15) return { parts: [{ type: "call", name: "transfer_to_Second", input: {} }] };
      if (step === 30) return system.includes("second") ? "Handed over." : "Not handed over.";
      return { parts: [{ type: "call", name: "page", input: { n: step } }] };
    };
    const { upstream, context, runner, failures } = await setup({ script });
    const second = new Agent({ name: "Second", instructions: "You are second.", tools: [page] });
    const first = Agent.create({
      name: "First",
      instructions: "You are first.",
      tools: [page],
      handoffs: [second],
    });
    const { finalOutput } = await runner.run(first, "Read all. Never skip.", { maxTurns: 100 });
    expect(finalOutput).toBe("Handed over.");
    expect(upstream.refusals).toEqual([]);
    expect(failures).toEqual([]);
    expect(context.journal().length).toBeGreaterThan(1);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("Read all. Never skip.");
  });
});

describe("what the provider manages", () => {
  test("a chain of previousResponseId goes through, and is said once", async () => {
    const { upstream, runner, failures } = await setup({ script: () => "Noted." });
    const { lastResponseId } = await runner.run(agent, "Note this.");
    await runner.run(agent, "And this.", { previousResponseId: lastResponseId! });
    await runner.run(agent, "And this, too.", { previousResponseId: lastResponseId! });
    expect(upstream.refusals).toEqual([]);
    expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
    expect(failures[0]?.message).toContain("previousResponseId");
  });

  test.each([
    { truncation: "auto" as const },
    { contextManagement: [{ type: "compaction", compactThreshold: 1_000 }] },
  ])("%o is left to it", async (modelSettings) => {
    const { context, runner, failures } = await setup({ script: () => "Noted." });
    await runner.run(new Agent({ name: "A", modelSettings }), words(9_000, "much"));
    expect(failures.map(({ code }) => code)).toEqual(["managed-elsewhere"]);
    expect(context.journal()).toEqual([]);
  });

  test("a session that compacts itself is given back", async () => {
    const { context, failures } = await setup({ script: () => "Noted." });
    const client = { responses: {} } as never;
    const own = new OpenAIResponsesCompactionSession({ client });
    expect(context.session(own)).toBe(own);
    expect(failures[0]?.message).toContain("runCompaction");
  });
});
