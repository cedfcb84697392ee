import * as ai6 from "ai";
import * as ai7 from "ai7";
import { describe, expect, it } from "vitest";
import type { ContextReport, Failure } from "../../../src/context/index.ts";
import { aiSdk } from "../../../src/dialects/ai-sdk/ai-sdk.ts";
import { aiSdkContext, type AiSdkContextOptions } from "../../../src/hooks/ai-sdk/index.ts";
import { words } from "../../build-messages.ts";
import { type FakeAnswer, fakeModel } from "./fake-model.ts";

const WINDOW = 8_000;
const inputSchema = { type: "object", properties: { at: { type: "integer" } } } as const;

function watched(options: AiSdkContextOptions = {}) {
  const context = aiSdkContext({ window: WINDOW, ...options });
  const reports: ContextReport[] = [];
  const failures: Failure[] = [];
  context.on("prepared", (report) => void reports.push(report));
  context.on("failed", (failure) => void failures.push(failure));
  const edits = (): ContextReport[] => reports.filter(({ action }) => action !== "none");
  return { context, reports, failures, edits };
}

function look(times: number): () => FakeAnswer {
  let done = 0;
  return () =>
    done++ < times ? { calls: [{ name: "look", input: { at: done } }] } : { text: "done" };
}

describe("prepareStep", () => {
  it("changes nothing while there is room", async () => {
    const { context } = watched();
    const messages: ai6.ModelMessage[] = [{ role: "user", content: "hello" }];
    const prepared = await context.prepareStep({ messages, steps: [] });
    expect(prepared.messages).toBe(messages);
    expect(Object.keys(prepared)).toEqual(["messages"]);
  });

  it("goes on as it was when it cannot help, and says why", async () => {
    const { context, failures } = watched();
    const messages = [{ role: "robot", content: "hello" }] as never;
    expect((await context.prepareStep({ messages, steps: [] })).messages).toBe(messages);
    expect(failures).toMatchObject([{ code: "invalid-message" }]);
    expect(await context.prepareStep({} as never)).toEqual({});
    const long: ai6.ModelMessage[] = [{ role: "system", content: words(9_000, "rules") }];
    long.push({ role: "user", content: "hello" });
    expect((await context.prepareStep({ messages: long, steps: [] })).messages).toBe(long);
    expect(failures.at(-1)?.code).toBe("irreducible");
  });

  it("counts instructions in every form, and the tools", async () => {
    const { context, reports } = watched();
    const messages: ai7.ModelMessage[] = [{ role: "user", content: "hello" }];
    const tokens = async (instructions: unknown): Promise<number> => {
      await context.prepareStep({ messages, steps: [], instructions });
      return reports.at(-1)!.tokens.before;
    };
    const least = await tokens(undefined);
    const text = words(500, "rule");
    const most = await tokens(text);
    expect(most).toBeGreaterThan(least + 250);
    const message = { role: "system", content: text };
    expect(await tokens("")).toBe(least);
    expect(await tokens(message)).toBe(most);
    expect(await tokens([message])).toBe(most);
    const { context: other, reports: others } = watched();
    const schema = ai6.jsonSchema({ type: "object", description: text });
    other.tools({ look: { description: "Looks.", inputSchema: schema } });
    await other.prepareStep({ messages, steps: [] });
    expect(others[0]!.tokens.before).toBeGreaterThan(least + 250);
  });

  it("stands back once the provider has compacted the conversation", async () => {
    const { context, failures, edits } = watched();
    const left = {
      type: "text",
      text: "…",
      providerOptions: { anthropic: { type: "compaction" } },
    };
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [left] },
      { role: "user", content: words(9_000, "long") },
    ] as ai6.ModelMessage[];
    for (let step = 0; step < 3; step += 1) {
      messages.push({ role: "assistant", content: "on" }, { role: "user", content: "go" });
      const given = [...messages];
      expect((await context.prepareStep({ messages: given, steps: [] })).messages).toBe(given);
    }
    expect(edits()).toEqual([]);
    expect(failures.map(({ code }) => code)).toEqual(["managed-elsewhere"]);
  });
});

describe("a context", () => {
  it("takes the window of its model's family, and an option's first", async () => {
    const windowOf = async (options: AiSdkContextOptions): Promise<number> => {
      const { report } = await aiSdkContext(options).prepare([]);
      return report.window;
    };
    expect(await windowOf({ model: "anthropic/claude-haiku-4-5" })).toBe(200_000);
    expect(await windowOf({ model: { modelId: "gpt-5-mini" } })).toBe(272_000);
    expect(await windowOf({ model: "gpt-5-mini", window: 9_000 })).toBe(9_000);
    expect(await windowOf({ model: "a-model-of-our-own" })).toBe(128_000);
    expect(() => aiSdkContext({ window: 0 })).toThrow(/window/);
  });

  it("has contexts for sub-agents, with hooks and archive, and with its rules", async () => {
    const { context } = watched({ constraints: ["Never change legacy/."] });
    const sub = context.subAgent({ window: 4_000 });
    const messages: ai6.ModelMessage[] = [{ role: "user", content: words(300, "part 0") }];
    for (let n = 1; n < 9; n += 1) {
      messages.push({ role: "assistant", content: words(300, `part ${n}`) });
      messages.push({ role: "user", content: `go on with part ${n}` });
    }
    const prepared = await sub.prepareStep({ messages, steps: [] });
    expect(JSON.stringify(prepared)).toContain("Never change legacy/.");
    expect(context.journal()).toEqual([]);
    const [entry] = await context.archive.list();
    expect(await sub.recall(entry!.handle)).toBe(await context.recall(entry!.handle));
  });
});

describe.each([6, 7] as const)("an agent of version %s", (version) => {
  it("is sent what prepareStep was given, also where that had nothing to do", async () => {
    const { context } = watched();
    const { model, calls } = fakeModel({ version, answer: () => ({ text: "done" }) });
    const trimmed: ai6.ModelMessage[] = [{ role: "user", content: "the newest" }];
    const generate = (version === 6 ? ai6 : ai7).generateText as typeof ai6.generateText;
    const messages: ai6.ModelMessage[] = [{ role: "user", content: "the oldest" }, ...trimmed];
    const prepareStep = ({ steps }: { readonly steps: readonly never[] }) =>
      context.prepareStep({ messages: trimmed, steps });
    await generate({ model, messages, prepareStep: prepareStep as never });
    expect(JSON.stringify(calls[0]?.prompt)).toContain("the newest");
    expect(JSON.stringify(calls[0]?.prompt)).not.toContain("the oldest");
  });

  it("is kept inside the window, turn after turn, by what its provider reports", async () => {
    const { context, reports, edits } = watched();
    let script = look(20);
    const { model, calls } = fakeModel({ version, answer: () => script(), limit: WINDOW });
    const execute = async (): Promise<string> => words(300, `output ${calls.length}`);
    const { prepareStep } = context;
    const agent =
      version === 6
        ? new ai6.ToolLoopAgent({
            model,
            tools: context.tools({
              look: ai6.tool({ inputSchema: ai6.jsonSchema(inputSchema), execute }),
            }),
            prepareStep,
            stopWhen: ai6.stepCountIs(100),
          })
        : new ai7.ToolLoopAgent({
            model,
            tools: context.tools({
              look: ai7.tool({ inputSchema: ai7.jsonSchema(inputSchema), execute }),
            }),
            prepareStep,
            stopWhen: ai7.isStepCount(100),
          });
    let messages: ai6.ModelMessage[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      script = look(20);
      messages.push({ role: "user", content: `turn ${turn}` });
      const from = reports.length;
      const result = await agent.generate({ messages: messages as never });
      expect(result.text).toBe("done");
      const own = "responseMessages" in result ? result.responseMessages : result.response.messages;
      messages = [...messages, ...(own as ai6.ModelMessage[])];
      // A new turn does not begin with a guess.
      if (turn > 0) expect(reports[from]?.tokens.source).toBe("reported");
    }
    expect(calls).toHaveLength(63);
    expect(edits().length).toBeGreaterThan(3);
    expect(aiSdk.check(messages)).toEqual([]);
  });
});

describe("what only the SDK knows", () => {
  it("survives: steering messages are delivered", async () => {
    const { context, edits } = watched();
    const steering = ai7.experimental_createSteering();
    const outcomes: Promise<ai7.Experimental_SteeringOutcome>[] = [];
    const agent = look(40);
    const { model, calls } = fakeModel({
      version: 7,
      limit: WINDOW,
      answer: (_, index) => {
        // In the step of every edit, too.
        if (index < 40) outcomes.push(steering.steer(`also look at part ${index}`));
        return agent();
      },
    });
    const execute = async (): Promise<string> => words(300, "output");
    const { text } = await ai7.generateText({
      model,
      tools: { look: ai7.tool({ inputSchema: ai7.jsonSchema(inputSchema), execute }) },
      prompt: "look",
      prepareStep: context.prepareStep,
      experimental_steering: steering,
      stopWhen: ai7.isStepCount(100),
    });
    expect(text).toBe("done");
    expect(edits().length).toBeGreaterThan(1);
    const done = await Promise.all(outcomes);
    expect(done.map(({ type }) => type)).toEqual(outcomes.map(() => "delivered"));
    expect(calls.length).toBeGreaterThan(40);
  });

  it("survives: custom parts, and calls that the provider ran", async () => {
    const content = [
      { type: "custom", kind: "openai.note", providerMetadata: { openai: { itemId: "note_1" } } },
      {
        type: "tool-call",
        toolCallId: "s1",
        toolName: "search",
        input: "{}",
        providerExecuted: true,
      },
      { type: "tool-result", toolCallId: "s1", toolName: "search", result: { found: 3 } },
    ];
    const { context, edits } = watched();
    const agent = look(20);
    const { model, calls } = fakeModel({ version: 7, limit: WINDOW, answer: agent, also: content });
    const execute = async (): Promise<string> => words(300, "output");
    const search = ai7.tool({
      type: "provider",
      id: "fake.search",
      args: {},
      isProviderExecuted: true,
      inputSchema: ai7.jsonSchema({ type: "object" }),
      outputSchema: ai7.jsonSchema({ type: "object" }),
    } as never);
    await ai7.generateText({
      model,
      tools: { look: ai7.tool({ inputSchema: ai7.jsonSchema(inputSchema), execute }), search },
      prompt: "look",
      prepareStep: context.prepareStep,
      stopWhen: ai7.isStepCount(100),
    });
    expect(edits().length).toBeGreaterThan(1);
    const last = calls.at(-1)!.prompt.findLast(({ role }) => role === "assistant");
    expect(last?.content).toMatchObject([
      { type: "custom", kind: "openai.note", providerOptions: { openai: { itemId: "note_1" } } },
      { type: "tool-call", toolCallId: "s1", providerExecuted: true },
      { type: "tool-result", toolCallId: "s1", output: { type: "json", value: { found: 3 } } },
      { type: "tool-call", toolName: "look" },
    ]);
  });
});
