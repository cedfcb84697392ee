import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { describe, expect, it } from "vitest";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { withBreakpoint } from "../../src/hooks/anthropic/middleware.ts";
import {
  bindsReasoning,
  isMessageUrl,
  managedBy,
  messagesApi,
} from "../../src/hooks/anthropic/wire.ts";
import { watchAnswer } from "../../src/hooks/wire-answer.ts";

const mark = { cache_control: { type: "ephemeral" } };
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const summary = '<prior-conversation-summary messages="3">\nx\n</prior-conversation-summary>';

describe("which models bind their thinking to what stands before it", () => {
  it.each([
    ["claude-opus-5-5", true],
    ["claude-sonnet-5-5-20260901", true],
    ["claude-haiku-5-5", true],
    ["claude-fable-5-2", true],
    ["a-model-of-tomorrow", true],
    ["claude-3-5-sonnet-20241022", false],
    ["claude-opus-4-5", false],
    ["claude-sonnet-4-6", false],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", false],
    ["claude-sonnet-5", false],
    ["claude-opus-5-20260401", false],
  ])("%s: %s", (model, isBound) => {
    expect(bindsReasoning({ model, messages: [] })).toBe(isBound);
  });
});

describe("what makes the API manage the conversation", () => {
  it.each([
    [undefined, undefined],
    [{ edits: [] }, undefined],
    [{ edits: [{ type: "clear_thinking_20251015", keep: "all" }] }, undefined],
    [{ edits: [{ type: "clear_tool_uses_20250919" }] }, "context_management"],
  ])("context_management %j: %s", (context_management, by) => {
    expect(managedBy({ messages: [], context_management })).toBe(by);
  });

  it("is a compaction, or a thread", () => {
    expect(managedBy({ messages: [], compaction: { type: "compact_20260112" } })).toBe(
      "compaction",
    );
    expect(managedBy({ messages: [], thread: { id: "t" } })).toContain("thread: false");
  });
});

describe("a breakpoint at the end of the summary", () => {
  const user = (content: unknown) => ({ role: "user" as const, content: content as never });

  it("is set where the caller uses breakpoints and has one left", () => {
    const messages = [user([text(summary), text("go on")]), user([text("new", mark)])];
    const marked = withBreakpoint({ messages }, { messages });
    expect(marked.messages[0]?.content).toEqual([text(summary, mark), text("go on")]);
    expect(marked.messages[1]).toBe(messages[1]);
  });

  it("lives as long as the one behind it, else as the caller's last one", () => {
    const long = { type: "ephemeral", ttl: "1h" };
    const short = { type: "ephemeral", ttl: "5m" };
    const markOf = (behind: object, system: object): unknown => {
      const messages = [user([text(summary)]), user([{ type: "text", text: "new", ...behind }])];
      const whole = { messages, system: [{ type: "text", text: "s", ...system }] as never };
      const marked = withBreakpoint(whole, whole).messages[0]?.content as unknown[];
      return (marked[0] as { cache_control?: unknown }).cache_control;
    };
    expect(markOf({ cache_control: long }, { cache_control: long })).toEqual(long);
    expect(markOf({ cache_control: short }, { cache_control: long })).toEqual(short);
    expect(markOf({}, { cache_control: short })).toEqual(short);
    const given = { messages: [user([{ type: "text", text: "gone", cache_control: long }])] };
    const left = withBreakpoint({ messages: [user(summary)] }, given);
    expect(left.messages[0]?.content).toEqual([
      { type: "text", text: summary, cache_control: long },
    ]);
  });

  it("leaves room for the one that the API places by itself", () => {
    const messages = [user([text(summary)]), ...[1, 2, 3].map(() => user([text("a", mark)]))];
    const whole = { messages, cache_control: { type: "ephemeral" } };
    expect(withBreakpoint({ messages }, whole)).toEqual({ messages });
    const fewer = { ...whole, messages: messages.slice(0, 3) };
    const marked = withBreakpoint({ messages: fewer.messages }, fewer);
    expect(marked.messages[0]?.content).toEqual([text(summary, mark)]);
  });

  it("is a block where the summary was a plain string", () => {
    const messages = [user(summary)];
    const marked = withBreakpoint({ messages, system: [text("s", mark)] as never }, { messages });
    expect(marked.messages[0]?.content).toEqual([text(summary, mark)]);
  });

  it("is not set without breakpoints, nor as a fifth one, nor without a summary", () => {
    const plain = { messages: [user(summary)] };
    expect(withBreakpoint(plain, plain)).toBe(plain);
    const full = {
      messages: [user(summary), ...Array.from({ length: 4 }, () => user([text("a", mark)]))],
    };
    expect(withBreakpoint(full, full)).toBe(full);
    const other = { messages: [user([text("a", mark)])] };
    expect(withBreakpoint(other, other)).toBe(other);
  });
});

describe("the middleware", () => {
  it("knows the requests that make a message", () => {
    expect(isMessageUrl("https://api.anthropic.com/v1/messages")).toBe(true);
    expect(isMessageUrl("https://api.anthropic.com/v1/messages?beta=true")).toBe(true);
    expect(isMessageUrl("https://api.anthropic.com/v1/messages/count_tokens")).toBe(false);
    expect(isMessageUrl("https://api.anthropic.com/v1/messages/batches")).toBe(false);
  });

  it("passes on what it does not understand, as it is", async () => {
    const { middleware } = anthropicContext();
    const request = { url: "https://x/v1/messages", body: "{broken" };
    const seen: unknown[] = [];
    const answer = new Response("ok");
    const next = (sent: typeof request) => {
      seen.push(sent);
      return Promise.resolve(answer);
    };
    expect(await middleware(request, next, {})).toBe(answer);
    expect(seen[0]).toBe(request);
  });
});

describe("tools for the tool runner", () => {
  it("are truncated on arrival, once, and keep their other fields", async () => {
    const context = anthropicContext();
    const tool = {
      name: "bash",
      input_schema: { type: "object" },
      run: (input: { size: number }) => Promise.resolve("line\n".repeat(input.size)),
    };
    const [wrapped] = context.tools([tool] as const);
    expect(wrapped).toMatchObject({ name: "bash", input_schema: { type: "object" } });
    expect(await wrapped.run({ size: 3 })).toBe("line\n".repeat(3));
    const cut = await wrapped.run({ size: 9_000 });
    expect(cut.length).toBeLessThan(60_000);
    expect(cut).toContain("out_");
    expect(context.tools([wrapped])[0]).toBe(wrapped);
  });

  it.each([
    ["a text", "line\n".repeat(9_000)],
    ["a list of blocks", [{ type: "text" as const, text: "line\n".repeat(9_000) }]],
  ])("truncate what an error says that a tool throws: %s", async (_, content) => {
    const [failing] = anthropicContext().tools([
      { name: "bash", run: () => Promise.reject(new ToolError(content)) },
    ] as const);
    const error: unknown = await failing.run().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolError);
    const { message, content: shown } = error as ToolError;
    for (const text of [message, JSON.stringify(shown)]) {
      expect(text.length).toBeLessThan(60_000);
      expect(text).toContain("<tool-output-truncated");
    }
  });
});

describe("the usage of a stream", () => {
  const start = {
    type: "message_start",
    message: { usage: { input_tokens: 40, output_tokens: 1 } },
  };
  const said = { type: "content_block_delta", delta: { type: "text_delta", text: "Hi." } };
  const end = {
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: 7 },
  };
  const eventsOf = (...events: readonly object[]): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));

  it("is known with the last event, though the connection stays open", async () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(eventsOf(start, said, end)),
    });
    const heard: unknown[] = [];
    const headers = { "content-type": "text/event-stream" };
    const answer = watchAnswer(new Response(body, { headers }), {
      api: messagesApi,
      learn: (usage) => void heard.push(usage),
    });
    await answer.body!.getReader().read();
    expect(heard).toMatchObject([{ input: 40, output: 7 }]);
  });
});

describe("thinking that the caller's own changes have unbound", () => {
  const refusal =
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  const thought = { type: "thinking", thinking: "hm", signature: "s" };
  const messages = [
    { role: "user", content: "Read a.ts." },
    {
      role: "assistant",
      content: [thought, { type: "tool_use", id: "t", name: "read", input: {} }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "text" }] },
  ];

  it("is left out by the API, from then on without another refusal", async () => {
    const { middleware } = anthropicContext();
    const sent: Record<string, unknown>[] = [];
    const next = async (request: { body: string }): Promise<Response> => {
      const body = JSON.parse(request.body) as Record<string, unknown>;
      sent.push(body);
      const isDropping = JSON.stringify(body["thinking"]).includes("drop_block");
      if (isDropping) return new Response(JSON.stringify({ content: [] }));
      const error = { type: "error", error: { type: "invalid_request_error", message: refusal } };
      return new Response(JSON.stringify(error), { status: 400 });
    };
    const ask = (system: string): Promise<Response> => {
      const thinking = { type: "adaptive" };
      const body = JSON.stringify({ model: "claude-opus-5-5", system, thinking, messages });
      return middleware({ url: "https://local/v1/messages", body }, next, {});
    };
    expect((await ask("Today is Monday.")).status).toBe(200);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.["messages"]).toEqual(messages);
    expect((await ask("Today is Tuesday.")).status).toBe(200);
    expect(sent).toHaveLength(3);
    expect(sent[2]).toMatchObject({ system: "Today is Tuesday.", messages });
  });
});
