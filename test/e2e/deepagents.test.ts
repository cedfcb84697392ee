import { ChatAnthropic } from "@langchain/anthropic";
import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
import { expect, it } from "vitest";
import type { ContextReport, Failure } from "../../src/context/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { words } from "../build-messages.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Script } from "../provider/index.ts";

const WINDOW = 32_000;
const STEPS = 40;

/** Hands the work to the sub-agent that every deep agent has; that one looks around, and says so. */
function delegating(): Script {
  let looks = 0;
  return ({ tools, messages }) => {
    const isMain = tools.some(({ name }) => name === "task");
    if (!isMain && looks++ < STEPS) return { parts: [{ type: "call", name: "look", input: {} }] };
    if (!isMain || messages.at(-1)?.role === "tool") return "All is well.";
    const input = { description: "Look around.", subagent_type: "general-purpose" };
    return { parts: [{ type: "call", name: "task", input }] };
  };
}

it.each([true, false])("a deep agent's own sub-agent has a window, too: %s", async (isGiven) => {
  const server = await upstreamForTest({ script: delegating(), window: WINDOW });
  const failures: Failure[] = [];
  const edits: ContextReport[] = [];
  const context = langchainContext({ window: WINDOW });
  context.on("failed", (failure) => void failures.push(failure));
  context.on("prepared", (report) => void (report.action === "none" || edits.push(report)));
  const look = tool(() => words(1_500, "what there is to see"), {
    name: "look",
    description: "Looks around.",
    schema: { type: "object", properties: {} },
  });
  const own = { ...context.middleware, name: "SummarizationMiddleware" };
  const agent = createDeepAgent({
    model: new ChatAnthropic({
      model: "claude-opus-4-5",
      apiKey: "key",
      anthropicApiUrl: server.url,
      maxRetries: 0,
      maxTokens: 4_000,
    }),
    tools: [look],
    middleware: [isGiven ? own : context.middleware],
  });
  const run = agent.invoke({ messages: [{ role: "user", content: "See to it." }] });
  if (!isGiven) {
    // Its summarizer knows a window of 200,000 and nothing of this one.
    await run.catch(() => undefined);
    expect(server.rejected).toBeGreaterThan(0);
    return;
  }
  const { messages } = await run;
  expect(messages.at(-1)?.text).toBe("All is well.");
  expect(server.refusals).toEqual([]);
  expect(failures).toEqual([]);
  expect(edits.length).toBeGreaterThan(1);
});
