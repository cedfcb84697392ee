import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents";
import { generateText, wrapLanguageModel } from "ai";
import { createAgent } from "langchain";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { type ContextReport, createContext } from "../../src/context/index.ts";
import type { FilePart, Message } from "../../src/core/message/index.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { mastraContext } from "../../src/hooks/mastra/index.ts";
import { openaiContext } from "../../src/hooks/openai/index.ts";
import { agentsContext } from "../../src/hooks/openai-agents/index.ts";
import { assistant, user } from "../build-messages.ts";
import { upstreamForTest } from "../provider/for-test.ts";

/** The links of a conversation: one has expired, and the provider refuses whatever holds it. */
const GONE = "https://files.example.com/shot.png?sig=secret";
const LIVE = "https://other.example.com/plan.png";
const TEXT = "Compare both.";
const SAID = "They are alike.";

process.env["MASTRA_TELEMETRY_DISABLED"] = "1";

interface Watched {
  on(name: "prepared", listener: (report: ContextReport) => void): unknown;
}

interface Asking {
  readonly url: string;
  readonly watch: <Context extends Watched>(context: Context) => Context;
}

/** One question with both images, through each door; the answer. */
const doors: Readonly<Record<string, (asking: Asking) => Promise<unknown>>> = {
  async anthropic({ url, watch }) {
    const { middleware } = watch(anthropicContext());
    const client = new Anthropic({
      apiKey: "key",
      baseURL: url,
      maxRetries: 0,
      middleware: [middleware],
    });
    const image = (link: string) => ({
      type: "image" as const,
      source: { type: "url" as const, url: link },
    });
    const content = [image(GONE), image(LIVE), { type: "text" as const, text: TEXT }];
    const messages = [{ role: "user" as const, content }];
    const answer = await client.messages.create({ model: "m", max_tokens: 100, messages });
    return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
  async "openai chat, streamed"({ url, watch }) {
    const { fetch } = watch(openaiContext());
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0, fetch });
    const image = (link: string) => ({ type: "image_url" as const, image_url: { url: link } });
    const content = [image(GONE), image(LIVE), { type: "text" as const, text: TEXT }];
    const messages = [{ role: "user" as const, content }];
    const stream = client.chat.completions.stream({ model: "m", messages });
    return stream.finalContent();
  },
  async "openai responses"({ url, watch }) {
    const { fetch } = watch(openaiContext());
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0, fetch });
    const image = (link: string) => ({
      type: "input_image" as const,
      detail: "auto" as const,
      image_url: link,
    });
    const content = [image(GONE), image(LIVE), { type: "input_text" as const, text: TEXT }];
    return (await client.responses.create({ model: "m", input: [{ role: "user", content }] }))
      .output_text;
  },
  async "ai sdk"({ url, watch }) {
    const { middleware, prepareStep } = watch(aiSdkContext());
    const plain = createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("claude-opus-5-5");
    const image = (link: string) => ({ type: "image" as const, image: new URL(link) });
    const content = [image(GONE), image(LIVE), { type: "text" as const, text: TEXT }];
    const model = wrapLanguageModel({ model: plain, middleware });
    const messages = [{ role: "user" as const, content }];
    return (await generateText({ model, messages, prepareStep, maxRetries: 0 })).text;
  },
  async langchain({ url, watch }) {
    const { middleware } = langchainContext({ onConversation: watch });
    const model = new ChatAnthropic({
      model: "m",
      apiKey: "key",
      anthropicApiUrl: url,
      maxRetries: 0,
    });
    const agent = createAgent({ model, tools: [], middleware: [middleware] });
    const image = (link: string) => ({ type: "image_url", image_url: { url: link } });
    const content = [image(GONE), image(LIVE), { type: "text", text: TEXT }];
    const { messages } = await agent.invoke({ messages: [new HumanMessage({ content })] });
    return messages.at(-1)?.text;
  },
  async "openai agents"({ url, watch }) {
    setTracingDisabled(true);
    const context = watch(agentsContext());
    const provider = new OpenAIProvider({
      apiKey: "key",
      baseURL: `${url}/v1`,
      useResponses: true,
    });
    const runner = new Runner({ modelProvider: context.modelProvider(provider) });
    const image = (link: string) => ({ type: "input_image" as const, image: link });
    const content = [image(GONE), image(LIVE), { type: "input_text" as const, text: TEXT }];
    const agent = new Agent({ name: "a", model: "m" });
    return (await runner.run(agent, [{ role: "user" as const, content }])).finalOutput;
  },
  async mastra({ url, watch }) {
    const { processor } = mastraContext({ onConversation: watch });
    const model = createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("claude-opus-5-5");
    const processors = { inputProcessors: [processor] };
    const agent = new MastraAgent({ id: "a", name: "a", instructions: "", model, ...processors });
    agent.__setLogger(noopLogger);
    const image = (link: string) => ({ type: "image" as const, image: new URL(link) });
    const content = [image(GONE), image(LIVE), { type: "text" as const, text: TEXT }];
    return (await agent.generate([{ role: "user", content }] as never)).text;
  },
};

describe.each(Object.entries(doors))("%s", (name, ask) => {
  it("asks once more with the image described that the provider could not load", async () => {
    const upstream = await upstreamForTest({ script: () => SAID, goneLinks: [GONE] });
    const reports: ContextReport[] = [];
    const watch: Asking["watch"] = (context) => {
      context.on("prepared", (report) => void reports.push(report));
      return context;
    };
    expect(await ask({ url: upstream.url, watch })).toBe(SAID);
    expect(upstream.requests.map(({ status }) => status)).toEqual([400, 200]);
    const sent = JSON.stringify(upstream.requests[1]?.body);
    expect(sent).toContain(TEXT);
    expect(sent).not.toContain(GONE);
    // OpenAI names the link.
    expect(sent.includes(LIVE)).toBe(name.startsWith("openai"));
    expect(sent).toMatch(/was attached here and is not sent again/);
    const report = reports.find(({ action }) => action !== "none");
    expect(report).toMatchObject({ action: "prune", prune: [] });
    expect(new Set(report?.clipped.map(({ reason }) => reason))).toEqual(new Set(["media"]));
    const [told] = report?.warnings.filter((text) => text.includes("could not load")) ?? [];
    expect(told).toContain("https://files.example.com/shot.png");
    expect(told).not.toContain("secret");
  });
});

describe("a context of one's own", () => {
  const linked = (url: string): FilePart => ({ type: "file", mediaType: "image/png", url });
  const asked: Message = {
    role: "user",
    parts: [{ type: "text", text: TEXT }, linked(GONE), linked(LIVE)],
  };
  const refused = Object.assign(new Error(`400 Error while downloading ${GONE}.`), { status: 400 });

  it("describes the image that is named, keeps the other, and remembers it", async () => {
    const context = createContext({ window: 200_000 });
    const edited: unknown[] = [];
    context.on("edited", (record) => void edited.push(record));
    await context.prepare([asked]);
    const again = await context.recover([asked], refused);
    expect(JSON.stringify(again?.messages)).not.toContain(GONE);
    expect(JSON.stringify(again?.messages)).toContain(LIVE);
    expect(edited).toHaveLength(1);
    const [piece] = again?.report.clipped ?? [];
    expect(await context.recall(piece?.handle ?? "")).toContain(GONE);
    // Once for a request; the next one begins without the link.
    expect(await context.recover([asked], refused)).toBeUndefined();
    const { messages, report } = await context.prepare([asked, assistant(SAID), user("And now?")]);
    expect(JSON.stringify(messages)).not.toContain(GONE);
    expect(report.action).toBe("none");
    expect(await context.undo([asked, assistant(SAID), user("And now?")])).toContain(asked);
  });

  it("passes on a refusal where nothing is linked, and any other", async () => {
    const context = createContext({ window: 200_000 });
    await context.prepare([user("hi")]);
    expect(await context.recover([user("hi")], refused)).toBeUndefined();
    await context.prepare([asked]);
    expect(await context.recover([asked], new Error("Could not process image"))).toBeUndefined();
  });

  it("describes links by option with any edit, wherever they stand, and none without one", async () => {
    const long = (n: number): Message => assistant(`thought ${n} ${"word ".repeat(900)}`);
    const talk = [asked, ...Array.from({ length: 12 }, (_, n) => long(n)), asked, assistant(SAID)];
    for (const describeMedia of ["links", (file: FilePart) => file.url === GONE] as const) {
      const context = createContext({ window: 24_000, describeMedia });
      expect((await context.prepare([asked])).messages).toContain(asked);
      const { messages, report } = await context.prepare(talk);
      expect(report.action).toBe("compact");
      expect(JSON.stringify(messages)).not.toContain(GONE);
      expect(JSON.stringify(messages).includes(LIVE)).toBe(describeMedia !== "links");
    }
    const kept = await createContext({ window: 24_000 }).prepare(talk);
    expect(JSON.stringify(kept.messages)).toContain(GONE);
  });

  it("describes what a refusal names beside what the option names", async () => {
    const describeMedia = ({ url }: FilePart): boolean => url === LIVE;
    const context = createContext({ window: 200_000, describeMedia });
    expect((await context.prepare([asked])).messages).toContain(asked);
    const again = await context.recover([asked], refused);
    expect(JSON.stringify(again?.messages)).not.toMatch(/example\.com/);
  });

  it("refuses a value of the option that makes no sense", () => {
    const describeMedia = "videos" as "links";
    expect(() => createContext({ describeMedia })).toThrow(
      /describeMedia.*"links", "all" or a function/,
    );
  });
});
