import { tool } from "@openai/agents";
import * as ai6 from "ai";
import * as ai7 from "ai7";
import { describe, expect, it } from "vitest";
import { type Archive, memoryArchive } from "../../src/archive/index.ts";
import { agentsContext } from "../../src/hooks/openai-agents/index.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { mastraContext } from "../../src/hooks/mastra/index.ts";
import { openaiContext } from "../../src/hooks/openai/index.ts";
import { fakeModel } from "./ai-sdk/fake-model.ts";

/**
 * What is recalled may hold an image: it comes back as one where a tool may answer with images, and
 * a sentence stands for its bytes everywhere.
 */

const DATA = Buffer.from(Array.from({ length: 30_000 }, (_, at) => (at * 7919) % 251)).toString(
  "base64",
);
const SCREEN = [
  { type: "text", text: "The page has loaded." },
  { type: "file", mediaType: "image/png", filename: "page.png", data: DATA },
] as const;

async function holding(archive: Archive): Promise<string> {
  return (await archive.put("parts", JSON.stringify(SCREEN))).handle;
}

function expectTold(text: string, handle: string): void {
  expect(text).toContain("The page has loaded.\n");
  expect(text).toContain('[image/png "page.png", 30000 bytes: ');
  expect(text).toContain(`longhaul recall ${handle} --media 1 > FILE`);
  expect(text).not.toContain(DATA.slice(0, 20));
}

describe("a recalled image", () => {
  it.each([6, 7] as const)("reaches a model of the AI SDK %i as an image", async (version) => {
    const context = aiSdkContext({ window: 100_000 });
    const handle = await holding(context.archive);
    const { model, calls } = fakeModel({
      version,
      answer: (_, index) =>
        index === 0 ? { calls: [{ name: "recall", input: { handle } }] } : { text: "done" },
    });
    const tools = context.tools(context.recallTools);
    const generate = (version === 6 ? ai6 : ai7).generateText as typeof ai6.generateText;
    const { steps } = await generate({ model, tools, prompt: "go", stopWhen: ai6.stepCountIs(3) });
    expectTold(steps[0]!.toolResults[0]!.output as string, handle);
    const sent = JSON.stringify(calls[1]?.prompt);
    expect(sent.split(DATA)).toHaveLength(2);
    expect(sent).toContain('"type":"content"');
  });

  it("reaches the other SDKs' models as an image where their tools may have one", async () => {
    const anthropic = anthropicContext({ window: 100_000 });
    const agents = agentsContext({ window: 100_000 });
    const inAnthropic = await holding(anthropic.archive);
    const inAgents = await holding(agents.archive);
    const [recall] = anthropic.tools(anthropic.recallTools);
    expect(await recall!.run({ handle: inAnthropic })).toEqual([
      { type: "text", text: expect.stringContaining("--media 1") as string },
      { type: "image", source: { type: "base64", media_type: "image/png", data: DATA } },
    ]);
    expect(tool(agents.recallTools[0]!).name).toBe("recall");
    expect(await agents.recallTools[0]!.execute({ handle: inAgents })).toEqual([
      { type: "text", text: expect.stringContaining("--media 1") as string },
      { type: "image", image: { mediaType: "image/png", data: DATA } },
    ]);
    expect(await recall!.run({ handle: "parts_0123456789abcdef" })).toContain("archive");
  });

  it("is a sentence for tools that answer with a text", async () => {
    const openai = openaiContext({ window: 100_000 });
    const archive = memoryArchive();
    const langchain = langchainContext({ window: 100_000, archive });
    const mastra = mastraContext({ window: 100_000 });
    const handle = await holding(openai.archive);
    await holding(archive);
    await holding(mastra.archive);
    expectTold(await openai.recallTools[0]!.function.function({ handle }), handle);
    const input = JSON.stringify({ handle });
    expectTold(await openai.responsesRecallTools[0]!.execute(input), handle);
    expectTold(await langchain.recallTools[0]!.invoke({ handle }), handle);
    const output = await mastra.recallTools.recall.execute({ handle });
    expectTold(output, handle);
    expect(await mastra.recallTools.recall.toModelOutput(output as never)).toEqual({
      type: "text",
      value: output,
    });
  });

  it("is told in the head of a conversation, and not searched, line by line", async () => {
    const { archive, recallTools } = aiSdkContext({ window: 100_000 });
    const messages = [
      { role: "user", parts: SCREEN },
      { role: "assistant", parts: [{ type: "text", text: "I see." }] },
    ];
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
    const { handle } = await archive.put("head", lines.join(""));
    const text = await recallTools.recall.execute({ handle });
    expect(text).not.toContain(DATA.slice(0, 20));
    expect(text.split("\n")[1]).toBe(lines[1]!.trimEnd());
    expect(text).toContain("30000 bytes");
    const found = await recallTools.search_archive.execute({ pattern: DATA.slice(100, 110) });
    expect(found).not.toContain(handle);
    expect(await recallTools.search_archive.execute({ pattern: "I see" })).toContain(handle);
  });

  it("by its link is told with the link, and texts stay as they were", async () => {
    const { archive, recallTools } = aiSdkContext({ window: 100_000 });
    const file = { type: "file", mediaType: "image/png", url: "https://example.com/a.png" };
    const linked = await archive.put("parts", JSON.stringify([file]));
    const text = await recallTools.recall.execute({ handle: linked.handle });
    expect(text).toContain("[image/png: it is at https://example.com/a.png]");
    const plain = JSON.stringify([{ type: "text", text: "half \ud83d of a pair" }]);
    const { handle } = await archive.put("parts", plain);
    expect(await recallTools.recall.execute({ handle })).toContain(plain);
    const broken = await archive.put("parts", "no JSON");
    expect(await recallTools.recall.execute({ handle: broken.handle })).toContain("no JSON");
  });
});
