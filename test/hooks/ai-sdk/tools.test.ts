import * as ai6 from "ai";
import * as ai7 from "ai7";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isTruncated } from "../../../src/core/truncate/index.ts";
import { aiSdkContext } from "../../../src/hooks/ai-sdk/index.ts";
import type { TruncatedEvent } from "../../../src/tools/index.ts";
import { fakeModel } from "./fake-model.ts";

const long = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1}\n`).join("");
const inputSchema = z.object({ path: z.string() });

function watched() {
  const context = aiSdkContext({ window: 32_000 });
  const truncated: TruncatedEvent[] = [];
  context.on("truncated", (event) => void truncated.push(event));
  return { context, truncated };
}

/** A chat in which every tool was called once, with these outputs. */
function chat(outputs: Readonly<Record<string, unknown>>): ai6.UIMessage[] {
  const parts = Object.entries(outputs).map(([name, output]) => ({
    type: `tool-${name}` as const,
    toolCallId: `call_${name}`,
    state: "output-available" as const,
    input: { path: "a" },
    output,
  }));
  return [
    { id: "1", role: "user", parts: [{ type: "text", text: "go" }] },
    { id: "2", role: "assistant", parts: [{ type: "step-start" }, ...parts] },
    { id: "3", role: "user", parts: [{ type: "text", text: "on" }] },
  ];
}

describe("tools", () => {
  it("cut what runs here when it runs, and an error's message, too", async () => {
    const { context, truncated } = watched();
    const tools = context.tools({
      read: ai6.tool({ inputSchema, execute: async () => long }),
      fail: ai6.tool({
        inputSchema,
        execute: async (): Promise<string> => {
          throw new Error(long);
        },
      }),
    });
    const { model, calls } = fakeModel({
      version: 6,
      answer: (_, index) =>
        index === 0
          ? { calls: ["read", "fail"].map((name) => ({ name, input: { path: "a" } })) }
          : { text: "done" },
    });
    const { steps } = await ai6.generateText({
      model,
      tools,
      prompt: "go",
      stopWhen: ai6.stepCountIs(5),
    });
    expect(isTruncated(steps[0]!.toolResults[0]!.output as string)).toBe(true);
    const sent = JSON.stringify(calls[1]!.prompt);
    expect(sent.length).toBeLessThan(long.length * 2);
    expect(sent.match(/<tool-output-truncated/g)).toHaveLength(2);
    expect(truncated).toHaveLength(2);
    expect(await context.recall(truncated[0]!.entry!.handle)).toBe(long);
  });

  it.each([
    { version: 6, convert: ai6.convertToModelMessages },
    { version: 7, convert: ai7.convertToModelMessages },
  ])("cut what ran elsewhere, every time the same: $version", async ({ convert }) => {
    const { context, truncated } = watched();
    const toModelOutput = ({ output }: { output: unknown }) => ({
      type: "text" as const,
      value: (output as { log: string }).log,
    });
    const tools = context.tools({
      browser: { inputSchema },
      picture: { inputSchema, toModelOutput },
      small: { inputSchema },
    });
    const messages = chat({ browser: long, picture: { log: long }, small: { ok: true } });
    const convertAll = convert as typeof ai6.convertToModelMessages;
    const first = await convertAll(messages, { tools });
    const second = await convertAll(messages, { tools });
    expect(second).toEqual(first);
    expect(JSON.stringify(first).match(/<tool-output-truncated/g)).toHaveLength(2);
    expect(JSON.stringify(first)).toContain('{"type":"json","value":{"ok":true}}');
    expect(truncated.map(({ toolName }) => toolName)).toEqual(["browser", "picture"]);
    expect(await context.recall(truncated[0]!.entry!.handle)).toBe(long);
  });

  it("leave the provider's own tools, and what is no tool, as they are", () => {
    const { context } = watched();
    const search = { type: "provider", id: "openai.web_search", args: {}, inputSchema };
    const older = { type: "provider-defined", id: "openai.web_search", args: {} };
    const tools = context.tools({ search, older, odd: undefined });
    expect(tools).toEqual({ search, older, odd: undefined });
    expect(tools.search).toBe(search);
  });

  it("are the same tools when they are given twice", () => {
    const { context } = watched();
    const once = context.tools({ read: { inputSchema, execute: async () => long } });
    expect(context.tools(once).read).toBe(once.read);
  });
});

describe("recall tools", () => {
  it.each([6, 7] as const)("are tools of version %s", async (version) => {
    const { context } = watched();
    const { handle } = await context.archive.put("out", "the needle is here\n");
    const { model, calls } = fakeModel({
      version,
      answer: (_, index) =>
        [
          { calls: [{ name: "search_archive", input: { pattern: "needle" } }] },
          { calls: [{ name: "recall", input: { handle } }] },
          { calls: [{ name: "recall", input: { handle: 3 } }] },
        ][index] ?? { text: "done" },
    });
    const settings = { model, tools: { ...context.recallTools }, prompt: "go" };
    const { text } =
      version === 6
        ? await ai6.generateText({ ...settings, stopWhen: ai6.stepCountIs(9) })
        : await ai7.generateText({ ...settings, stopWhen: ai7.isStepCount(9) });
    expect(text).toBe("done");
    const results = calls.at(-1)!.prompt.filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining("the needle is here"),
      expect.stringContaining("the needle is here"),
      expect.stringContaining("handle must be of type string"),
    ]);
    expect(calls[0]!.tools).toMatchObject([
      { name: "recall", inputSchema: { type: "object" } },
      { name: "search_archive", inputSchema: { required: expect.arrayContaining(["pattern"]) } },
    ]);
  });
});
