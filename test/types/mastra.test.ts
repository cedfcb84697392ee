import type { AgentConfig } from "@mastra/core/agent";
import type { InputProcessorOrWorkflow, Processor } from "@mastra/core/processors";
import { expect, expectTypeOf, test } from "vitest";
import { mastraContext, type MastraProcessor } from "../../src/hooks/mastra/index.ts";

test("the processor fits the list of an agent", () => {
  expectTypeOf<MastraProcessor>().toExtend<Processor<"longhaul">>();
  expectTypeOf<MastraProcessor>().toExtend<InputProcessorOrWorkflow>();
  const longhaul = mastraContext({ window: 32_000 }).processor;
  const config: Pick<AgentConfig, "inputProcessors"> = { inputProcessors: [longhaul] };
  expect(config.inputProcessors).toEqual([longhaul]);
});
