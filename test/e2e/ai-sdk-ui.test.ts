import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import * as ai6 from "ai";
import * as ai7 from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createOpenAI as createOpenAI7 } from "ai7-openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Archive } from "../../src/archive/index.ts";
import type { JournalRecord } from "../../src/context/index.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { agentForTest, type ScriptedAgent } from "./agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { runs, sample } from "../property/runs.ts";

const WINDOW = 32_000;
const STEPS = runs(24, 40);

/** A route of an app with a chat: it has nothing in memory from one request to the next. */
interface App {
  readonly url: string;
  readonly provider: "anthropic" | "responses";
  readonly agent: ScriptedAgent;
  readonly archive: Archive;
  /** The user interface's messages, as the app's database has them. */
  readonly database: Map<string, unknown[]>;
  /** The journal as it was after each request. */
  readonly journals: (readonly JournalRecord[])[];
}

type Route = (app: App, request: Request) => Promise<Response>;

const route6: Route = async ({ url, provider, agent, archive, database, journals }, request) => {
  const { id, message } = (await request.json()) as { id: string; message: ai6.UIMessage };
  const context = aiSdkContext({ window: WINDOW, conversation: id, archive });
  const own = agent.tools.map(({ name, description, parameters, run }) => [
    name,
    ai6.tool({ description, inputSchema: ai6.jsonSchema({ ...parameters }), execute: run }),
  ]);
  const tools = context.tools({
    ...(Object.fromEntries(own) as ai6.ToolSet),
    ...context.recallTools,
  });
  const settings = { apiKey: "key", baseURL: `${url}/v1` };
  const model =
    provider === "anthropic"
      ? createAnthropic(settings)("scripted")
      : createOpenAI(settings).responses("scripted");
  const messages = [...((database.get(id) ?? []) as ai6.UIMessage[]), message];
  const result = ai6.streamText({
    model: ai6.wrapLanguageModel({ model, middleware: context.middleware }),
    system: agent.system,
    messages: await ai6.convertToModelMessages(messages, { tools }),
    tools,
    prepareStep: context.prepareStep,
    stopWhen: ai6.stepCountIs(500),
    maxRetries: 0,
  });
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    generateMessageId: () => `message-${messages.length}`,
    onError: String,
    onFinish: async ({ messages: all }) => {
      database.set(id, JSON.parse(JSON.stringify(all)) as unknown[]);
      await context.close();
      journals.push(context.journal());
    },
  });
};

const route7: Route = async ({ url, provider, agent, archive, database, journals }, request) => {
  const { id, message } = (await request.json()) as { id: string; message: ai7.UIMessage };
  const context = aiSdkContext({ window: WINDOW, conversation: id, archive });
  const own = agent.tools.map(({ name, description, parameters, run }) => [
    name,
    ai7.tool({ description, inputSchema: ai7.jsonSchema({ ...parameters }), execute: run }),
  ]);
  const tools = context.tools({
    ...(Object.fromEntries(own) as ai7.ToolSet),
    ...context.recallTools,
  });
  const settings = { apiKey: "key", baseURL: `${url}/v1` };
  const model =
    provider === "anthropic"
      ? createAnthropic7(settings)("scripted")
      : createOpenAI7(settings).responses("scripted");
  const messages = [...((database.get(id) ?? []) as ai7.UIMessage[]), message];
  const result = ai7.streamText({
    model: ai7.wrapLanguageModel({ model, middleware: context.middleware }),
    instructions: agent.system,
    messages: await ai7.convertToModelMessages(messages, { tools }),
    tools,
    prepareStep: context.prepareStep,
    stopWhen: ai7.isStepCount(500),
    maxRetries: 0,
  });
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    generateMessageId: () => `message-${messages.length}`,
    onError: String,
    onEnd: async ({ messages: all }) => {
      database.set(id, JSON.parse(JSON.stringify(all)) as unknown[]);
      await context.close();
      journals.push(context.journal());
    },
  });
};

globalThis.AI_SDK_LOG_WARNINGS = false;

const cases = [route6, route7].flatMap((route) =>
  (["anthropic", "responses"] as const).map((provider) => ({
    version: route === route6 ? 6 : 7,
    route,
    provider,
  })),
);

describe.each(sample(cases, 2))("a chat over ai $version, $provider", ({ route, provider }) => {
  test("keeps its view from request to request", { timeout: 120_000 }, async () => {
    const agent = await agentForTest({ steps: STEPS });
    const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
    const folder = mkdtempSync(path.join(tmpdir(), "longhaul-ui-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const archive = directoryArchive(folder);
    const database = new Map<string, unknown[]>();
    const journals: (readonly JournalRecord[])[] = [];
    const app = { url: upstream.url, provider, agent, archive, database, journals };
    let stream = "";
    for (const [turn, text] of agent.turns.entries()) {
      const message = { id: `user-${turn}`, role: "user", parts: [{ type: "text", text }] };
      const body = JSON.stringify({ id: "chat-1", message });
      const request = new Request("http://localhost/api/chat", { method: "POST", body });
      stream = await (await route(app, request)).text();
      expect(stream).not.toContain('"type":"error"');
    }
    expect(upstream.refusals).toEqual([]);
    expect(agent.problems).toEqual([]);
    expect(
      agent.knows(
        stream.replaceAll(/"\}\s+data: \{"type":"text-delta","id":"[^"]*","delta":"/g, ""),
      ),
    ).toBe(true);
    // The interface keeps everything, and what was journaled is never made anew.
    expect(JSON.stringify(database.get("chat-1"))).toContain(agent.turns[0]);
    const [first = [], second = [], third = []] = journals;
    expect(first.length).toBeGreaterThan(0);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(third.length).toBeGreaterThan(first.length);
  });
});
