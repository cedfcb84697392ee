import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { LangChainMessage } from "../../../src/dialects/langchain/wire.ts";
import type { DialectFixtures } from "../../conformance/describe-dialect.ts";

/** The SDK's types know the blocks of no provider. */
function answer(fields: object): AIMessage {
  return new AIMessage(fields);
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

export const ask = new HumanMessage({ id: "h1", content: "Fix the build." });
const call = { id: "call_1", name: "read", args: { path: "a.ts" }, type: "tool_call" as const };
const callOne = new AIMessage({ id: "a1", content: "", tool_calls: [call] });
const resultOne = new ToolMessage({ content: "ok", tool_call_id: "call_1", name: "read" });

/** As `@langchain/anthropic` makes them: blocks, and the same calls in `tool_calls`. */
export const anthropicAnswer = answer({
  id: "msg_1",
  content: [
    { type: "thinking", thinking: "I must read it.", signature: "c2ln" },
    { type: "redacted_thinking", data: "c2VhbGVk" },
    { type: "text", text: "I read it." },
    { type: "tool_use", id: "call_1", name: "read", input: { path: "a.ts" } },
  ],
  tool_calls: [call],
  usage_metadata: {
    input_tokens: 120,
    output_tokens: 8,
    total_tokens: 128,
    input_token_details: { cache_read: 100, cache_creation: 5 },
  },
});

/** Streamed: the input of the call is in pieces, and whole in `tool_calls`. */
export const streamedAnswer = new AIMessageChunk({
  id: "msg_2",
  content: [
    { type: "text", text: "I write it.", index: 0 },
    { type: "tool_use", id: "call_1", name: "write", input: "", index: 1 },
    { type: "input_json_delta", input: '{"path": "a.ts", "content": "x"}', index: 1 },
  ],
  tool_call_chunks: [
    {
      type: "tool_call_chunk",
      id: "call_1",
      name: "write",
      args: '{"path": "a.ts", "content": "x"}',
      index: 1,
    },
  ],
});

/** As `@langchain/openai` makes them of the Responses API. */
export const responsesAnswer = new AIMessage({
  id: "msg_3",
  content: [{ type: "text", text: "I read it.", annotations: [] }],
  tool_calls: [call],
  additional_kwargs: {
    reasoning: {
      id: "rs_1",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Read." }],
      encrypted_content: "c2VhbGVk",
    },
    __openai_function_call_ids__: { call_1: "fc_1" },
  },
  response_metadata: {
    model_provider: "openai",
    output: [
      { type: "reasoning", id: "rs_1" },
      { type: "message", id: "msg_3" },
    ],
  },
});

/** As Chat Completions and the servers that imitate it come back. */
export const chatAnswer = new AIMessage({
  content: "",
  tool_calls: [call],
  additional_kwargs: {
    reasoning_content: "I must read it.",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } },
    ],
  },
});

/** The standard blocks of version 1. */
const standardAnswer = new AIMessage({
  contentBlocks: [
    { type: "reasoning", reasoning: "Read first." },
    { type: "text", text: "I read it." },
    { type: "tool_call", id: "call_1", name: "read", args: { path: "a.ts" } },
  ],
});

const legal: Record<string, LangChainMessage[]> = {
  "system messages and names": [
    new SystemMessage("Be brief."),
    new SystemMessage({ content: [{ type: "text", text: "Use tools." }] }),
    new HumanMessage({ content: "hi", name: "alice" }),
    new HumanMessage("still there?"),
    new AIMessage({ content: "yes", name: "model" }),
    new SystemMessage("Ten minutes left."),
    new ChatMessage({ role: "user", content: "Hurry." }),
    new HumanMessage(""),
  ],
  "a step, its failure and an artifact": [
    ask,
    callOne,
    new ToolMessage({
      content: "Error: ENOENT",
      tool_call_id: "call_1",
      status: "error",
      artifact: { raw: [1, 2] },
    }),
    new AIMessage("It is not there."),
  ],
  "blocks of Anthropic": [ask, anthropicAnswer, resultOne, new AIMessage("Done.")],
  "a streamed answer": [ask, streamedAnswer, resultOne],
  "OpenAI's items": [ask, responsesAnswer, resultOne],
  "the thinking of DeepSeek": [ask, chatAnswer, resultOne],
  "standard blocks": [ask, standardAnswer, resultOne],
  "parallel calls and a call nobody could read": [
    ask,
    new AIMessage({
      content: "Two at once.",
      tool_calls: [call, { ...call, id: "call_2" }],
      invalid_tool_calls: [
        { id: "call_3", name: "read", args: '{"path', error: "Malformed args." },
      ],
    }),
    new ToolMessage({ content: [{ type: "text", text: "b" }], tool_call_id: "call_2" }),
    resultOne,
  ],
  "an id that is used again": [ask, callOne, resultOne, ask, callOne, resultOne],
  "media and blocks nobody knows": [
    new HumanMessage({
      content: [
        { type: "text", text: "Look:" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: "image_url", image_url: "https://example.com/a.png" },
        { type: "image", mimeType: "image/png", data: PNG },
        { type: "image", source_type: "base64", mime_type: "image/png", data: PNG },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        { type: "file", mimeType: "application/pdf", url: "https://example.com/a.pdf" },
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        { type: "image", fileId: "file_1" },
      ],
    }),
    new AIMessage({
      content: [
        { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
        { type: "text", text: "Found." },
      ],
    }),
  ],
  "plain objects": [
    { type: "system", content: "Be brief." },
    { type: "human", content: "hi" },
    { type: "ai", content: "", tool_calls: [call] } as LangChainMessage,
    { type: "tool", content: "ok", tool_call_id: "call_1" } as LangChainMessage,
  ],
};

export const langchainFixtures: DialectFixtures<readonly LangChainMessage[], LangChainMessage> = {
  legal,
  illegal: [
    { rule: "empty-conversation", conversation: [] },
    { rule: "unknown-type", conversation: [{ type: "remove", content: [] }] },
    { rule: "content-shape", conversation: [{ type: "human", content: 7 }] },
    { rule: "content-block", conversation: [{ type: "human", content: [{ text: "a" }] }] },
    {
      rule: "missing-tool-call-id",
      conversation: [ask, { type: "ai", content: "", tool_calls: [{ name: "read", args: {} }] }],
    },
    {
      rule: "tool-call-args",
      conversation: [ask, { type: "ai", content: "", tool_calls: [{ ...call, args: "x" }] }],
    },
    {
      rule: "duplicate-tool-call-id",
      conversation: [ask, new AIMessage({ content: "", tool_calls: [call, call] }), resultOne],
    },
    { rule: "unpaired-tool-result", conversation: [ask, resultOne] },
    { rule: "duplicate-tool-result", conversation: [ask, callOne, resultOne, resultOne] },
    { rule: "unanswered-tool-call", conversation: [ask, callOne, ask] },
    { rule: "late-tool-result", conversation: [ask, callOne, ask, resultOne] },
  ],
  malformed: {
    "no array": { messages: [] },
    "no objects": ["hi"],
    "an unknown type": [{ type: "robot", content: "hi" }],
    "a RemoveMessage": [{ type: "remove", id: "h1", content: [] }],
    "content of another kind": [{ type: "human", content: 7 }],
    "a block without a type": [{ type: "human", content: [{ text: "hi" }] }],
    "a call without an id": [{ type: "ai", content: "", tool_calls: [{ name: "read", args: {} }] }],
    "calls that are no array": [{ type: "ai", content: "", tool_calls: {} }],
    "a result without a call id": [{ type: "tool", content: "ok" }],
  },
  natives: (conversation) => conversation,
};
