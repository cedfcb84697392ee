import type { AgentConfig } from "@mastra/core/agent";
import type {
  ErrorProcessorOrWorkflow,
  InputProcessorOrWorkflow,
  OutputProcessorOrWorkflow,
  Processor,
} from "@mastra/core/processors";
import { expect, expectTypeOf, test } from "vitest";
import { mastraContext, type MastraProcessor } from "../../src/hooks/mastra/index.ts";

test("the processor fits every list of an agent", () => {
  expectTypeOf<MastraProcessor>().toExtend<Processor<"longhaul">>();
  expectTypeOf<MastraProcessor>().toExtend<InputProcessorOrWorkflow>();
  expectTypeOf<MastraProcessor>().toExtend<OutputProcessorOrWorkflow>();
  expectTypeOf<MastraProcessor>().toExtend<ErrorProcessorOrWorkflow>();
  const longhaul = mastraContext({ window: 32_000 }).processor;
  const config: Pick<AgentConfig, "inputProcessors" | "outputProcessors" | "errorProcessors"> = {
    inputProcessors: [longhaul],
    outputProcessors: [longhaul],
    errorProcessors: [longhaul],
  };
  expect(config.inputProcessors).toEqual([longhaul]);
});
