import type { AgentConfig } from "@mastra/core/agent";
import type {
  ErrorProcessorOrWorkflow,
  InputProcessorOrWorkflow,
  OutputProcessorOrWorkflow,
  Processor,
} from "@mastra/core/processors";
import { expect, expectTypeOf, test } from "vitest";
import { type LonghaulProcessor, longhaulProcessor } from "../../src/hooks/mastra/index.ts";

test("the processor fits every list of an agent", () => {
  expectTypeOf<LonghaulProcessor>().toExtend<Processor<"longhaul">>();
  expectTypeOf<LonghaulProcessor>().toExtend<InputProcessorOrWorkflow>();
  expectTypeOf<LonghaulProcessor>().toExtend<OutputProcessorOrWorkflow>();
  expectTypeOf<LonghaulProcessor>().toExtend<ErrorProcessorOrWorkflow>();
  const longhaul = longhaulProcessor({ window: 32_000 });
  const config: Pick<AgentConfig, "inputProcessors" | "outputProcessors" | "errorProcessors"> = {
    inputProcessors: [longhaul],
    outputProcessors: [longhaul],
    errorProcessors: [longhaul],
  };
  expect(config.inputProcessors).toEqual([longhaul]);
});
