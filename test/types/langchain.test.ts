import type { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  createAgent,
  FakeToolCallingModel,
  createMiddleware,
} from "langchain";
import { expect, expectTypeOf, test } from "vitest";
import { langchain, type LangChainMessage } from "../../src/dialects/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";

test("the SDK's messages go in and come out", () => {
  const messages: BaseMessage[] = [new HumanMessage("hi"), new AIMessage("ho")];
  const back: BaseMessage[] = langchain.encode<BaseMessage>(langchain.decode(messages));
  expect(back).toEqual(messages);
  expectTypeOf<BaseMessage[]>().toExtend<Parameters<typeof langchain.decode>[0]>();
  expectTypeOf<BaseMessage>().toExtend<LangChainMessage>();
});

test("the middleware stands beside the SDK's own", async () => {
  const model = new FakeToolCallingModel({});
  const middleware = langchainContext({ window: 32_000 }).middleware;
  expectTypeOf(middleware).toExtend<AgentMiddleware>();
  const agent = createAgent({
    model,
    tools: [],
    middleware: [createMiddleware({ name: "Other" }), middleware],
  });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("hi")] });
  expectTypeOf(messages).toExtend<BaseMessage[]>();
  expect(messages).toHaveLength(2);
});

test("a node of a graph invokes its model through the context", async () => {
  const model = new FakeToolCallingModel({});
  const context = langchainContext({ model, window: 32_000 });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({
      messages: [await context.invoke(model, messages)],
    }))
    .addEdge("__start__", "model")
    .compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage("hi")] });
  expect(messages.at(-1)).toBeInstanceOf(AIMessage);
  expectTypeOf<ChatAnthropic>().toExtend<Parameters<typeof context.invoke>[0]>();
});
