import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type LanguageModel, stepCountIs, tool } from "ai";
import {
  generateText as generateText7,
  isStepCount,
  jsonSchema as jsonSchema7,
  type LanguageModel as LanguageModel7,
  tool as tool7,
} from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createOpenAI as createOpenAI7 } from "ai7-openai";
import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../src/core/message/index.ts";
import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { decodeAnthropic } from "../../src/dialects/anthropic/decode.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import {
  type AiSdkModel,
  aiSdkSummarizer,
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  type SummaryAnswer,
} from "../../src/models/index.ts";
import { startUpstream, type Upstream } from "../provider/index.ts";
import { KEY } from "./drivers.ts";
import { summaryRequest } from "./summary-request.ts";

const running: Upstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((upstream) => upstream.close()));
});

const SYSTEM = "You are a careful agent. ".repeat(60);
const INSTRUCTION = "Now write a summary of all this.";
const STEPS = 12;

/** An agent that reads a file in each step, with thinking; then the summary is asked for. */
async function agentServer(): Promise<Upstream> {
  const upstream = await startUpstream({
    apiKey: KEY,
    script: ({ lastUserText, messages, protocol }) => {
      if (lastUserText.includes(INSTRUCTION)) return "### Goal\nRead the files.";
      const step = messages.filter(({ role }) => role === "assistant").length + 1;
      if (step > STEPS) return "All files are read.";
      return {
        parts: [
          // OpenAI's chat shows no thinking.
          ...(protocol === "anthropic"
            ? [{ type: "reasoning", text: `File ${step}.` } as const]
            : []),
          { type: "call", name: "read", input: { path: `src/file-${step}.ts` } },
        ],
      };
    },
  });
  running.push(upstream);
  return upstream;
}

function fileText(path: string): string {
  return `// ${path}\n${`export const value = "of ${path}";\n`.repeat(40)}`;
}

interface Json {
  readonly [field: string]: unknown;
}

async function send(url: string, headers: Record<string, string>, body: Json): Promise<Json> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Json;
}

const schema = {
  type: "object" as const,
  properties: { path: { type: "string" as const } },
  required: ["path"],
};

/** The head that a compaction would take: all but the last steps. */
function headOf(messages: readonly Message[]): readonly Message[] {
  const ends = messages.flatMap(({ role }, at) => (role === "tool" ? [at + 1] : []));
  return messages.slice(0, ends.at(-3));
}

/** More than 97 % of what was sent was read from the cache, and nothing was refused. */
function expectCached(upstream: Upstream, answer: SummaryAnswer): void {
  expect(upstream.refusals).toEqual([]);
  expect(answer.text).toBe("### Goal\nRead the files.");
  const { input, cached = 0 } = answer.usage!;
  expect(input).toBeGreaterThan(4_000);
  expect(cached / input).toBeGreaterThan(0.97);
}

describe("Anthropic", () => {
  const tools = [{ name: "read", description: "Reads a file.", input_schema: schema }];
  const thinking = { type: "enabled", budget_tokens: 2_000 };

  async function runAgent(url: string, isCaching: boolean): Promise<Message[]> {
    const messages: Json[] = [{ role: "user", content: "Read all files." }];
    const mark = isCaching ? { cache_control: { type: "ephemeral" } } : {};
    for (let step = 0; step <= STEPS; step++) {
      const last = messages.at(-1)!;
      const blocks = Array.isArray(last["content"])
        ? (last["content"] as Json[])
        : [{ type: "text", text: last["content"] }];
      const marked = blocks.map((block, at) =>
        at === blocks.length - 1 ? { ...block, ...mark } : block,
      );
      const answer = await send(
        `${url}/v1/messages`,
        { "x-api-key": KEY, "anthropic-version": "2023-06-01" },
        {
          model: "m",
          max_tokens: 4_000,
          thinking,
          system: SYSTEM,
          tools,
          messages: [...messages.slice(0, -1), { ...last, content: marked }],
        },
      );
      const content = answer["content"] as Json[];
      messages.push({ role: "assistant", content });
      const results = content.filter((block) => block["type"] === "tool_use");
      if (results.length === 0) break;
      messages.push({
        role: "user",
        content: results.map((block) => ({
          type: "tool_result",
          tool_use_id: block["id"],
          content: fileText((block["input"] as { path: string }).path),
        })),
      });
    }
    return decodeAnthropic({ system: SYSTEM, messages: messages as never }) as Message[];
  }

  it.each([true, false])("reads the agent's request from the cache, stream %s", async (stream) => {
    const upstream = await agentServer();
    const messages = headOf(await runAgent(upstream.url, true));
    const summarizer = anthropicSummarizer({
      model: "m",
      apiKey: KEY,
      baseURL: upstream.url,
      reusesPrompt: true,
      stream,
      body: { thinking },
    });
    expect(summarizer.reusesPrompt).toBe(true);
    const live = { tools, messages, instruction: INSTRUCTION };
    const answer = await summarizer.summarize(summaryRequest({ live }));
    expectCached(upstream, answer);
    const { body } = upstream.requests.at(-1)! as { body: Json };
    expect(body).not.toHaveProperty("tool_choice");
    const sent = body["messages"] as { role: string; content: Json[] }[];
    // The head ends with results, so the instruction stands in the same message.
    expect(sent.at(-1)).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result", cache_control: { type: "ephemeral" } },
        { type: "text", text: INSTRUCTION },
      ],
    });
  });

  it("takes the system prompt from beside the messages as well", async () => {
    const upstream = await agentServer();
    const all = await runAgent(upstream.url, true);
    const messages = headOf(all).filter(({ role }) => role !== "system");
    const answer = await anthropicSummarizer({
      model: "m",
      apiKey: KEY,
      baseURL: upstream.url,
      reusesPrompt: true,
      body: { thinking },
    }).summarize(
      summaryRequest({ live: { system: SYSTEM, tools, messages, instruction: INSTRUCTION } }),
    );
    expectCached(upstream, answer);
  });

  it("adds a message of its own where the head ends with an answer", async () => {
    const upstream = await agentServer();
    const messages = await runAgent(upstream.url, true);
    expect(messages.at(-1)!.role).toBe("assistant");
    const answer = await anthropicSummarizer({
      model: "m",
      apiKey: KEY,
      baseURL: upstream.url,
      reusesPrompt: true,
      body: { thinking },
    }).summarize(summaryRequest({ live: { tools, messages, instruction: INSTRUCTION } }));
    expectCached(upstream, answer);
  });

  it("never has more than four breakpoints", async () => {
    const upstream = await agentServer();
    const cache_control = { type: "ephemeral" };
    const content = [1, 2, 3, 4].map((n) => ({ type: "text", text: `part ${n}`, cache_control }));
    const messages = decodeAnthropic({ messages: [{ role: "user", content }] });
    await anthropicSummarizer({ model: "m", apiKey: KEY, baseURL: upstream.url }).summarize(
      summaryRequest({ live: { messages, instruction: INSTRUCTION } }),
    );
    expect(upstream.refusals).toEqual([]);
  });

  it("sends the whole prompt where the agent's tools are of another kind", async () => {
    const upstream = await agentServer();
    const messages = headOf(await runAgent(upstream.url, false));
    const chatTools = [{ type: "function", function: { name: "read", parameters: schema } }];
    const prompt = { system: "You write summaries.", user: INSTRUCTION };
    const live = { tools: chatTools, messages, instruction: INSTRUCTION };
    const summarizer = anthropicSummarizer({
      model: "m",
      apiKey: KEY,
      baseURL: upstream.url,
      // As the agent sends it; without tools the API refuses it.
      body: { tool_choice: { type: "auto" } },
    });
    await summarizer.summarize(summaryRequest({ prompt, live }));
    expect(upstream.requests.at(-1)!.body).not.toHaveProperty("tool_choice");
    expect(upstream.refusals).toEqual([]);
    expect(upstream.requests.at(-1)!.view).toMatchObject({
      system: prompt.system,
      lastUserText: INSTRUCTION,
      tools: [],
    });
  });
});

describe("OpenAI chat", () => {
  const tools = [
    { type: "function", function: { name: "read", description: "Reads.", parameters: schema } },
  ];

  async function runAgent(url: string): Promise<Message[]> {
    const messages: Json[] = [
      { role: "system", content: SYSTEM },
      { role: "user", content: "Read all files." },
    ];
    for (let step = 0; step <= STEPS; step++) {
      const answer = await send(
        `${url}/v1/chat/completions`,
        { authorization: `Bearer ${KEY}` },
        { model: "m", tools, messages },
      );
      const [choice] = answer["choices"] as { message: Json }[];
      messages.push(choice!.message);
      const calls = (choice!.message["tool_calls"] ?? []) as {
        id: string;
        function: { arguments: string };
      }[];
      if (calls.length === 0) break;
      for (const { id, function: called } of calls) {
        const { path } = JSON.parse(called.arguments) as { path: string };
        messages.push({ role: "tool", tool_call_id: id, content: fileText(path) });
      }
    }
    return openaiChat.decode(messages as never) as Message[];
  }

  it.each([true, false])("reads the agent's request from the cache, stream %s", async (stream) => {
    const upstream = await agentServer();
    const messages = headOf(await runAgent(upstream.url));
    const answer = await openaiCompatibleSummarizer({
      model: "m",
      apiKey: KEY,
      baseURL: `${upstream.url}/v1`,
      reusesPrompt: true,
      stream,
    }).summarize(summaryRequest({ live: { tools, messages, instruction: INSTRUCTION } }));
    expectCached(upstream, answer);
  });

  it("joins the instruction to a last message of the user", async () => {
    const upstream = await agentServer();
    const ask = (content: unknown): Promise<SummaryAnswer> =>
      openaiCompatibleSummarizer({
        model: "m",
        apiKey: KEY,
        baseURL: `${upstream.url}/v1`,
      }).summarize(
        summaryRequest({
          live: {
            system: "Be kind.",
            messages: openaiChat.decode([{ role: "user", content } as never]),
            instruction: INSTRUCTION,
          },
        }),
      );
    await ask("Hello.");
    await ask([{ type: "text", text: "Hello." }]);
    const bodies = upstream.requests.map(({ body }) => (body as Json)["messages"]);
    const system = { role: "system", content: "Be kind." };
    expect(bodies).toEqual([
      [system, { role: "user", content: `Hello.\n\n${INSTRUCTION}` }],
      [
        system,
        {
          role: "user",
          content: [
            { type: "text", text: "Hello." },
            { type: "text", text: INSTRUCTION },
          ],
        },
      ],
    ]);
  });
});

describe("the AI SDK", () => {
  const description = "Reads a file.";
  const execute = ({ path }: { path: string }): string => fileText(path);
  const cacheControl = { type: "ephemeral" };
  /** As agents do that want the cache: the newest message is marked. */
  const marked = <M extends object>(messages: readonly M[]): M[] =>
    messages.map((message, at) =>
      at < messages.length - 1
        ? { ...message, providerOptions: undefined }
        : { ...message, providerOptions: { anthropic: { cacheControl } } },
    );
  const sdk6 = async (model: LanguageModel) => {
    const read = tool({ description, inputSchema: jsonSchema<{ path: string }>(schema), execute });
    const { response } = await generateText({
      model,
      system: SYSTEM,
      prompt: "Read all files.",
      tools: { read },
      stopWhen: stepCountIs(STEPS + 1),
      prepareStep: ({ messages }) => ({ messages: marked(messages) }),
    });
    return { tools: { read }, messages: response.messages };
  };
  const sdk7 = async (model: LanguageModel7) => {
    const inputSchema = jsonSchema7<{ path: string }>(schema);
    const read = tool7({ description, inputSchema, execute });
    const { responseMessages } = await generateText7({
      model,
      instructions: SYSTEM,
      prompt: "Read all files.",
      tools: { read },
      stopWhen: isStepCount(STEPS + 1),
      prepareStep: ({ messages }) => ({ messages: marked(messages) }),
    });
    return { tools: { read }, messages: responseMessages };
  };
  const claude = "claude-sonnet-4-5";
  const at = (upstream: Upstream) => ({ baseURL: `${upstream.url}/v1`, apiKey: KEY });

  async function expectReuse(
    upstream: Upstream,
    model: AiSdkModel,
    ran: { readonly tools: unknown; readonly messages: readonly unknown[] },
  ): Promise<void> {
    const history = [{ role: "user", content: "Read all files." }, ...ran.messages];
    const messages = headOf(aiSdk.decode(history as never));
    const live = { system: SYSTEM, tools: ran.tools, messages, instruction: INSTRUCTION };
    const summarizer = aiSdkSummarizer({ model, reusesPrompt: true });
    expectCached(upstream, await summarizer.summarize(summaryRequest({ live })));
  }

  it("6 with Anthropic", async () => {
    const upstream = await agentServer();
    const model = createAnthropic(at(upstream))(claude);
    await expectReuse(upstream, model, await sdk6(model));
  });

  it("6 with OpenAI", async () => {
    const upstream = await agentServer();
    const model = createOpenAI(at(upstream)).chat("m");
    await expectReuse(upstream, model, await sdk6(model));
  });

  it("7 with Anthropic", async () => {
    const upstream = await agentServer();
    const model = createAnthropic7(at(upstream))(claude);
    await expectReuse(upstream, model, await sdk7(model));
  });

  it("7 with OpenAI", async () => {
    const upstream = await agentServer();
    const model = createOpenAI7(at(upstream)).chat("m");
    await expectReuse(upstream, model, await sdk7(model));
  });
});

it("drivers say beforehand whether the agent's tools are of their API", async () => {
  const anthropicTools = [{ name: "read", input_schema: schema }];
  const chatTools = [{ type: "function", function: { name: "read", parameters: schema } }];
  const modelTools = [{ type: "function", name: "read", inputSchema: schema }];
  const model = createAnthropic({ apiKey: KEY })("m");
  const drivers = [
    [anthropicSummarizer({ model: "m" }), anthropicTools],
    [openaiCompatibleSummarizer({ model: "m" }), chatTools],
    [aiSdkSummarizer({ model }), modelTools],
  ] as const;
  for (const [driver, own] of drivers) {
    for (const tools of [anthropicTools, chatTools, modelTools, undefined]) {
      const expected = tools === undefined || tools === own;
      expect(await driver.canReuse?.({ messages: [], tools })).toBe(expected);
    }
  }
});
