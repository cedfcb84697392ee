import { expect, test } from "vitest";
import type { Message } from "../../../src/core/message/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import {
  encodeNeutral,
  neutral,
  type NeutralMessage,
} from "../../../src/dialects/neutral/neutral.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";

const ask: NeutralMessage = { role: "user", parts: [{ type: "text", text: "Go." }] };
const call: NeutralMessage = {
  role: "assistant",
  parts: [{ type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "a.ts" } }],
};
const result: NeutralMessage = {
  role: "tool",
  parts: [
    {
      type: "tool-result",
      toolCallId: "a",
      toolName: "read",
      output: [{ type: "text", text: "ok" }],
    },
  ],
};

describeDialect(
  neutral,
  {
    legal: {
      "every field of a message": [
        { role: "system", parts: [{ type: "text", text: "Be brief." }], id: "m1", time: 1 },
        { ...ask, kind: "injected", metadata: { origin: "hook" } },
        {
          ...call,
          parts: [{ type: "reasoning", text: "hm", signature: "c2ln" }, ...call.parts],
          usage: { input: 1, output: 2, cacheRead: 3 },
        },
        result,
        { ...ask, extra: "unknown" } as NeutralMessage,
      ],
      "files and opaque parts": [
        {
          role: "user",
          parts: [
            { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" },
            { type: "opaque", kind: "location", source: { dialect: "host", value: { lat: 1 } } },
          ],
        },
      ],
    },
    illegal: [
      { rule: "empty-conversation", conversation: [] },
      { rule: "unanswered-tool-call", conversation: [ask, call] },
      { rule: "unpaired-tool-result", conversation: [ask, result] },
      { rule: "duplicate-tool-call-id", conversation: [ask, call, result, call, result] },
      { rule: "misplaced-part", conversation: [{ ...call, role: "user" }, result] },
      { rule: "empty-message", conversation: [{ role: "user", parts: [] }] },
    ],
    malformed: {
      "an object": {},
      "a message that is a string": ["hi"],
      "an unknown role": [{ role: "developer", parts: [] }],
      "a message without parts": [{ role: "user", content: "hi" }],
      "a part of an unknown type": [{ role: "user", parts: [{ type: "image" }] }],
      "a text without text": [{ role: "user", parts: [{ type: "text" }] }],
      "a result whose output is text": [
        {
          role: "tool",
          parts: [{ type: "tool-result", toolCallId: "a", toolName: "b", output: "" }],
        },
      ],
      "a result that holds a call": [
        {
          role: "tool",
          parts: [{ type: "tool-result", toolCallId: "a", toolName: "b", output: call.parts }],
        },
      ],
      "an opaque part without a source": [{ role: "user", parts: [{ type: "opaque", kind: "a" }] }],
    },
    natives: (conversation) => conversation,
  },
  legalConversation(),
);

test("a message is taken and given as the very object", () => {
  const [message] = neutral.decode([ask]);
  expect(message).toBe(ask);
  expect(encodeNeutral([message as Message])[0]).toBe(ask);
});

test("native sources stay behind, except where they are all there is", () => {
  const messages = anthropic.decode({
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "user", content: [{ type: "search_result" }] },
    ],
  });
  const encoded = encodeNeutral(messages);
  expect(encoded).toEqual([
    { role: "user", parts: [{ type: "text", text: "hi" }] },
    {
      role: "user",
      parts: [
        {
          type: "opaque",
          kind: "search_result",
          source: { dialect: "anthropic", value: { type: "search_result" } },
        },
      ],
    },
  ]);
  expect(encoded[0]).not.toHaveProperty("source");
});
