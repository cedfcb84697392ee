import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import { z } from "zod";
import { createContext } from "../../src/context/index.ts";
import { wrapTools } from "../../src/tools/index.ts";

const long = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1}\n`).join("");
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

test("the SDK sends the model what a wrapped tool left, and a context has the whole", async () => {
  const context = createContext();
  const inputSchema = z.object({ path: z.string() });
  const tools = wrapTools(
    {
      read: tool({ inputSchema, execute: async ({ path }) => `${path}\n${long}` }),
      watch: tool({
        inputSchema,
        async *execute() {
          yield "starting";
          yield long;
        },
      }),
    },
    context.truncation,
  );
  const call = (toolName: string): object => ({
    type: "tool-call",
    toolCallId: `call-${toolName}`,
    toolName,
    input: '{"path":"a.txt"}',
  });
  let step = 0;
  const model = new MockLanguageModelV3({
    doGenerate: async () =>
      (step++ === 0
        ? {
            content: [call("read"), call("watch")],
            finishReason: { unified: "tool-calls", raw: "tool-calls" },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: "text", text: "ok" }],
            finishReason: { unified: "stop", raw: "stop" },
            usage,
            warnings: [],
          }) as never,
  });
  await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(3) });
  const sent = JSON.stringify(model.doGenerateCalls[1]?.prompt);
  expect(sent.match(/<tool-output-truncated/g)).toHaveLength(2);
  const handles = [...sent.matchAll(/archived=\\"(\w+)/g)].map((match) => match[1] ?? "");
  const originals = await Promise.all(handles.map((handle) => context.recall(handle)));
  expect(originals).toEqual([`a.txt\n${long}`, long]);
});
