import {
  type LanguageModel,
  type LanguageModelMiddleware,
  type PrepareStepFunction,
  ToolLoopAgent,
  type ToolSet,
} from "ai";
import {
  type LanguageModel as LanguageModel7,
  type LanguageModelMiddleware as Middleware7,
  type PrepareStepFunction as PrepareStep7,
  ToolLoopAgent as ToolLoopAgent7,
  type ToolSet as ToolSet7,
} from "ai7";
import { expect, expectTypeOf, test } from "vitest";
import type { Context } from "../../src/context/index.ts";
import {
  aiSdkContext,
  type AiSdkContext,
  type AiSdkContextOptions,
} from "../../src/hooks/ai-sdk/index.ts";

const context = aiSdkContext({ window: 32_000 });

test("prepareStep is one of both versions", () => {
  expectTypeOf<AiSdkContext["prepareStep"]>().toExtend<PrepareStepFunction>();
  expectTypeOf<AiSdkContext["prepareStep"]>().toExtend<PrepareStep7<ToolSet7>>();
  const own: PrepareStepFunction = async (options) => ({
    ...(await context.prepareStep(options)),
    toolChoice: "auto",
  });
  const own7: PrepareStep7<ToolSet7> = async (options) => ({
    ...(await context.prepareStep(options)),
    toolChoice: "auto",
  });
  expect([own, own7]).toHaveLength(2);
});

test("one middleware fits both versions", () => {
  expectTypeOf<AiSdkContext["middleware"]>().toExtend<LanguageModelMiddleware>();
  expectTypeOf<AiSdkContext["middleware"]>().toExtend<Middleware7>();
});

test("tools stay the tools that they are", () => {
  const tools: ToolSet = context.tools({ ...context.recallTools });
  const tools7: ToolSet7 = context.tools({ ...context.recallTools });
  expect(Object.keys(tools)).toEqual(["recall", "search_archive"]);
  expect(Object.keys(tools7)).toEqual(["recall", "search_archive"]);
});

test("models of both versions may be named", () => {
  type Options = AiSdkContextOptions;
  expectTypeOf<{ model: LanguageModel }>().toExtend<Options>();
  expectTypeOf<{ model: LanguageModel7 }>().toExtend<Options>();
  expectTypeOf<{ summarizer: Exclude<LanguageModel, string> }>().toExtend<Options>();
  expectTypeOf<{ summarizer: Exclude<LanguageModel7, string> }>().toExtend<Options>();
  expectTypeOf<AiSdkContext>().toExtend<Context>();
});

test("an agent takes the hooks", () => {
  const settings = { model: "some/model", prepareStep: context.prepareStep };
  const agent = new ToolLoopAgent({ ...settings, tools: context.tools({}) });
  const agent7 = new ToolLoopAgent7({ ...settings, tools: context.tools({}) });
  expect([agent.version, agent7.version]).toEqual(["agent-v1", "agent-v1"]);
});

test("the recall tools are a set of tools, as they are", () => {
  const tools: ToolSet = context.recallTools;
  const tools7: ToolSet7 = context.recallTools;
  expect(Object.keys(tools)).toEqual(Object.keys(tools7));
});
