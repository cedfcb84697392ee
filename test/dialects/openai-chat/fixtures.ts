import type { ChatMessage } from "../../../src/dialects/openai-chat/wire.ts";
import type { DialectFixtures } from "../../conformance/describe-dialect.ts";

const PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

function call(id: string, args = '{"path": "a.ts"}', name = "read") {
  return { id, type: "function", function: { name, arguments: args } };
}

const ask: ChatMessage = { role: "user", content: "Fix the build." };
const callOne: ChatMessage = { role: "assistant", content: null, tool_calls: [call("call_1")] };
const resultOne: ChatMessage = { role: "tool", tool_call_id: "call_1", content: "ok" };

/** Wire shapes as the API, DeepSeek, OpenRouter and local servers send and take them. */
const legal = {
  "system, developer and names": [
    { role: "system", content: "Be brief." },
    { role: "developer", content: [{ type: "text", text: "Use tools." }], name: "host" },
    { role: "user", content: "hi", name: "alice" },
    { role: "user", content: "still there?" },
    { role: "assistant", content: "yes", name: "bot" },
    { role: "system", content: "Ten minutes left." },
    { role: "user", content: "" },
  ],
  "parallel calls and odd arguments": [
    ask,
    {
      role: "assistant",
      content: "",
      tool_calls: [
        call("call_1", '{ "path":"a.ts" , "n": 1.0, "big": 12345678901234567890 }'),
        call("call_2", '{"path": "b.ts'),
        call("call_3", ""),
      ],
    },
    { role: "tool", tool_call_id: "call_2", content: "b" },
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "a" }] },
    { role: "tool", tool_call_id: "call_3", content: "", name: "read" },
    { role: "assistant", content: "Done." },
  ],
  "an id that is used again": [ask, callOne, resultOne, ask, { ...callOne }, { ...resultOne }],
  "reasoning fields of DeepSeek and OpenRouter": [
    ask,
    { ...callOne, reasoning_content: "I must read it." } as ChatMessage,
    resultOne,
    {
      ...callOne,
      reasoning: "And again.",
      reasoning_details: [{ type: "reasoning.encrypted", data: "c2VhbGVk" }],
      tool_calls: [{ ...call("call_9"), extra_content: { google: { thought_signature: "c2ln" } } }],
    } as ChatMessage,
    { role: "tool", tool_call_id: "call_9", content: "ok" },
    {
      role: "assistant",
      content: "Read.",
      reasoning_details: [{ type: "reasoning.text", text: "Done?", signature: "c2ln" }],
    } as ChatMessage,
  ],
  "media and parts nobody knows": [
    {
      role: "user",
      content: [
        { type: "text", text: "Look:" },
        { type: "image_url", image_url: { url: PNG, detail: "low" } },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        {
          type: "file",
          file: { file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" },
        },
        { type: "file", file: { file_id: "file-1" } },
        { type: "video_url", video_url: { url: "https://example.com/a.mp4" } },
      ],
    },
    { role: "assistant", content: [{ type: "refusal", refusal: "I cannot watch videos." }] },
  ],
  "refusal, audio, custom tools and the legacy function call": [
    ask,
    { role: "assistant", content: null, refusal: "No." },
    { role: "user", content: "Please." },
    { role: "assistant", content: null, audio: { id: "audio_1" } } as ChatMessage,
    { role: "user", content: "Use the tool." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_c", type: "custom", custom: { name: "sql", input: "select 1" } }],
    },
    { role: "tool", tool_call_id: "call_c", content: "1" },
    { role: "assistant", content: null, function_call: { name: "now", arguments: "{}" } },
    { role: "function", name: "now", content: "12:00" },
    { role: "assistant", content: null, function_call: { name: "day", arguments: "{}" } },
    { role: "function", name: "day", content: "Monday" },
  ],
} satisfies Record<string, readonly ChatMessage[]>;

const illegal = [
  { rule: "empty-conversation", conversation: [] },
  { rule: "unknown-role", conversation: [{ role: "model", content: "hi" }] },
  { rule: "unanswered-tool-call", conversation: [ask, callOne] },
  { rule: "unanswered-tool-call", conversation: [ask, callOne, ask, resultOne] },
  { rule: "unpaired-tool-result", conversation: [ask, resultOne] },
  { rule: "unpaired-tool-result", conversation: [ask, callOne, resultOne, ask, resultOne] },
  { rule: "duplicate-tool-result", conversation: [ask, callOne, resultOne, resultOne] },
  {
    rule: "duplicate-tool-call-id",
    conversation: [
      ask,
      { role: "assistant", tool_calls: [call("call_1"), call("call_1")] },
      resultOne,
    ],
  },
  {
    rule: "missing-tool-call-id",
    conversation: [ask, { role: "assistant", tool_calls: [{ type: "function" }] }],
  },
  {
    rule: "empty-tool-calls",
    conversation: [ask, { role: "assistant", content: "", tool_calls: [] }],
  },
  {
    rule: "tool-arguments",
    conversation: [
      ask,
      {
        role: "assistant",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "a", arguments: {} } }],
      },
      resultOne,
    ],
  },
  {
    rule: "tool-name",
    conversation: [
      ask,
      { role: "assistant", tool_calls: [call("call_1", "{}", "functions.read")] },
      resultOne,
    ],
  },
  { rule: "missing-content", conversation: [ask, { role: "assistant", content: null }] },
  { rule: "missing-content", conversation: [{ role: "user" }] },
  { rule: "empty-content", conversation: [{ role: "user", content: [] }] },
  {
    rule: "content-part",
    conversation: [
      ask,
      callOne,
      {
        role: "tool",
        tool_call_id: "call_1",
        content: [{ type: "image_url", image_url: { url: PNG } }],
      },
    ],
  },
  { rule: "content-part", conversation: [{ role: "user", content: [{ type: "text", text: 1 }] }] },
  {
    rule: "tool-call-type",
    conversation: [
      ask,
      { role: "assistant", content: null, tool_calls: [{ ...call("call_1"), type: "tool" }] },
      resultOne,
    ],
  },
  { rule: "message-name", conversation: [{ role: "user", content: "hi", name: "a b" }] },
  { rule: "message-name", conversation: [ask, { role: "function", content: "hi" }] },
];

const malformed = {
  "an object": { messages: [] },
  "a message that is a string": ["hi"],
  "an unknown role": [{ role: "model", content: "hi" }],
  "content that is a number": [{ role: "user", content: 7 }],
  "a part without a type": [{ role: "user", content: [{ text: "hi" }] }],
  "a text part without text": [{ role: "user", content: [{ type: "text" }] }],
  "a tool message without a call id": [{ role: "tool", content: "hi" }],
  "tool_calls that are an object": [{ role: "assistant", tool_calls: {} }],
  "a tool call without a function": [{ role: "assistant", tool_calls: [{ id: "call_1" }] }],
};

export const openaiChatFixtures: DialectFixtures<readonly ChatMessage[], ChatMessage> = {
  legal,
  illegal,
  malformed,
  natives: (conversation) => conversation,
};
