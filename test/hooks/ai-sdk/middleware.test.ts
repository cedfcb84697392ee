import * as ai6 from "ai";
import { generateText, wrapLanguageModel } from "ai";
import * as ai7 from "ai7";
import { describe, expect, it } from "vitest";
import type { ContextReport, Failure } from "../../../src/context/index.ts";
import {
  aiSdkContext,
  type AiSdkContext,
  type AiSdkContextOptions,
} from "../../../src/hooks/ai-sdk/index.ts";
import { goodSummary } from "../../good-summary.ts";
import { words } from "../../build-messages.ts";
import { sample } from "../../property/runs.ts";
import { type FakeAnswer, fakeModel, runAgent, tokensOf } from "./fake-model.ts";

const STEPS = 40;
const LIMIT = 8_000;

/** Looks, then says that it is done. */
function lookFor(steps: number): () => FakeAnswer {
  let looks = 0;
  return () =>
    looks++ < steps ? { calls: [{ name: "look", input: { at: looks } }] } : { text: "done" };
}

const output = (n: number): string => words(300, `output ${n}`);

interface Watched {
  readonly context: AiSdkContext;
  readonly failures: Failure[];
  readonly edits: ContextReport[];
}

function watched(options: AiSdkContextOptions): Watched {
  const context = aiSdkContext(options);
  const failures: Failure[] = [];
  const edits: ContextReport[] = [];
  context.on("failed", (failure) => void failures.push(failure));
  context.on("prepared", (report) => {
    if (report.action !== "none") edits.push(report);
  });
  return { context, failures, edits };
}

const ways = ([6, 7] as const).flatMap((version) =>
  [{ stream: false }, { stream: true }, { stream: true, refusesInStream: true }].flatMap((way) =>
    (["both", "middleware"] as const).map((hooks) => ({ version, hooks, ...way })),
  ),
);

it.each(sample(ways, 4))("asks again where there was no room for an answer: %j", async (way) => {
  const { model, refused } = fakeModel({
    ...way,
    isSilent: true,
    answer: lookFor(STEPS),
    limit: LIMIT,
  });
  const { context, failures, edits } = watched({ window: 200_000 });
  const answer = await runAgent({ ...way, context, model, output, prompt: "look around" });
  expect(answer).toBe("done");
  expect(failures).toEqual([]);
  expect(refused()).toBeLessThan(5);
  expect(edits[0]?.window).toBeLessThan(LIMIT * 1.1);
});

describe.each(sample(ways, 6))(
  "ai $version, stream $stream, in it $refusesInStream, $hooks",
  (way) => {
    it("recovers from a window that is smaller than anybody knew, and remembers it", async () => {
      const { model, calls, refused } = fakeModel({ ...way, answer: lookFor(STEPS), limit: LIMIT });
      const { context, failures, edits } = watched({ window: 200_000 });
      const answer = await runAgent({ ...way, context, model, output, prompt: "look around" });
      expect(answer).toBe("done");
      expect(failures).toEqual([]);
      expect(refused()).toBe(1);
      expect(calls).toHaveLength(STEPS + 2);
      expect(edits.length).toBeGreaterThan(1);
      expect(edits[0]?.window).toBe(LIMIT);
      expect(context.journal()).toHaveLength(edits.length);
      // Nothing that was taken away comes back.
      expect(Math.max(...calls.slice(-15).map(tokensOf))).toBeLessThan(LIMIT);
    });

    it("passes the second refusal in a row on", async () => {
      const limits = { limit: 0 };
      const { model, calls } = fakeModel({ ...way, answer: lookFor(3), ...limits });
      const { context } = watched({ window: 200_000 });
      const run = runAgent({ ...way, context, model, output, prompt: words(3_000, "look") });
      await expect(run).rejects.toThrow(/prompt is too long/);
      expect(calls.length).toBeLessThanOrEqual(2);
    });

    it("passes every other error on, at once", async () => {
      const answer = (): FakeAnswer => ({ error: new Error("no credit") });
      const { model, calls } = fakeModel({ ...way, answer });
      const { context, edits } = watched({ window: 200_000 });
      const run = runAgent({ ...way, context, model, output, prompt: "look around" });
      await expect(run).rejects.toThrow("no credit");
      expect(calls).toHaveLength(1);
      expect(edits).toEqual([]);
    });

    it("stands back where the provider manages the conversation", async () => {
      const { model, refused } = fakeModel({ ...way, answer: lookFor(STEPS), limit: LIMIT });
      const { context, failures, edits } = watched({ window: 4_000 });
      const providerOptions = { openai: { contextManagement: [{ type: "compaction" }] } };
      const run = runAgent({
        ...way,
        context,
        model,
        output,
        prompt: "look around",
        providerOptions: providerOptions as never,
      });
      await expect(run).rejects.toThrow(/prompt is too long/);
      expect(refused()).toBe(1);
      expect(edits).toEqual([]);
      expect(failures.map(({ code }) => code)).toEqual(["managed-elsewhere"]);
      expect(failures[0]?.message).toContain("providerOptions.openai.contextManagement");
    });
  },
);

describe("messages that somebody adds behind what prepareStep gave", () => {
  it.each([6, 7] as const)("stay where they are when a request is refused: %s", async (version) => {
    const { model, calls, refused } = fakeModel({ version, answer: lookFor(STEPS), limit: LIMIT });
    const { context, edits } = watched({ window: 200_000 });
    const reminder = { role: "user", content: "Remember: be quick." } as const;
    const own: AiSdkContext["prepareStep"] = async (options) => {
      const prepared = await context.prepareStep(options);
      return { messages: [...prepared.messages, reminder as never] };
    };
    const wrapped = { ...context, prepareStep: own };
    const run = { version, stream: false } as const;
    expect(await runAgent({ ...run, context: wrapped, model, output, prompt: "look" })).toBe(
      "done",
    );
    expect(refused()).toBe(1);
    expect(edits.length).toBeGreaterThan(1);
    for (const { prompt } of calls) {
      expect(prompt.at(-1)).toMatchObject({ role: "user", content: [{ text: reminder.content }] });
    }
  });
});

describe("a question through the agent's model, while the agent works", () => {
  it("is none of its calls, though it begins alike", async () => {
    const { model } = fakeModel({ version: 6, answer: lookFor(3) });
    const { context, failures } = watched({ window: LIMIT });
    const titles = fakeModel({ version: 6, answer: () => ({ text: "A title." }) });
    const titling = wrapLanguageModel({ model: titles.model, middleware: context.middleware });
    const output = async (look: number): Promise<string> => {
      const providerOptions = { openai: { previousResponseId: "r_1" } };
      if (look > 0) await generateText({ model: titling, prompt: "look", providerOptions });
      return "found";
    };
    const reports: unknown[] = [];
    context.on("prepared", (report) => void reports.push(report));
    const run = { version: 6, stream: false } as const;
    expect(
      await runAgent({ ...run, context, model, output: output as never, prompt: "look" }),
    ).toBe("done");
    expect(titles.calls).toHaveLength(2);
    // The question itself is left alone, and that is said.
    expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
    expect(reports).toHaveLength(4);
  });
});

describe("the middleware alone", () => {
  it("keeps every prompt inside the window", async () => {
    const { model, calls, refused } = fakeModel({
      version: 6,
      answer: lookFor(STEPS),
      limit: LIMIT,
    });
    const { context, edits } = watched({ window: LIMIT });
    const run = { version: 6, stream: false, hooks: "middleware" } as const;
    expect(await runAgent({ ...run, context, model, output, prompt: "look" })).toBe("done");
    expect(refused()).toBe(0);
    expect(calls).toHaveLength(STEPS + 1);
    expect(edits.length).toBeGreaterThan(1);
    await expect(context.persisted({ steps: [] })).rejects.toMatchObject({
      code: "invalid-options",
    });
  });

  it("gives other conversations contexts of their own", async () => {
    const { model, calls } = fakeModel({ version: 6, answer: lookFor(10) });
    const { context, edits } = watched({ window: LIMIT });
    const run = { version: 6, stream: false, hooks: "middleware" } as const;
    await runAgent({ ...run, context, model, output, prompt: "look" });
    const wrapped = wrapLanguageModel({ model, middleware: context.middleware });
    expect(edits).toEqual([]);
    const title = "A title, please.";
    await generateText({ model: wrapped, prompt: title });
    expect(JSON.stringify(calls.at(-1)?.prompt)).toContain(title);
    const prompt = words(20_000, "another");
    await generateText({ model: wrapped, prompt });
    expect(JSON.stringify(calls.at(-1)?.prompt).length).toBeLessThan(prompt.length / 2);
    expect(edits).toHaveLength(1);
    expect(context.journal()).toEqual([]);
  });
});

describe("the middleware alone, while a summary is being written", () => {
  it("gives up with the caller", async () => {
    const controller = new AbortController();
    const summarizer = (): Promise<string> => {
      controller.abort(new Error("no longer wanted"));
      return new Promise(() => {});
    };
    const { context } = watched({ window: LIMIT, summarizer });
    const { model, calls } = fakeModel({ version: 6, answer: () => ({ text: "ok" }) });
    const wrapped = wrapLanguageModel({ model, middleware: context.middleware });
    const messages = Array.from({ length: 80 }, (_, n) => ({
      role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: words(400, `${n}`),
    }));
    const { signal: abortSignal } = controller;
    const asked = generateText({ model: wrapped, messages, abortSignal, maxRetries: 0 });
    await expect(asked).rejects.toThrow("no longer wanted");
    expect(calls).toEqual([]);
  });
});

describe("the middleware alone, behind a question", () => {
  it("keeps what comes next inside the window", async () => {
    const { model, refused } = fakeModel({ version: 6, limit: LIMIT, answer: lookFor(STEPS) });
    const { context } = watched({ window: LIMIT });
    const plain = fakeModel({ version: 6, answer: () => ({ text: "A title." }) });
    const titling = wrapLanguageModel({ model: plain.model, middleware: context.middleware });
    await generateText({ model: titling, prompt: "A title, please." });
    const run = { version: 6, stream: false, hooks: "middleware" } as const;
    expect(await runAgent({ ...run, context, model, output, prompt: "look" })).toBe("done");
    expect(refused()).toBe(0);
  });
});

describe("a model that writes the summaries, too", () => {
  it.each(["both", "middleware"] as const)("does not wait for itself: %s", async (hooks) => {
    const agent = lookFor(STEPS);
    let summaries = 0;
    const { model } = fakeModel({
      version: 6,
      limit: LIMIT,
      answer: (call) => {
        if ((call.tools ?? []).length > 0) return agent();
        summaries += 1;
        return { text: "" };
      },
    });
    const holder: { context?: AiSdkContext } = {};
    // The wrapped model, as somebody would have it at hand.
    const wrapped = wrapLanguageModel({
      model,
      middleware: {
        specificationVersion: "v3",
        transformParams: (call) => holder.context!.middleware.transformParams(call),
        wrapGenerate: (call) => holder.context!.middleware.wrapGenerate(call),
      },
    });
    const { context, edits } = watched({ window: LIMIT, summarizer: wrapped });
    holder.context = context;
    const run = { version: 6, stream: false, hooks } as const;
    expect(await runAgent({ ...run, context, model, output, prompt: "look" })).toBe("done");
    expect(edits.length).toBeGreaterThan(1);
    expect(summaries).toBeGreaterThan(0);
    await context.close();
  });

  it("does not wait for itself when it goes on from the agent's own request", async () => {
    const agent = lookFor(STEPS);
    let summaries = 0;
    const { model } = fakeModel({
      version: 6,
      answer: (call) => {
        const last = JSON.stringify(call.prompt.at(-1));
        if (!last.includes("summary") || last.includes("prior-conversation")) return agent();
        summaries += 1;
        return { text: "" };
      },
    });
    const holder: { context?: AiSdkContext } = {};
    const wrapped = wrapLanguageModel({
      model,
      middleware: {
        specificationVersion: "v3",
        transformParams: (call) => holder.context!.middleware.transformParams(call),
        wrapGenerate: (call) => holder.context!.middleware.wrapGenerate(call),
      },
    });
    const settings = { window: LIMIT, model: wrapped, summarizer: wrapped, summarizeAhead: false };
    const { context, edits } = watched({ ...settings, summarizeAhead: false });
    holder.context = context;
    const run = { version: 6, stream: false, hooks: "middleware" } as const;
    expect(await runAgent({ ...run, context, model, output, prompt: "look" })).toBe("done");
    expect(edits.length).toBeGreaterThan(1);
    expect(summaries).toBeGreaterThan(0);
    await context.close();
  });

  it("may be given as a function", async () => {
    const { model } = fakeModel({ version: 7, answer: lookFor(STEPS), limit: LIMIT });
    const { context, edits } = watched({ window: LIMIT, summarizer: goodSummary });
    const run = { version: 7, stream: true } as const;
    expect(await runAgent({ ...run, context, model, output, prompt: "look" })).toBe("done");
    expect(edits.at(-1)?.summary?.source).toBe("model");
    await context.close();
  });
});

/** Both versions of the SDK have these alike. */
const SDKS = { 6: ai6, 7: ai7 as unknown as typeof ai6 };

describe.each([6, 7] as const)("ai %i, beside prepareStep", (version) => {
  const {
    generateText: generate,
    jsonSchema,
    stepCountIs,
    tool,
    wrapLanguageModel: wrap,
  } = SDKS[version];
  const inputSchema = jsonSchema({ type: "object", properties: {} });
  const settings = { prompt: "look around", stopWhen: stepCountIs(100), maxRetries: 0 };

  it("a sub-agent that is asked the same has a window of its own", async () => {
    const lookAround = lookFor(STEPS);
    let delegated = 0;
    const { model, calls, refused } = fakeModel({
      version,
      limit: LIMIT,
      answer({ tools = [] }) {
        if (tools.some(({ name }) => name === "look")) return lookAround();
        return delegated++ > 0 ? { text: "done" } : { calls: [{ name: "delegate", input: {} }] };
      },
    });
    const { context, failures, edits } = watched({ window: LIMIT });
    const wrapped = wrap({ model, middleware: context.middleware });
    let looks = 0;
    const look = tool({ inputSchema, execute: async () => output(looks++) });
    const delegate = tool({
      inputSchema,
      execute: async () => (await generate({ ...settings, model: wrapped, tools: { look } })).text,
    });
    const prepareStep = context.prepareStep as never;
    const { text } = await generate({
      ...settings,
      model: wrapped,
      tools: { delegate },
      prepareStep,
    });
    expect(text).toBe("done");
    expect(refused()).toBe(0);
    expect(calls).toHaveLength(STEPS + 3);
    expect(edits.length).toBeGreaterThan(1);
    // They are edits of the sub-agent's conversation.
    expect(context.journal()).toEqual([]);
    expect(failures).toEqual([]);
  });

  it("whoever gives up does not wait for a summary", async () => {
    const caller = new AbortController();
    const summarizer = {
      name: "hangs",
      summarize: () => {
        caller.abort(new Error("enough"));
        return new Promise<never>(() => undefined);
      },
    };
    const { model } = fakeModel({ version, answer: lookFor(STEPS) });
    const { context, failures } = watched({ window: LIMIT, summarizer, summarizeAhead: false });
    const wrapped = wrap({ model, middleware: context.middleware });
    const look = tool({ inputSchema, execute: async () => words(900, "look") });
    const run = generate({
      ...settings,
      model: wrapped,
      tools: { look },
      prepareStep: context.prepareStep,
      abortSignal: caller.signal,
    });
    await expect(run).rejects.toThrow("enough");
    expect(failures).toEqual([]);
  });
});
