import type {
  AnthropicConversation,
  AnthropicMessage,
} from "../../../src/dialects/anthropic/wire.ts";
import type { DialectFixtures } from "../../conformance/describe-dialect.ts";

const ephemeral = { cache_control: { type: "ephemeral" } };
const text = (value: string) => ({ type: "text", text: value });
const use = (id: string, input: unknown = { path: "a.ts" }) => ({
  type: "tool_use",
  id,
  name: "read",
  input,
});
const result = (id: string, content: unknown = "ok") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});

const ask: AnthropicMessage = { role: "user", content: "Fix the build." };
const callOne: AnthropicMessage = { role: "assistant", content: [use("toolu_1")] };
const resultOne: AnthropicMessage = { role: "user", content: [result("toolu_1")] };
const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0" },
};

/** Wire shapes as the API and its clients send them. */
const legal: Record<string, AnthropicConversation> = {
  "a plain conversation without system": {
    messages: [
      ask,
      { role: "assistant", content: "Which one?" },
      { role: "user", content: "All." },
    ],
  },
  "system blocks, cache breakpoints and parallel calls": {
    system: [text("You are brief."), { ...text("Today is Monday."), ...ephemeral }],
    messages: [
      { role: "user", content: [text("<reminder>be kind</reminder>"), text("Fix the build.")] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Read both.", signature: "c2lnbmF0dXJl" },
          { type: "redacted_thinking", data: "c2VhbGVk" },
          text("I read both files."),
          use("toolu_1"),
          { ...use("toolu_2", { path: "b.ts" }), caller: { type: "direct" } },
        ],
      },
      {
        role: "user",
        content: [
          { ...result("toolu_2", [text("no such file"), image]), is_error: true },
          { ...result("toolu_1"), ...ephemeral },
          { ...text("Also run the tests."), ...ephemeral },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "", signature: "ZW1wdHk=" }, use("toolu_3", {})],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_3" }] },
      { role: "user", content: "And be quick." },
      { role: "user", content: "Please." },
    ],
  },
  "server tools, citations and a paused turn": {
    system: "Search the web.",
    messages: [
      {
        role: "user",
        content: [
          text("What is new?"),
          image,
          { type: "image", source: { type: "file", file_id: "file_1" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
            title: "a.pdf",
            citations: { enabled: true },
          },
          { type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } },
          { type: "document", source: { type: "url", url: "https://example.com/b.pdf" } },
          {
            type: "search_result",
            source: "https://example.com",
            title: "t",
            content: [text("x")],
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "server_tool_use",
            id: "srvtoolu_1",
            name: "web_search",
            input: { query: "news" },
          },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          { ...text("Something."), citations: [{ type: "web_search_result_location", url: "u" }] },
        ],
      },
      { role: "user", content: "More." },
      {
        role: "assistant",
        content: [{ type: "server_tool_use", id: "srvtoolu_2", name: "web_search", input: {} }],
      },
    ],
  },
  "server tools that run our tools, and one that goes on after a pause": {
    messages: [
      ask,
      {
        role: "assistant",
        content: [
          {
            type: "server_tool_use",
            id: "srvtoolu_1",
            name: "code_execution",
            input: { code: "f()" },
          },
          { ...use("toolu_1"), caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } },
        ],
      },
      resultOne,
      {
        role: "assistant",
        content: [
          {
            type: "code_execution_tool_result",
            tool_use_id: "srvtoolu_1",
            content: { stdout: "1" },
          },
          text("One. Now the docs."),
          { type: "mcp_tool_use", id: "mcptoolu_1", name: "find", server_name: "docs", input: {} },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", content: [text("found")] },
          text("Found."),
        ],
      },
      { role: "user", content: "Thanks." },
    ],
  },
  "a system entry in the middle and a compaction block": {
    messages: [
      ask,
      {
        role: "assistant",
        content: [{ type: "compaction", content: "Earlier: …" }, text("Ready.")],
      },
      ask,
      {
        role: "system",
        content: "Ten minutes left.",
        output_config: { effort: "low" },
      } as AnthropicMessage,
    ],
  },
};

const after = (...messages: unknown[]) => ({ messages: [ask, ...messages] });

const illegal = [
  { rule: "empty-conversation", conversation: { messages: [] } },
  { rule: "unknown-role", conversation: after({ role: "tool", content: "hi" }) },
  { rule: "first-message-role", conversation: { messages: [callOne, resultOne] } },
  { rule: "unanswered-tool-call", conversation: after(callOne) },
  { rule: "unanswered-tool-call", conversation: after(callOne, ask) },
  {
    rule: "unanswered-tool-call",
    conversation: after(
      { role: "assistant", content: [use("toolu_1"), use("toolu_2")] },
      resultOne,
    ),
  },
  { rule: "unpaired-tool-result", conversation: after(resultOne) },
  {
    rule: "unpaired-tool-result",
    conversation: after(callOne, resultOne, { role: "assistant", content: "ok" }, resultOne),
  },
  { rule: "duplicate-tool-result", conversation: after(callOne, resultOne, resultOne) },
  { rule: "duplicate-tool-call-id", conversation: after(callOne, resultOne, callOne, resultOne) },
  {
    rule: "results-first",
    conversation: after(callOne, { role: "user", content: [text("hm"), result("toolu_1")] }),
  },
  { rule: "results-first", conversation: after(callOne, ask, resultOne) },
  {
    rule: "misplaced-block",
    conversation: { messages: [{ role: "user", content: [use("toolu_1")] }] },
  },
  { rule: "misplaced-block", conversation: after({ role: "assistant", content: [image] }) },
  { rule: "misplaced-block", conversation: after({ role: "system", content: [use("toolu_1")] }) },
  {
    rule: "misplaced-block",
    conversation: after(callOne, {
      role: "user",
      content: [{ ...result("toolu_1"), content: [use("toolu_2")] }],
    }),
  },
  {
    rule: "tool-output-shape",
    conversation: after(callOne, {
      role: "user",
      content: [{ ...result("toolu_1"), content: { stdout: "1" } }],
    }),
  },
  {
    rule: "system-place",
    conversation: after(callOne, { role: "system", content: "Be brief." }, resultOne),
  },
  { rule: "system-place", conversation: after({ role: "system", content: "Be brief." }, ask) },
  { rule: "empty-content", conversation: after({ role: "assistant", content: "" }, ask) },
  { rule: "empty-text", conversation: { messages: [{ role: "user", content: [text(" \n")] }] } },
  { rule: "empty-text", conversation: { system: [text("")], messages: [ask] } },
  {
    rule: "empty-text",
    conversation: after(callOne, { role: "user", content: [result("toolu_1", [text("")])] }),
  },
  {
    rule: "thinking-signature",
    conversation: after(
      { role: "assistant", content: [{ type: "thinking", thinking: "hm" }] },
      ask,
    ),
  },
  {
    rule: "tool-call-id",
    conversation: after(
      { role: "assistant", content: [use("call|1")] },
      { role: "user", content: [result("call|1")] },
    ),
  },
  {
    rule: "tool-name",
    conversation: after(
      { role: "assistant", content: [{ ...use("toolu_1"), name: "functions.read" }] },
      resultOne,
    ),
  },
  {
    rule: "tool-input",
    conversation: after({ role: "assistant", content: [use("toolu_1", "{}")] }, resultOne),
  },
  { rule: "ends-with-assistant", conversation: after({ role: "assistant", content: "So" }) },
  { rule: "trailing-whitespace", conversation: after({ role: "assistant", content: "So " }) },
  {
    rule: "cache-control",
    conversation: {
      system: [{ ...text("a"), ...ephemeral }],
      messages: [
        { role: "user", content: [1, 2, 3, 4].map((n) => ({ ...text(`${n}`), ...ephemeral })) },
      ],
    },
  },
];

illegal.push({
  rule: "unpaired-server-result",
  conversation: after(
    {
      role: "assistant",
      content: [{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }],
    },
    ask,
  ),
});

const malformed = {
  "an array": [ask],
  "an object without messages": { system: "hi" },
  "system that is a number": { system: 7, messages: [ask] },
  "a message that is null": { messages: [null] },
  "an unknown role": { messages: [{ role: "tool", content: "hi" }] },
  "missing content": { messages: [{ role: "user" }] },
  "a block without a type": { messages: [{ role: "user", content: [{ text: "hi" }] }] },
  "a tool_use without a name": {
    messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a" }] }],
  },
  "a tool_result without a tool_use_id": {
    messages: [{ role: "user", content: [{ type: "tool_result" }] }],
  },
  "a tool_result with a number as content": {
    messages: [{ role: "user", content: [result("toolu_1", 7)] }],
  },
};

export const anthropicFixtures: DialectFixtures<AnthropicConversation, AnthropicMessage> = {
  legal,
  illegal,
  malformed,
  natives: (conversation) => conversation.messages,
};
