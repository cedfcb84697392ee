import {
  generateText,
  type LanguageModel,
  type LanguageModelMiddleware,
  type ModelMessage,
  type PrepareStepFunction,
  type StepResult,
  streamText,
  ToolLoopAgent,
  type ToolSet,
} from "ai";
import {
  generateText as generateText7,
  type LanguageModel as LanguageModel7,
  type LanguageModelMiddleware as Middleware7,
  type ModelMessage as Message7,
  type PrepareStepFunction as PrepareStep7,
  type StepResult as StepResult7,
  streamText as streamText7,
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

test("what is saved is what the SDK calls messages", async () => {
  await expect(async () => {
    const saved: ModelMessage[] = await context.persisted({ steps: [] as StepResult<ToolSet>[] });
    return saved;
  }).rejects.toMatchObject({ code: "invalid-options" });
  await expect(async () => {
    const steps = Promise.resolve([] as StepResult7<ToolSet7>[]);
    const saved: Message7[] = await context.persisted({ steps });
    return saved;
  }).rejects.toMatchObject({ code: "invalid-options" });
});

test("the recall tools are a set of tools, as they are", () => {
  const tools: ToolSet = context.recallTools;
  const tools7: ToolSet7 = context.recallTools;
  expect(Object.keys(tools)).toEqual(Object.keys(tools7));
});

test("what is saved is what the next run takes, without a word about its type", () => {
  const next = async () => {
    const result = await generateText({ model: "m", prompt: "p", tools: context.recallTools });
    const messages = await context.persisted(result);
    const streamed = await context.persisted(streamText({ model: "m", messages }));
    return generateText({ model: "m", messages: [...messages, ...streamed] });
  };
  const next7 = async () => {
    const result = await generateText7({ model: "m", prompt: "p", tools: context.recallTools });
    const messages = await context.persisted(result);
    const streamed = await context.persisted(streamText7({ model: "m", messages }));
    return generateText7({ model: "m", messages: [...messages, ...streamed] });
  };
  expect([next, next7]).toHaveLength(2);
});
