import { generateText, jsonSchema, type ModelMessage, tool } from "ai";
import {
  generateText as generateText7,
  jsonSchema as jsonSchema7,
  type ModelMessage as ModelMessage7,
  tool as tool7,
} from "ai7";
import { describe, expect, it } from "vitest";
import { modelPrompt, modelTools } from "../../../src/dialects/ai-sdk/model-prompt.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const anthropic = { cacheControl: { type: "ephemeral" } };

interface CallOptions {
  readonly prompt?: unknown;
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
}

/** A model that keeps what the SDK hands to it. */
function listeningModel(specificationVersion: "v2" | "v3" | "v4") {
  const heard: CallOptions[] = [];
  const model = {
    specificationVersion,
    provider: "test",
    modelId: "listener",
    // Nothing is downloaded.
    supportedUrls: { "*": [/.*/], "*/*": [/.*/] },
    doGenerate: async (options: CallOptions) => {
      heard.push(options);
      return {
        content: [{ type: "text", text: "Yes." }],
        finishReason: specificationVersion === "v2" ? "stop" : { unified: "stop", raw: "stop" },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error("not used")),
  };
  return { model: model as never, heard };
}

/** What is JSON of it: absent and undefined fields are the same, bytes and URLs are text. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

const both: ModelMessage[] = [
  { role: "user", content: "Hello." },
  { role: "assistant", content: "Hi." },
  {
    role: "user",
    content: [
      { type: "text", text: "Look:", providerOptions: { anthropic } },
      { type: "text", text: "" },
      { type: "image", image: PIXEL, mediaType: "image/png" },
      { type: "image", image: `data:image/png;base64,${PIXEL}` },
      { type: "image", image: new URL("https://example.com/a.png"), mediaType: "image/png" },
      { type: "file", data: "JVBERi0xLjQ=", mediaType: "application/pdf", filename: "a.pdf" },
      { type: "file", data: "https://example.com/b.pdf", mediaType: "application/pdf" },
    ],
    providerOptions: { anthropic },
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "abc" } } },
      { type: "text", text: "" },
      { type: "tool-call", toolCallId: "1", toolName: "read", input: { path: "a" } },
      { type: "tool-call", toolCallId: "2", toolName: "read", input: { path: "b" } },
      { type: "tool-call", toolCallId: "3", toolName: "read", input: { path: "c" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "1",
        toolName: "read",
        output: { type: "text", value: "A" },
      },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "2",
        toolName: "read",
        output: {
          type: "content",
          value: [
            { type: "text", text: "a picture" },
            { type: "image-data", data: PIXEL, mediaType: "image/png" },
            { type: "file-data", data: "AAAA", mediaType: "application/pdf" },
            { type: "image-url", url: "https://example.com/c.png" },
          ],
        },
      },
      {
        type: "tool-result",
        toolCallId: "3",
        toolName: "read",
        output: { type: "error-json", value: { code: 1 } },
        providerOptions: { anthropic },
      },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "Done." }] },
  { role: "user", content: [{ type: "text", text: "Thanks." }] },
];

describe("a prompt is what the SDK itself makes of the messages", () => {
  it("version 6", async () => {
    const { model, heard } = listeningModel("v3");
    await generateText({ model, messages: both });
    expect(plain(modelPrompt(both as never, "v3"))).toEqual(plain(heard[0]!.prompt));
  });

  it("version 7", async () => {
    const { model, heard } = listeningModel("v4");
    await generateText7({ model, messages: both as ModelMessage7[] });
    expect(plain(modelPrompt(both as never, "v4"))).toEqual(plain(heard[0]!.prompt));
  });

  it("version 7, with the parts that are new in it", async () => {
    const { model, heard } = listeningModel("v4");
    const messages: ModelMessage7[] = [
      {
        role: "user",
        content: [
          { type: "file", data: { type: "data", data: PIXEL }, mediaType: "image/png" },
          {
            type: "file",
            data: { type: "url", url: new URL("https://example.com/d.pdf") },
            mediaType: "application/pdf",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "custom", kind: "openai.compaction", providerOptions: { openai: { id: "1" } } },
          { type: "tool-call", toolCallId: "1", toolName: "read", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "1",
            toolName: "read",
            output: {
              type: "content",
              value: [
                { type: "file", data: { type: "data", data: PIXEL }, mediaType: "image/png" },
              ],
            },
          },
        ],
      },
    ];
    await generateText7({ model, messages });
    expect(plain(modelPrompt(messages as never, "v4"))).toEqual(plain(heard[0]!.prompt));
  });
});

describe("what a model cannot take", () => {
  const result = (output: unknown) =>
    [
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "1", toolName: "read", output }],
      },
    ] as never;
  const outputOf = (prompt: readonly { readonly content: string | readonly unknown[] }[]) =>
    (prompt[0]!.content[0] as { readonly output: unknown }).output;

  it("version 2 has media and denials in its own words", () => {
    const content = [
      { type: "image-data", data: PIXEL, mediaType: "image/png" },
      { type: "file-url", url: "https://example.com/a.pdf" },
    ];
    expect(outputOf(modelPrompt(result({ type: "content", value: content }), "v2"))).toEqual({
      type: "content",
      value: [
        { type: "media", data: PIXEL, mediaType: "image/png" },
        { type: "text", text: "[file: https://example.com/a.pdf]" },
      ],
    });
    expect(outputOf(modelPrompt(result({ type: "execution-denied" }), "v2"))).toEqual({
      type: "text",
      value: "Tool execution denied.",
    });
  });

  it("files that only a provider can look up are named", () => {
    const content = [{ type: "file-id", fileId: "file-1" }];
    expect(outputOf(modelPrompt(result({ type: "content", value: content }), "v3"))).toEqual({
      type: "content",
      value: [{ type: "text", text: "[file-id, not shown here]" }],
    });
  });

  it("approvals stay with the SDK, and no empty message is left", () => {
    const messages = [
      { role: "assistant", content: [{ type: "text", text: "May I?" }] },
      {
        role: "tool",
        content: [{ type: "tool-approval-response", approvalId: "1", approved: true }],
      },
    ] as never;
    expect(modelPrompt(messages, "v3")).toHaveLength(1);
  });
});

describe("tools are what the SDK itself makes of them", () => {
  const execute = (): string => "";
  const schema = { type: "object", properties: { path: { type: "string" } } } as const;

  it("version 6", async () => {
    const { model, heard } = listeningModel("v3");
    const tools = {
      read: tool({
        execute,
        description: "Reads.",
        inputSchema: jsonSchema<{ path: string }>(schema),
        strict: true,
      }),
      list: tool({
        execute,
        inputSchema: jsonSchema<{ path: string }>(schema),
        providerOptions: { anthropic },
      }),
    };
    await generateText({ model, prompt: "Hello.", tools });
    expect(plain(await modelTools(tools, "v3"))).toEqual(plain(heard[0]!.tools));
    expect(heard[0]!.toolChoice).toEqual({ type: "auto" });
    // A middleware sees them in this form.
    expect(await modelTools(heard[0]!.tools, "v3")).toEqual(heard[0]!.tools);
  });

  it("version 7", async () => {
    const { model, heard } = listeningModel("v4");
    const tools = {
      read: tool7({
        execute,
        description: "Reads.",
        inputSchema: jsonSchema7<{ path: string }>(schema),
      }),
    };
    await generateText7({ model, prompt: "Hello.", tools });
    expect(plain(await modelTools(tools, "v4"))).toEqual(plain(heard[0]!.tools));
  });

  it("a tool of the provider", async () => {
    const search = { type: "provider", id: "anthropic.web_search", args: { maxUses: 1 } };
    expect(await modelTools({ search }, "v3")).toEqual([{ ...search, name: "search" }]);
    expect(await modelTools({ search }, "v2")).toEqual([
      { ...search, name: "search", type: "provider-defined" },
    ]);
  });

  it.each([
    ["a schema of a library", { read: { inputSchema: { safeParse: () => true } } }],
    ["another API's tools", [{ type: "function", function: { name: "read" } }]],
    ["a text", "read"],
    ["a list of texts", ["read"]],
    ["a set of texts", { read: "read" }],
  ])("%s is not known", async (_, tools) => {
    expect(await modelTools(tools, "v3")).toBeUndefined();
  });
});
