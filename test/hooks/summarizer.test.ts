import { describe, expect, it, vi } from "vitest";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { agentsContext } from "../../src/hooks/openai-agents/index.ts";
import { openaiContext } from "../../src/hooks/openai/index.ts";
import { quarter, step, user, words } from "../build-messages.ts";

const GOOD = DEFAULT_COMPACTION_TEMPLATE.sections
  .map(({ heading, id }) => `${heading}\n${id === "goal" ? "A model wrote this." : "(none)"}`)
  .join("\n\n");

const history = [
  user("do the work"),
  ...Array.from({ length: 60 }, (_, n) => [
    ...step(`c${n}`, "bash", { command: `run ${n}` }, words(100, `${n}`)),
    { role: "assistant" as const, parts: [{ type: "text" as const, text: words(200, `${n}`) }] },
  ]).flat(),
];

const SMALL = { window: 16_000, counter: quarter, model: "gpt-5" };

/** A client of a kind, and what it was asked. */
function asked(answer: object) {
  const calls: unknown[][] = [];
  const create = async (...call: unknown[]): Promise<object> => {
    calls.push(call);
    return answer;
  };
  return { calls, create };
}

describe("what an SDK calls models with writes the summaries", () => {
  it("a client of Anthropic's", async () => {
    const content = [{ type: "text", text: GOOD }];
    const usage = { input_tokens: 900, output_tokens: 40 };
    const { calls, create } = asked({ type: "message", content, stop_reason: "end_turn", usage });
    const context = anthropicContext({ ...SMALL, summarizer: { messages: { create } } });
    const { messages, report } = await context.prepare(history);
    expect(JSON.stringify(messages)).toContain("A model wrote this.");
    expect(calls[0]).toMatchObject([{ model: "gpt-5", messages: [{ role: "user" }] }, {}]);
    expect(report.summary?.calls[0]).toMatchObject({ summarizer: "anthropic:gpt-5" });
  });

  it("a client of OpenAI's", async () => {
    const message = { role: "assistant", content: GOOD };
    const { calls, create } = asked({ choices: [{ message, finish_reason: "stop" }] });
    const summarizer = { chat: { completions: { create } }, withOptions: () => undefined };
    const { messages } = await openaiContext({ ...SMALL, summarizer }).prepare(history);
    expect(JSON.stringify(messages)).toContain("A model wrote this.");
    expect(calls[0]).toMatchObject([{ model: "gpt-5", messages: [{ role: "system" }, {}] }, {}]);
  });

  it("a model of the Agents SDK", async () => {
    const content = [{ type: "output_text", text: GOOD }];
    const usage = { inputTokens: 900, outputTokens: 40 };
    const output = [{ type: "message", role: "assistant", content }];
    const { calls, create } = asked({ output, usage });
    const getStreamedResponse = (): never => {
      throw new Error("no stream is asked for");
    };
    const summarizer = { getResponse: create, getStreamedResponse } as never;
    const { messages } = await agentsContext({ ...SMALL, summarizer }).prepare(history);
    expect(JSON.stringify(messages)).toContain("A model wrote this.");
    expect(calls[0]).toMatchObject([{ tools: [], input: expect.stringContaining("run 1") }]);
  });

  it("and a client must be told which model to ask", () => {
    const { create } = asked({});
    const { model: _, ...rest } = SMALL;
    expect(() => anthropicContext({ ...rest, summarizer: { messages: { create } } })).toThrow(
      /give the id of the model/,
    );
  });
});

describe("the agent's own model writes the summaries", () => {
  const chatModel = () => {
    const calls: unknown[] = [];
    const invoke = async (messages: unknown): Promise<object> => {
      calls.push(messages);
      return { content: GOOD };
    };
    return { calls, model: { invoke, profile: { maxInputTokens: 16_000 } } as never };
  };

  it("as an object of its SDK", async () => {
    const { calls, model } = chatModel();
    const { model: _, ...rest } = SMALL;
    const context = langchainContext({ ...rest, model, summarizer: "model" });
    const { report } = await context.prepare(history);
    expect(report.summary?.source).toBe("model");
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["anthropic:claude-opus-5-5", anthropicContext, "claude-opus-5-5"],
    ["openai:gpt-5", openaiContext, "gpt-5"],
    ["openai:gpt-5", agentsContext, "gpt-5"],
  ] as const)("by its id: %s", async (name, create, model) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "").stubEnv("OPENAI_API_KEY", "");
    const { window, counter } = SMALL;
    const context = create({ window, counter, model, summarizer: "model" });
    const { report } = await context.prepare(history);
    // Without a key nobody is asked; who would have been is told.
    expect(report.summary?.calls[0]?.summarizer).toBe(name);
    expect(report.failures[0]?.message).toMatch(/_API_KEY/);
    vi.unstubAllEnvs();
  });

  it("and must be known", () => {
    const { model: _, ...rest } = SMALL;
    expect(() => anthropicContext({ ...rest, summarizer: "model" })).toThrow(/the model's id/);
    expect(() => aiSdkContext({ ...rest, model: "gpt-5", summarizer: "model" })).toThrow(
      /"gpt-5"; give the SDK's model object as model/,
    );
  });
});
