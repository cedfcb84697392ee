import {
  type AgentInputItem,
  MemorySession,
  type Model,
  type ModelProvider,
  type ModelRequest as SdkRequest,
  OpenAIProvider,
  Runner,
  type Session,
  tool,
} from "@openai/agents";
import { expect, expectTypeOf, test } from "vitest";
import { memoryArchive, recallTools } from "../../src/archive/index.ts";
import {
  type AgentItem,
  type AgentModel,
  type AgentModelProvider,
  type AgentSession,
  agentsContext,
} from "../../src/hooks/openai-agents/index.ts";
import type { ModelRequest } from "../../src/hooks/openai-agents/wire.ts";

test("the SDK's types fit ours", () => {
  expectTypeOf<AgentInputItem>().toExtend<AgentItem>();
  expectTypeOf<SdkRequest>().toExtend<ModelRequest>();
  expectTypeOf<Model>().toExtend<AgentModel>();
  expectTypeOf<ModelProvider>().toExtend<AgentModelProvider>();
  expectTypeOf<Session>().toExtend<AgentSession>();
});

test("what comes back fits where the SDK takes it", () => {
  const context = agentsContext();
  const provider = context.modelProvider(new OpenAIProvider({ apiKey: "key" }));
  expectTypeOf(provider).toEqualTypeOf<OpenAIProvider>();
  expect(new Runner({ modelProvider: provider })).toBeInstanceOf(Runner);
  expectTypeOf(context.model<Model>).returns.toEqualTypeOf<Model>();
  const session: Session = context.session(new MemorySession());
  expect(session).toBeInstanceOf(MemorySession);
  const tools = context.recallTools.map((options) => tool(options));
  expect(tools.map(({ name, strict }) => [name, strict])).toEqual([
    ["recall", true],
    ["search_archive", true],
  ]);
  const { recall } = recallTools(memoryArchive());
  const own = tool({ name: "recall", ...recall, parameters: recall.inputSchema });
  expect(own.parameters).toEqual(tools[0]?.parameters);
});
