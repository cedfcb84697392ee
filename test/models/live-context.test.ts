import { afterEach, describe, expect, it } from "vitest";
import { createContext, type SummaryReport } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { AnthropicMessage } from "../../src/dialects/anthropic/wire.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../src/dialects/openai-chat/wire.ts";
import {
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  type Summarizer,
} from "../../src/models/index.ts";
import { PLAIN_SUMMARY, startUpstream, type Upstream } from "../provider/index.ts";

const running: Upstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((upstream) => upstream.close()));
});

const SYSTEM = "You are a careful agent. ".repeat(40);
const STEPS = 60;
const WINDOW = 32_000;
const parameters = { type: "object", properties: { path: { type: "string" } } };

/** Reads a file in each step, however much of that is still in its context. */
async function agentServer(): Promise<Upstream> {
  let steps = 0;
  const upstream = await startUpstream({
    window: WINDOW,
    script: ({ lastUserText }) => {
      if (lastUserText.includes("The work pauses here")) return PLAIN_SUMMARY;
      steps++;
      if (steps > STEPS) return "All files are read.";
      return { parts: [{ type: "call", name: "read", input: { path: `src/file-${steps}.ts` } }] };
    },
  });
  running.push(upstream);
  return upstream;
}

function fileText(path: string): string {
  return `// ${path}\n${`export const value = "of ${path}";\n`.repeat(60)}`;
}

interface Json {
  readonly [field: string]: unknown;
}

async function send(url: string, body: Json): Promise<Json> {
  const headers = {
    "content-type": "application/json",
    "x-api-key": "k",
    authorization: "Bearer k",
    "anthropic-version": "2023-06-01",
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Json;
}

interface Agent {
  readonly tools: unknown;
  readonly traits: typeof anthropic.traits;
  summarizer(url: string): Summarizer;
  /** Sends the view and gives back the answer and its results, if it called a tool. */
  step(url: string, view: readonly Message[]): Promise<readonly Message[]>;
}

/** What a context with this agent's own model as summarizer reported of its compactions. */
async function runAgent(agent: Agent): Promise<readonly SummaryReport[]> {
  const upstream = await agentServer();
  const { tools, traits } = agent;
  const context = createContext({
    window: WINDOW,
    reserved: 8_000,
    instructions: SYSTEM,
    tools,
    traits,
    summarizer: agent.summarizer(upstream.url),
    summarizeAhead: false,
    // Pruning alone would do for this agent.
    protectedTools: ["read"],
  });
  const history: Message[] = [{ role: "user", parts: [{ type: "text", text: "Read all files." }] }];
  const summaries: SummaryReport[] = [];
  for (;;) {
    const { messages, report } = await context.prepare(history);
    if (report.summary !== undefined) summaries.push(report.summary);
    const said = await agent.step(upstream.url, messages);
    history.push(...said);
    if (said.length === 1) break;
  }
  expect(upstream.refusals).toEqual([]);
  return summaries;
}

const claude: Agent = {
  tools: [{ name: "read", description: "Reads a file.", input_schema: parameters }],
  traits: anthropic.traits,
  summarizer: (baseURL) =>
    anthropicSummarizer({ model: "m", apiKey: "k", baseURL, reusesPrompt: true, window: WINDOW }),
  async step(url, view) {
    const { messages } = anthropic.encode(view);
    const last = messages.at(-1)!;
    const blocks =
      typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content!;
    const marked = [
      ...blocks.slice(0, -1),
      { ...blocks.at(-1), cache_control: { type: "ephemeral" } },
    ];
    const answer = await send(`${url}/v1/messages`, {
      model: "m",
      max_tokens: 1_000,
      system: SYSTEM,
      tools: this.tools,
      messages: [...messages.slice(0, -1), { ...last, content: marked }],
    });
    const content = answer["content"] as Json[];
    const results = content.flatMap(({ type, id, input }) =>
      type === "tool_use"
        ? [
            {
              type: "tool_result",
              tool_use_id: id,
              content: fileText((input as { path: string }).path),
            },
          ]
        : [],
    );
    const said: AnthropicMessage[] = [{ role: "assistant", content: content as never }];
    if (results.length > 0) said.push({ role: "user", content: results });
    return anthropic.decode({ messages: said });
  },
};

const gpt: Agent = {
  tools: [{ type: "function", function: { name: "read", parameters } }],
  traits: openaiChat.traits,
  summarizer: (url) =>
    openaiCompatibleSummarizer({
      model: "m",
      apiKey: "k",
      baseURL: `${url}/v1`,
      reusesPrompt: true,
      window: WINDOW,
    }),
  async step(url, view) {
    const messages = [{ role: "system", content: SYSTEM }, ...openaiChat.encode(view)];
    const answer = await send(`${url}/v1/chat/completions`, {
      model: "m",
      tools: this.tools,
      messages,
    });
    const [{ message }] = answer["choices"] as [{ message: Json }];
    const calls = (message["tool_calls"] ?? []) as {
      id: string;
      function: { arguments: string };
    }[];
    const results = calls.map(({ id, function: { arguments: input } }) => ({
      role: "tool",
      tool_call_id: id,
      content: fileText((JSON.parse(input) as { path: string }).path),
    }));
    return openaiChat.decode([message, ...results] as never as ChatMessage[]);
  },
};

describe("a context whose summarizer is the agent's own model", () => {
  it.each([
    ["Anthropic", claude],
    ["OpenAI chat", gpt],
  ])("pays for little of the prompt again: %s", async (_, agent) => {
    const summaries = await runAgent(agent);
    expect(summaries.length).toBeGreaterThanOrEqual(2);
    for (const { source, calls } of summaries) {
      expect(source).not.toBe("extractive");
      const [first] = calls;
      expect(first).toMatchObject({ reusedPrompt: true, attempt: 1 });
      expect(first!.usage!.cached! / first!.usage!.input).toBeGreaterThan(0.8);
    }
  });
});
