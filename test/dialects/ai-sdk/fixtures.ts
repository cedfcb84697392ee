import { type Message, withParts } from "../../../src/core/message/index.ts";
import type { AiSdkMessage } from "../../../src/dialects/ai-sdk/wire.ts";
import type { DialectFixtures } from "../../conformance/describe-dialect.ts";

const call = (toolCallId: string, input: unknown = { path: "a.ts" }) => ({
  type: "tool-call",
  toolCallId,
  toolName: "read",
  input,
});
const result = (toolCallId: string, output: unknown = { type: "text", value: "ok" }) => ({
  type: "tool-result",
  toolCallId,
  toolName: "read",
  output,
});

const ask = { role: "user", content: "Fix the build." };
const callOne = { role: "assistant", content: [call("call_1")] };
const resultOne = { role: "tool", content: [result("call_1")] };
const cached = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };

/** `ModelMessage` as versions 6 and 7 of the SDK make and take it. */
const shapes = {
  "strings and leading system messages": [
    { role: "system", content: "Be brief.", ...cached },
    { role: "system", content: "Today is Monday." },
    { role: "user", content: "hi" },
    { role: "user", content: "still there?" },
    { role: "assistant", content: "yes" },
  ],
  "parallel calls, every output shape and provider options": [
    ask,
    {
      role: "assistant",
      content: [
        {
          type: "reasoning",
          text: "Read all.",
          providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "c2VhbGVk" } },
        },
        {
          type: "text",
          text: "Reading.",
          providerOptions: { openai: { itemId: "msg_1", phase: "commentary" } },
        },
        { ...call("c1"), providerOptions: { openai: { itemId: "fc_1" } } },
        { ...call("c2"), ...cached },
        call("c3", "free text"),
        call("c4"),
        call("c5"),
        call("c6"),
      ],
    },
    {
      role: "tool",
      content: [
        { ...result("c1"), ...cached },
        result("c2", { type: "json", value: { lines: [1, 2] }, ...cached }),
        result("c3", { type: "error-text", value: "no such file" }),
        result("c4", { type: "error-json", value: { code: 2 } }),
        result("c5", { type: "execution-denied", reason: "not now" }),
      ],
      ...cached,
    },
    {
      role: "tool",
      content: [
        result("c6", {
          type: "content",
          value: [
            { type: "text", text: "see" },
            { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" },
            {
              type: "file-data",
              data: "JVBERg==",
              mediaType: "application/pdf",
              filename: "a.pdf",
            },
            { type: "image-url", url: "https://example.com/a.png" },
            { type: "file-id", fileId: "file_1" },
            { type: "custom", providerOptions: { anthropic: { type: "tool-reference" } } },
          ],
        }),
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Done." }], ...cached },
  ],
  "an id that is used again": [ask, callOne, resultOne, { ...callOne }, { ...resultOne }],
  "files as text, bytes and URLs": [
    {
      role: "user",
      content: [
        { type: "text", text: "Look:" },
        { type: "image", image: "iVBORw0KGgo=" },
        { type: "image", image: new URL("https://example.com/a.png"), mediaType: "image/png" },
        { type: "file", data: new Uint8Array([37, 80, 68, 70]), mediaType: "application/pdf" },
        {
          type: "file",
          data: "data:text/plain;base64,aGk=",
          mediaType: "text/plain",
          filename: "a",
        },
        { type: "file", data: "https://example.com/b.pdf", mediaType: "application/pdf" },
      ],
    },
    {
      role: "assistant",
      content: [{ type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" }],
    },
  ],
  "provider-executed tools and approvals": [
    ask,
    {
      role: "assistant",
      content: [
        { ...call("srv_1"), toolName: "web_search", providerExecuted: true },
        { ...result("srv_1", { type: "json", value: [] }), toolName: "web_search" },
        { type: "text", text: "Found nothing; may I delete it?" },
        call("call_1"),
        { type: "tool-approval-request", approvalId: "ap_1", toolCallId: "call_1" },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: "ap_1", approved: true }],
    },
    resultOne,
  ],
};

/** What only version 7 knows. */
const newerShapes = {
  "custom parts, reasoning files and tagged data": [
    {
      role: "user",
      content: [
        { type: "file", data: { type: "data", data: "iVBORw0KGgo=" }, mediaType: "image" },
        {
          type: "file",
          data: { type: "url", url: new URL("https://e.com/a") },
          mediaType: "image",
        },
        { type: "file", data: { type: "text", text: "hi" }, mediaType: "text/plain" },
        {
          type: "file",
          data: { type: "reference", reference: { openai: "f" } },
          mediaType: "image",
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "custom", kind: "openai.compaction", providerOptions: { openai: { id: "cmp_1" } } },
        { type: "reasoning-file", data: "iVBORw0KGgo=", mediaType: "image/png" },
        { type: "text", text: "Ready." },
      ],
    },
  ],
};

const illegal = [
  { rule: "empty-conversation", conversation: [] },
  { rule: "unknown-role", conversation: [{ role: "developer", content: "hi" }] },
  { rule: "unanswered-tool-call", conversation: [ask, callOne] },
  { rule: "unanswered-tool-call", conversation: [ask, callOne, ask, resultOne] },
  {
    rule: "unanswered-tool-call",
    conversation: [
      ask,
      { role: "assistant", content: [call("call_1"), call("call_2")] },
      resultOne,
    ],
  },
  { rule: "unpaired-tool-result", conversation: [ask, resultOne] },
  { rule: "duplicate-tool-result", conversation: [ask, callOne, resultOne, resultOne] },
  {
    rule: "duplicate-tool-call-id",
    conversation: [
      ask,
      { role: "assistant", content: [call("call_1"), call("call_1")] },
      resultOne,
    ],
  },
  { rule: "system-not-leading", conversation: [ask, { role: "system", content: "hi" }] },
  { rule: "content-shape", conversation: [{ role: "system", content: [] }] },
  { rule: "content-shape", conversation: [{ role: "tool", content: "hi" }] },
  { rule: "content-part", conversation: [{ role: "user", content: [call("call_1")] }] },
  {
    rule: "tool-message-content",
    conversation: [
      ask,
      callOne,
      resultOne,
      { role: "tool", content: [{ type: "text", text: "a" }] },
    ],
  },
  ...[
    undefined,
    "ok",
    { type: "plain", value: "a" },
    { type: "text" },
    { type: "content", value: "a" },
  ].map((output) => ({
    rule: "tool-output-shape",
    conversation: [ask, callOne, { role: "tool", content: [{ ...result("call_1"), output }] }],
  })),
];

const malformed = {
  "an object": { messages: [] },
  "a message that is a number": [7],
  "an unknown role": [{ role: "developer", content: "hi" }],
  "content that is null": [{ role: "assistant", content: null }],
  "a part without a type": [{ role: "user", content: [{ text: "hi" }] }],
  "a call without a name": [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", input: {} }] },
  ],
  "a result without an output": [
    { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "b" }] },
  ],
  "a result with an unknown output": [
    { role: "tool", content: [result("call_1", { type: "plain", value: "a" })] },
  ],
};

export const olderFixtures = shapes as unknown as Record<string, readonly AiSdkMessage[]>;
export const newerFixtures = newerShapes as unknown as Record<string, readonly AiSdkMessage[]>;

export const aiSdkFixtures: DialectFixtures<readonly AiSdkMessage[], AiSdkMessage> = {
  legal: { ...olderFixtures, ...newerFixtures },
  illegal,
  malformed,
  natives: (conversation) => conversation,
};

/** A message as it stands after its tool results were pruned. */
export function pruned(message: Message): Message {
  return withParts(
    message,
    message.parts.map((part) =>
      part.type === "tool-result"
        ? {
            ...part,
            output: [{ type: "text" as const, text: "[pruned]" }],
            time: { compacted: 7 },
            original: "out_0123456789abcdef",
          }
        : part,
    ),
  );
}
