import { describe, expect, it } from "vitest";
import { offlineModel } from "../../examples/coding-agent/offline/model.ts";
import { promptProblem } from "../../examples/coding-agent/offline/prompt-problem.ts";
import { repair } from "../../examples/coding-agent/offline/repair.ts";
import type { ModelOptions } from "../../examples/coding-agent/offline/types.ts";
import { recogniseOverflow } from "../../src/core/overflow/index.ts";

type Prompt = ModelOptions["prompt"];

const user: Prompt[number] = { role: "user", content: [{ type: "text", text: "go" }] };
const call = (toolCallId: string): Prompt[number] => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName: "bash", input: {} }],
});
const result = (toolCallId: string): Prompt[number] => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId, toolName: "bash", output: { type: "text", value: "x" } },
  ],
});

describe("the offline model is as strict as a provider", () => {
  const empty: Prompt[number] = { role: "user", content: [{ type: "text", text: " " }] };
  const cases: readonly {
    readonly name: string;
    readonly prompt: Prompt;
    readonly says?: string;
  }[] = [
    { name: "a step", prompt: [user, call("a"), result("a")] },
    { name: "no result", prompt: [user, call("a"), user], says: "the call a has no result" },
    {
      name: "no result at the end",
      prompt: [user, call("a"), result("a"), call("b"), user],
      says: "b has no result",
    },
    { name: "no call", prompt: [user, result("a")], says: "the result a has no call before it" },
    {
      name: "twice",
      prompt: [user, call("a"), result("a"), call("a"), result("a")],
      says: "twice",
    },
    { name: "empty text", prompt: [empty], says: "message 0 has an empty text" },
    { name: "no content", prompt: [user, { role: "tool", content: [] }], says: "no content" },
    { name: "no user", prompt: [call("a"), result("a")], says: "first message" },
    {
      name: "prefill",
      prompt: [user, { role: "assistant", content: [{ type: "text", text: "x" }] }],
      says: "last message",
    },
    {
      name: "system",
      prompt: [user, { role: "system", content: "x" }, user],
      says: "system message between",
    },
  ];

  it.each(cases)("$name", ({ prompt, says }) => {
    if (says === undefined) expect(promptProblem(prompt)).toBeUndefined();
    else expect(promptProblem(prompt)).toContain(says);
  });

  it("refuses a prompt that is too long in a way that is known as an overflow", async () => {
    const model = offlineModel({ window: 1_000, delayMs: 0 });
    const ask = async (words: number): Promise<unknown> => {
      const text = "word ".repeat(words);
      const prompt: Prompt = [{ role: "user", content: [{ type: "text", text }] }];
      return model.doGenerate({ prompt, maxOutputTokens: 100 });
    };
    await expect(ask(800)).resolves.toBeDefined();
    const error: unknown = await ask(900).catch((error: unknown) => error);
    expect(error).toMatchObject({ statusCode: 400 });
    expect(recogniseOverflow(error)).toMatchObject({ limit: 1_000 });
  });
});

describe("the rule of the person", () => {
  const found = "src/money.js:12:  return …\nsrc/legacy.js:31:  const …\n";
  const seen = (text: string) => ({ text, latest: found, outputs: [], step: 5, isSubAgent: false });
  const changed = (text: string): unknown[] =>
    repair(5, seen(text)).calls.map(([, { path }]) => path);

  it("is what keeps the model from changing a file: it does what it sees", () => {
    expect(changed("Never change src/legacy.js: it is compared")).toEqual(["src/money.js"]);
    expect(changed("nothing of the kind")).toEqual(["src/money.js", "src/legacy.js"]);
  });
});
