import { expect, test } from "vitest";
import { type Message, withParts } from "../../../src/core/message/index.ts";
import { frameSummary } from "../../../src/core/summary/index.ts";
import { aiSdk } from "../../../src/dialects/ai-sdk/ai-sdk.ts";
import { encodeAiSdk } from "../../../src/dialects/ai-sdk/encode.ts";
import type { AiSdkMessage } from "../../../src/dialects/ai-sdk/wire.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { aiSdkFixtures, newerFixtures, olderFixtures, pruned } from "./fixtures.ts";

describeDialect(aiSdk, aiSdkFixtures, legalConversation());

const step = olderFixtures["parallel calls, every output shape and provider options"] ?? [];

test("a pruned output becomes text, keeps its options and says when it was pruned", () => {
  const [tool] = encodeAiSdk(aiSdk.decode(step).slice(2, 3).map(pruned));
  const longhaul = { compacted: 7, original: "out_0123456789abcdef" };
  const anthropic = { cacheControl: { type: "ephemeral" } };
  const text = { type: "text", value: "[pruned]" };
  const error = { type: "error-text", value: "[pruned]" };
  expect(tool?.content).toEqual([
    expect.objectContaining({ output: text, providerOptions: { anthropic, longhaul } }),
    expect.objectContaining({ output: { ...text, providerOptions: { anthropic } } }),
    expect.objectContaining({ output: error }),
    expect.objectContaining({ output: error }),
    expect.objectContaining({ output: error, providerOptions: { longhaul } }),
  ]);
  expect(tool?.providerOptions).toBe(step[2]?.providerOptions);
  const [again] = aiSdk.decode(tool === undefined ? [] : [tool]);
  expect(again?.parts[0]).toMatchObject({ time: { compacted: 7 }, original: longhaul.original });
});

test("the marks of a message come back", () => {
  const go: Message = {
    role: "user",
    kind: "continuation",
    metadata: { compaction_continue: true },
    parts: [{ type: "text", text: "Go on." }],
  };
  const encoded = encodeAiSdk([go]);
  expect(encoded).toEqual([
    {
      role: "user",
      content: "Go on.",
      providerOptions: {
        longhaul: { kind: "continuation", metadata: { compaction_continue: true } },
      },
    },
  ]);
  expect(aiSdk.decode(encoded)[0]).toMatchObject(go);
});

test("ids that name a dropped reasoning item's neighbours are dropped with it", () => {
  const message = aiSdk.decode(step)[1] as Message;
  const spoken = message.parts.filter((part) => part.type !== "reasoning");
  const [bare] = encodeAiSdk([withParts(message, spoken)]);
  const before = step[1]?.content as readonly unknown[];
  expect(bare?.content[0]).toEqual({
    type: "text",
    text: "Reading.",
    providerOptions: { openai: { phase: "commentary" } },
  });
  expect(bare?.content[1]).not.toHaveProperty("providerOptions");
  expect(bare?.content[2]).toBe(before[3]);
});

test("an edited call keeps its options and the reasoning's ids", () => {
  const message = aiSdk.decode(step)[1] as Message;
  const parts = message.parts.map((part) =>
    part.type === "tool-call" && part.toolCallId === "c1" ? { ...part, input: {} } : part,
  );
  const [edited] = encodeAiSdk([withParts(message, parts)]);
  const before = step[1]?.content as readonly unknown[];
  expect(edited?.content[0]).toBe(before[0]);
  expect(edited?.content[2]).toEqual({
    ...(before[2] as object),
    input: {},
  });
});

test("files are read in every form the SDK takes", () => {
  const [message] = aiSdk.decode(olderFixtures["files as text, bytes and URLs"] ?? []);
  expect(message?.parts.slice(1)).toMatchObject([
    { type: "file", mediaType: "image/*", data: "iVBORw0KGgo=" },
    { type: "file", mediaType: "image/png", url: "https://example.com/a.png" },
    { type: "file", mediaType: "application/pdf", data: "JVBERg==" },
    { type: "file", mediaType: "text/plain", data: "aGk=", filename: "a" },
    { type: "file", mediaType: "application/pdf", url: "https://example.com/b.pdf" },
  ]);
  const [newer] = aiSdk.decode(
    newerFixtures["custom parts, reasoning files and tagged data"] ?? [],
  );
  expect(newer?.parts).toMatchObject([
    { type: "file", mediaType: "image/*", data: "iVBORw0KGgo=" },
    { type: "file", mediaType: "image/*", url: "https://e.com/a" },
    { type: "file", mediaType: "text/plain", data: "aGk=" },
    { type: "opaque", kind: "file" },
  ]);
});

test("what the provider executed and approvals are opaque and travel untouched", () => {
  const list = olderFixtures["provider-executed tools and approvals"] as readonly AiSdkMessage[];
  const messages = aiSdk.decode(list);
  expect(messages[1]?.parts.map((part) => part.type)).toEqual([
    "opaque",
    "opaque",
    "text",
    "tool-call",
    "opaque",
  ]);
  const edited = withParts(
    messages[1] as Message,
    (messages[1] as Message).parts.map((part) =>
      part.type === "text" ? { ...part, text: "May I?" } : part,
    ),
  );
  const before = list[1]?.content as readonly unknown[];
  const content = encodeAiSdk(messages.with(1, edited))[1]?.content as readonly unknown[];
  for (const at of [0, 1, 3, 4]) expect(content[at]).toBe(before[at]);
});

test("a system message in the middle becomes a user message, a leading one stays", () => {
  const system: Message = { role: "system", parts: [{ type: "text", text: "Note." }] };
  const user: Message = { role: "user", parts: [{ type: "text", text: "Hi." }] };
  const encoded = encodeAiSdk([system, user, system]);
  expect(encoded.map((message) => message.role)).toEqual(["system", "user", "user"]);
  expect(aiSdk.decode(encoded).map((message) => message.kind)).toEqual([
    undefined,
    undefined,
    "injected",
  ]);
});

test("an edit behind a summary in one message does not make all of it a summary", () => {
  const text = frameSummary("# Goal\nShip it.", { headMessages: 3 });
  const content = [
    { type: "text", text },
    { type: "text", text: "Go on." },
  ];
  const [summary, user] = aiSdk.decode([{ role: "user", content }]);
  expect([summary?.kind, user?.kind]).toEqual(["summary", undefined]);
  const edited = withParts(user as Message, [{ type: "text", text: "Stop." }]);
  const encoded = encodeAiSdk([summary as Message, edited]);
  expect(encoded).toEqual([
    { role: "user", content: [content[0], { type: "text", text: "Stop." }] },
  ]);
  expect(encoded[0]?.content[0]).toBe(content[0]);
});
