import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { createAgent } from "langchain";
import { expect, onTestFinished, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { mastraContext } from "../../src/hooks/mastra/index.ts";
import { upstreamForTest } from "../provider/for-test.ts";

/** The programs of a page, without their imports; what the page shows is what runs. */
function programs(file: string): string[] {
  const page = readFileSync(file, "utf8");
  return [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""]) =>
    code.replace(/^import .*$/gm, ""),
  );
}

async function run(code: string, result: string, scope: object): Promise<never> {
  // oxlint-disable-next-line typescript/no-implied-eval
  const program = new Function(
    ...Object.keys(scope),
    `return (async () => { ${code}; return ${result}; })()`,
  ) as (...values: unknown[]) => Promise<never>;
  return program(...(Object.values(scope) as unknown[]));
}

async function server(): Promise<string> {
  return (await upstreamForTest({ script: () => "Hello.", apiKey: "k" })).url;
}

function folderForTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

test("the page of LangChain", async () => {
  const [middleware = "", node = "", thread = ""] = programs("docs/langchain.md");
  const anthropicApiUrl = await server();
  const model = new ChatAnthropic({ model: "claude-haiku-4-5", apiKey: "k", anthropicApiUrl });
  const scope = { createAgent, langchainContext, model, tools: [] };
  const agent: ReturnType<typeof createAgent> = await run(middleware, "agent", scope);
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Hi")] });
  expect(messages.at(-1)!.text).toBe("Hello.");
  const asked = { messages: [...messages, new HumanMessage("And you?")] };
  const answer: { text: string } = await run(node, "answer", { ...scope, ...asked });
  expect(answer.text).toBe("Hello.");
  const more = { MemorySaver, directoryArchive, folder: folderForTest(), question: "Hi" };
  const stored: unknown[] = await run(thread, "messages", { ...scope, ...more });
  expect(stored).toHaveLength(2);
});

test("the page of Mastra", async () => {
  const [processor = "", thread = ""] = programs("docs/mastra.md");
  const model = createOpenAI({ apiKey: "k", baseURL: `${await server()}/v1` })("gpt-5-mini");
  const scope = { Agent, mastraContext, model, instructions: "Be good." };
  const agent: Agent = await run(processor, "agent", scope);
  expect((await agent.generate("Hi")).text).toBe("Hello.");
  const memory = new MockMemory();
  const more = { directoryArchive, folder: folderForTest(), memory, question: "Hi" };
  expect(await run(thread, "text", { ...scope, ...more })).toBe("Hello.");
});
