import Anthropic from "@anthropic-ai/sdk";
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { describe, expect, it } from "vitest";
import { type AnthropicContext, anthropicContext } from "../../src/hooks/anthropic/index.ts";
import type { ScriptedAgent } from "./agent-script.ts";
import { STEPS } from "./agent-script.ts";
import { expectFinished, type WatchedAgent, watchedAgent } from "./watched-agent.ts";
import { runs, sample } from "../property/runs.ts";

const WINDOW = 32_000;
const MODEL = "claude-opus-5-5";

interface Loop {
  readonly agent: ScriptedAgent;
  readonly client: Anthropic;
  readonly context?: AnthropicContext;
  readonly stream: boolean;
  readonly thinking?: boolean;
}

/** The tools of the agent, and those that bring back what left the context. */
function runnables(agent: ScriptedAgent, context?: AnthropicContext): BetaRunnableTool<unknown>[] {
  const own = agent.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.parameters,
    run: (input: unknown) => tool.run(input),
    parse: (input: unknown) => input,
  }));
  if (context === undefined) return own;
  return [...context.tools(own), ...context.recallTools];
}

/** A plain loop over `messages.create` or `messages.stream`, as the documentation shows it. */
async function runLoop({ agent, client, context, stream, thinking }: Loop): Promise<string> {
  const tools = runnables(agent, context);
  const messages: Anthropic.MessageParam[] = [];
  let answer = "";
  for (const turn of agent.turns) {
    messages.push({ role: "user", content: turn });
    for (let calls = 1; calls > 0;) {
      const params = {
        model: MODEL,
        max_tokens: 16_000,
        system: agent.system,
        messages,
        tools: tools as unknown as Anthropic.Tool[],
        ...(thinking === true && { thinking: { type: "enabled" as const, budget_tokens: 1_024 } }),
      };
      const reply = stream
        ? await client.messages.stream(params).finalMessage()
        : await client.messages.create(params);
      messages.push({ role: "assistant", content: reply.content });
      const results = await resultsOf(reply, tools);
      if (results.length > 0) messages.push({ role: "user", content: results });
      calls = results.length;
      answer = reply.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
    }
  }
  return answer;
}

async function resultsOf(
  { content }: Anthropic.Message,
  tools: readonly BetaRunnableTool<unknown>[],
): Promise<Anthropic.ToolResultBlockParam[]> {
  const uses = content.filter((block) => block.type === "tool_use");
  return Promise.all(
    uses.map(async ({ id, name, input }) => {
      const tool = tools.find((one) => "name" in one && one.name === name);
      const output = (await tool?.run(input)) as string;
      return { type: "tool_result", tool_use_id: id, content: output };
    }),
  );
}

interface Started extends WatchedAgent {
  readonly context: AnthropicContext;
  readonly client: Anthropic;
  readonly bare: Anthropic;
}

async function start(steps: number): Promise<Started> {
  const watched = await watchedAgent(steps, { window: WINDOW });
  const context = anthropicContext({ window: WINDOW });
  watched.watch(context);
  const options = { baseURL: watched.server.url, apiKey: "test", maxRetries: 0 };
  return {
    ...watched,
    context,
    client: new Anthropic({ ...options, middleware: [context.middleware] }),
    bare: new Anthropic(options),
  };
}

describe("a long task in a window of 32k", () => {
  it.each(sample([false, true], 1))("finishes over messages (streamed: %s)", async (stream) => {
    const started = await start(STEPS);
    const answer = await runLoop({ ...started, stream });
    expectFinished(started, answer);
  });

  it("finishes with thinking on, whose blocks are bound to what stands before them", async () => {
    const started = await start(runs(24, 60));
    const answer = await runLoop({ ...started, stream: false, thinking: true });
    expect(started.server.refusals).toEqual([]);
    expect(started.agent.knows(answer)).toBe(true);
  });

  it("fails without Longhaul", async () => {
    const { agent, bare } = await start(STEPS);
    await expect(runLoop({ agent, client: bare, stream: false })).rejects.toThrow(
      /prompt is too long/,
    );
  });
});

describe("the tool runner", () => {
  it.each(sample([true, false], 1))("finishes (streamed: %s)", async (stream) => {
    const started = await start(runs(24, 60));
    const { agent, client, context } = started;
    const messages: Anthropic.Beta.BetaMessageParam[] = [];
    let answer = "";
    for (const turn of agent.turns) {
      messages.push({ role: "user", content: turn });
      const runner = client.beta.messages.toolRunner({
        model: MODEL,
        max_tokens: 16_000,
        system: agent.system,
        messages,
        tools: runnables(agent, context),
        stream,
      });
      const last = await runner.runUntilDone();
      messages.splice(0, messages.length, ...runner.params.messages);
      answer = last.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
    }
    expectFinished(started, answer);
  });
});

describe("what the middleware leaves alone", () => {
  it("is a conversation that the API manages, and it says so once", async () => {
    const started = await start(3);
    const { client, failures, server } = started;
    const ask = (): Promise<unknown> =>
      client.beta.messages.create({
        model: MODEL,
        max_tokens: 100,
        messages: [{ role: "user", content: "hi" }],
        context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
        betas: ["context-management-2025-06-27"],
      });
    await ask().catch(() => undefined);
    await ask().catch(() => undefined);
    expect(server.requests).toHaveLength(2);
    expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
  });
});

describe("an overflow that nobody foresaw", () => {
  it("is recovered from, and the window is learned", async () => {
    const { agent, server } = await watchedAgent(30, { window: 16_000 });
    const context = anthropicContext({ window: 200_000 });
    const client = new Anthropic({
      baseURL: server.url,
      apiKey: "test",
      maxRetries: 0,
      middleware: [context.middleware],
    });
    await runLoop({ agent, client, context, stream: false });
    expect(server.requests.filter(({ outcome }) => outcome === "overflow")).toHaveLength(1);
    expect(server.requests.filter(({ outcome }) => outcome === "refused")).toEqual([]);
  });
});
