import { describe, expect, it } from "vitest";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
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
