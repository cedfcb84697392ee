import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  Agent,
  MemorySession,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import * as openaiDoor from "../../src/hooks/openai/index.ts";
import * as agentsDoor from "../../src/hooks/openai-agents/index.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Script } from "../provider/index.ts";

/** The programs of a page, without their imports; what the page shows is what runs. */
function programs(file: string): string[] {
  const page = readFileSync(file, "utf8");
  return [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""]) =>
    code.replace(/^import .*$/gm, ""),
  );
}

async function run(code: string, result: string, scope: object): Promise<unknown> {
  // oxlint-disable-next-line typescript/no-implied-eval
  const program = new Function(
    ...Object.keys(scope),
    `return (async () => { ${code}; return ${result}; })()`,
  ) as (...values: unknown[]) => Promise<unknown>;
  return program(...(Object.values(scope) as unknown[]));
}

async function server(script: Script = () => "Hello."): Promise<string> {
  return (await upstreamForTest({ script, apiKey: "k", window: 8_000 })).url;
}

const [oneLine = ""] = programs("docs/openai.md");

test("the one line for the OpenAI SDK", async () => {
  const baseURL = `${await server()}/v1`;
  const Client = function () {
    return new OpenAI({ apiKey: "k", baseURL });
  };
  const scope = { OpenAI: Client, openaiContext: openaiDoor.openaiContext };
  const client = (await run(oneLine, "openai", scope)) as OpenAI;
  const { output_text } = await client.responses.create({ model: "m", input: "Hi" });
  expect(output_text).toBe("Hello.");
});

test("the traits for servers without system messages in the middle", async () => {
  const page = readFileSync("docs/openai.md", "utf8");
  const [, code = ""] = /`(openaiContext\(\{ traits[^`]*)`/.exec(page) ?? [];
  const context = (await run("", code, { ...openaiDoor, openaiChat })) as openaiDoor.OpenAIContext;
  const messages = Array.from({ length: 400 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `Message ${n} says ${"a lot ".repeat(200)}`,
  }));
  const sent: { messages: readonly unknown[] }[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(JSON.parse(init?.body as string));
    return Response.json({ choices: [{ message: { role: "assistant", content: "Hello." } }] });
  };
  await context.client(new OpenAI({ apiKey: "k", fetch })).chat.completions.create({
    model: "small",
    messages,
  });
  expect(sent[0]?.messages[0]).toMatchObject({ role: "user" });
  expect(JSON.stringify(sent[0]?.messages[0])).toContain("prior-conversation-summary");
});

const [agents = "", durable = ""] = programs("docs/openai-agents.md");

test("the page of the Agents SDK", async () => {
  setTracingDisabled(true);
  const baseURL = `${await server(() => "The build is fixed.")}/v1`;
  const Provider = function () {
    return new OpenAIProvider({ apiKey: "k", baseURL });
  };
  const scope = { Agent, MemorySession, OpenAIProvider: Provider, Runner, tool };
  const { agentsContext } = agentsDoor;
  expect(await run(agents, "finalOutput", { ...scope, agentsContext })).toBe("The build is fixed.");
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const context = await run(durable, "context", {
    agentsContext,
    directoryArchive,
    folder,
    chatId: "chat-1",
  });
  expect((context as agentsDoor.AgentsContext).journal()).toEqual([]);
});
