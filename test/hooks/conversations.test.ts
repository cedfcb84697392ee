import { describe, expect, it, test } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { type ChatMessage, openaiChat } from "../../src/dialects/openai-chat/index.ts";
import { longhaul } from "../../src/hooks/anthropic/index.ts";
import { createConversations } from "../../src/hooks/conversations.ts";
import type { AnthropicMessage } from "../../src/dialects/anthropic/index.ts";
import { quarter, words } from "../build-messages.ts";

type Context = ReturnType<typeof longhaul>;

/** A client of the API that answers all alike; gives back what each request sent. */
function clientOf({ middleware }: Context) {
  return async (messages: readonly AnthropicMessage[]): Promise<readonly AnthropicMessage[]> => {
    const params = { model: "claude-haiku-4-5", messages };
    const request = { url: "https://local/v1/messages", body: JSON.stringify(params) };
    let sent: readonly AnthropicMessage[] = [];
    const next = async ({ body }: { body: string }) => {
      sent = (JSON.parse(body) as typeof params).messages;
      const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 3 };
      return new Response(JSON.stringify({ content: [], usage }));
    };
    await middleware(request, next, { options: { body: params } });
    return sent;
  };
}

const ask = (text: string): AnthropicMessage => ({ role: "user", content: text });

function steps(count: number): AnthropicMessage[] {
  return Array.from({ length: count }, (_, n) => n).flatMap((n): AnthropicMessage[] => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `t${n}`, name: "read", input: { path: `${n}.ts` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${n}`, content: words(100, `file ${n}`) }],
    },
  ]);
}

const SMALL = { window: 16_000, counter: quarter };

test("what was reported counts for the list that goes on, and for no other that begins alike", () => {
  const conversationOf = createConversations({
    context: createContext(),
    settings: {},
    format: { dialect: openaiChat, messagesOf: (messages: readonly ChatMessage[]) => messages },
  });
  const question: ChatMessage = { role: "user", content: "How is the build?" };
  const answer = (content: string): ChatMessage => ({ role: "assistant", content });
  const work = [question, answer("I look."), { role: "user" as const, content: "And?" }];
  const usage = { input: 900, output: 5 };
  conversationOf(work).learn(usage);
  const marked = { type: "text" as const, text: "And?", cache_control: { type: "ephemeral" } };
  const moved = [...work.slice(0, 2), { role: "user" as const, content: [marked] }];
  expect(conversationOf([...moved, answer("It is broken.")]).reported).toEqual(usage);
  const other = [question, answer("A plan."), answer("More."), answer("Done.")];
  expect(conversationOf(other).reported).toBeUndefined();
});

describe("conversations through one client", () => {
  it("keep their edits whatever else is asked in between", async () => {
    const context = longhaul(SMALL);
    const send = clientOf(context);
    const agent = [ask("Read all files."), ...steps(120)];
    const first = await send(agent);
    expect(first).not.toEqual(agent);
    expect(await send([ask("A title, please.")])).toEqual([ask("A title, please.")]);
    const second = await send([...agent, ...steps(121).slice(-2)]);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(context.journal()).toHaveLength(1);
  });

  it("are the same when cache breakpoints have moved on", async () => {
    const context = longhaul(SMALL);
    const send = clientOf(context);
    let prepared = 0;
    context.on("prepared", () => void (prepared += 1));
    const cache_control = { type: "ephemeral" };
    const marked = { type: "text", text: "Read all files.", cache_control };
    await send([{ role: "user", content: [marked] }]);
    await send([ask("Read all files."), ...steps(2)]);
    expect(prepared).toBe(2);
  });

  it("have the breakpoints of the newest request, and none of those before it", async () => {
    const send = clientOf(longhaul(SMALL));
    const history = [ask("Read all files.")];
    const counts = new Set<number>();
    for (const step of chunks(steps(300))) {
      history.push(...step);
      const sent = await send([...history.slice(0, -1), marked(history.at(-1)!)]);
      expect(JSON.stringify(sent.at(-1))).toContain("cache_control");
      counts.add(JSON.stringify(sent).split("cache_control").length - 1);
    }
    // One is the caller's; the end of the summary may have another one.
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });
});

/** Each assistant's message with its results. */
function chunks(messages: readonly AnthropicMessage[]): AnthropicMessage[][] {
  return messages.flatMap((message, at) => (at % 2 === 0 ? [[message, messages[at + 1]!]] : []));
}

function marked({ role, content }: AnthropicMessage): AnthropicMessage {
  const cache_control = { type: "ephemeral" };
  const blocks = content as Exclude<typeof content, string | undefined>;
  return { role, content: blocks.map((block) => ({ ...block, cache_control })) };
}
