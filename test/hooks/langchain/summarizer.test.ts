import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../../src/core/summary/index.ts";
import { harness, history } from "./requests.ts";

const GOOD = DEFAULT_COMPACTION_TEMPLATE.sections
  .map(({ heading, id }) => `${heading}\n${id === "goal" ? "A model wrote this." : "(none)"}`)
  .join("\n\n");

interface Call {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly config: { readonly tags: readonly string[]; readonly signal: AbortSignal };
}

/** A chat model that answers like this. */
function chatModel(answer: () => object) {
  const calls: Call[] = [];
  const model = {
    model: "claude-haiku-4-5",
    _llmType: () => "anthropic",
    async invoke(messages: never, config?: never): Promise<BaseMessage> {
      calls.push({ messages, config: config! });
      return new AIMessage(answer());
    },
  };
  return { calls, model };
}

const usage_metadata = {
  input_tokens: 900,
  output_tokens: 40,
  total_tokens: 940,
  input_token_details: { cache_read: 100 },
};

describe("a chat model as summarizer", () => {
  it("writes the summary, unseen by whoever watches the agent", async () => {
    const content = [
      { type: "thinking", thinking: "What happened?", signature: "s" },
      { type: "text", text: GOOD },
    ];
    const { calls, model } = chatModel(() => ({ content, usage_metadata }));
    const { ask, reports } = harness({ window: 32_000, summarizer: model });
    await ask({ messages: history(80) });
    const { summary } = reports.at(-1)!;
    expect(summary?.source).not.toBe("extractive");
    expect(summary?.sections["goal"]).toContain("A model wrote this.");
    expect(summary?.usage).toEqual({ input: 900, cached: 100, output: 40 });
    expect(summary?.calls[0]!.summarizer).toBe("anthropic:claude-haiku-4-5");
    expect(calls[0]!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(calls[0]!.config.tags).toContain("nostream");
    expect(calls[0]!.config.signal).toBeInstanceOf(AbortSignal);
  });

  it.each([
    ["that is cut off", { content: GOOD, response_metadata: { stop_reason: "max_tokens" } }],
    ["that calls a tool", { content: "", tool_calls: [{ id: "c", name: "read", args: {} }] }],
  ])("%s does not write it", async (_what, answer) => {
    const { model } = chatModel(() => answer);
    const { ask, reports } = harness({ window: 32_000, summarizer: model });
    await ask({ messages: history(80) });
    expect(reports.at(-1)!.summary?.source).toBe("extractive");
  });

  it("that fails leaves it to the facts, and its key is told to nobody", async () => {
    const key = "sk-very-secret-0123456789";
    process.env["LONGHAUL_TEST_API_KEY"] = key;
    const { model } = chatModel(() => {
      throw new Error(`401: ${key} is no key`);
    });
    const { ask, reports, failures } = harness({ window: 32_000, summarizer: model });
    await ask({ messages: history(80) });
    delete process.env["LONGHAUL_TEST_API_KEY"];
    expect(reports.at(-1)!.summary?.source).toBe("extractive");
    expect(JSON.stringify([reports, failures])).toContain("401");
    expect(JSON.stringify([reports, failures])).not.toContain(key);
  });
});
