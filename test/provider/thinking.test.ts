import { describe, expect, test } from "vitest";
import { upstreamForTest } from "./for-test.ts";
import type { Script, Upstream, UpstreamOptions } from "./index.ts";
import { type Answered, post } from "./post.ts";

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Conversation {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: string;
  readonly tools: readonly Block[];
  readonly messages: readonly Message[];
}

const script: Script = (_request, { turn }) => ({
  parts: [
    { type: "reasoning", text: `Thought number ${turn}.` },
    { type: "text", text: "I read on." },
    { type: "call", name: "read", input: { turn } },
  ],
});

const start: Conversation = {
  model: "m",
  max_tokens: 500,
  system: "You read.",
  tools: [{ name: "read", input_schema: { type: "object" } }],
  messages: [{ role: "user", content: "Read all." }],
};

/** Three steps, as the server answered them. */
async function threeSteps(
  options: Partial<UpstreamOptions> = {},
): Promise<{ readonly upstream: Upstream; readonly conversation: Conversation }> {
  const upstream = await upstreamForTest({ script, ...options });
  let conversation = start;
  for (let step = 0; step < 3; step++) {
    const { body, message } = await post(upstream.url, "anthropic", conversation);
    expect(message).toBe("");
    const { content } = body as { content: Block[] };
    const id = content.at(-1)!["id"];
    const results = [{ type: "tool_result", tool_use_id: id, content: `result ${step}` }];
    conversation = {
      ...conversation,
      messages: [
        ...conversation.messages,
        { role: "assistant", content },
        { role: "user", content: results },
      ],
    };
  }
  return { upstream, conversation };
}

/** The conversation with each block of one message replaced. */
function changed(
  conversation: Conversation,
  index: number,
  change: (block: Block) => Block | undefined,
): Conversation {
  const messages = conversation.messages.map((message, at) => {
    if (at !== index || typeof message.content === "string") return message;
    return {
      ...message,
      content: message.content.flatMap((block): Block[] => {
        const kept = change(block);
        return kept === undefined ? [] : [kept];
      }),
    };
  });
  return { ...conversation, messages };
}

const isThinking = ({ type }: Block): boolean => type === "thinking";

function withoutThinking(conversation: Conversation, ...indexes: readonly number[]): Conversation {
  return indexes.reduce(
    (all, index) => changed(all, index, (block) => (isThinking(block) ? undefined : block)),
    conversation,
  );
}

const edited = (conversation: Conversation): Conversation =>
  changed(conversation, 2, (block) => ({ ...block, content: "[pruned]" }));

describe("signed thinking is taken back", () => {
  const legal: Record<string, (conversation: Conversation) => Conversation> = {
    "as it came": (conversation) => conversation,
    "with breakpoints moved": (conversation) =>
      changed(conversation, 2, (block) => ({ ...block, cache_control: { type: "ephemeral" } })),
    "with text as a block instead of a string": (conversation) => ({
      ...conversation,
      system: [{ type: "text", text: start.system }] as unknown as string,
    }),
    "without the oldest thinking": (conversation) => withoutThinking(conversation, 1),
    "without any": (conversation) => withoutThinking(conversation, 1, 3, 5),
    "with its text left out": (conversation) =>
      changed(conversation, 5, (block) => (isThinking(block) ? { ...block, thinking: "" } : block)),
    "from steps that stand before the change": (conversation) =>
      changed(conversation, 6, (block) => ({ ...block, content: "changed" })),
  };
  test.each(Object.entries(legal))("%s", async (_name, change) => {
    const { upstream, conversation } = await threeSteps();
    const { message } = await post(upstream.url, "anthropic", change(conversation));
    expect(message).toBe("");
  });
});

describe("signed thinking is refused", () => {
  const bound = (index: number): string =>
    `messages.${index}.content.0: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
  const illegal: [string, (conversation: Conversation) => Conversation, string][] = [
    ["after another system prompt", (one) => ({ ...one, system: "You write." }), bound(1)],
    [
      "after another tool",
      (one) => ({ ...one, tools: [...one.tools, { ...one.tools[0], name: "write" }] }),
      bound(1),
    ],
    ["after a changed result", edited, bound(3)],
    [
      "after a summary instead of the head",
      (one) => ({
        ...one,
        messages: [{ role: "user", content: "A summary." }, ...one.messages.slice(3)],
      }),
      bound(1),
    ],
    [
      "after changed text of its own turn",
      (one) =>
        changed(one, 1, (block) => (block["type"] === "text" ? { ...block, text: "x" } : block)),
      bound(3),
    ],
    ["with the thinking in between left out", (one) => withoutThinking(one, 3), bound(5)],
    [
      "with another text",
      (one) =>
        changed(one, 5, (block) => (isThinking(block) ? { ...block, thinking: "x" } : block)),
      "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    ],
    [
      "with a forged signature",
      (one) =>
        changed(one, 5, (block) => {
          if (!isThinking(block)) return block;
          return { ...block, signature: `A${String(block["signature"]).slice(1)}B` };
        }),
      "messages.5.content.0: Invalid `signature` in `thinking` block",
    ],
  ];
  test.each(illegal)("%s", async (_name, change, expected) => {
    const { upstream, conversation } = await threeSteps();
    const { message, status } = await post(upstream.url, "anthropic", change(conversation));
    expect(message).toContain(expected);
    expect(status).toBe(400);
  });
});

test("an older model only refuses what is forged", async () => {
  const { upstream, conversation } = await threeSteps({ prefixCheck: false });
  expect((await post(upstream.url, "anthropic", edited(conversation))).status).toBe(200);
  const forged = changed(conversation, 5, (block) =>
    isThinking(block) ? { ...block, signature: "AAAA" } : block,
  );
  expect((await post(upstream.url, "anthropic", forged)).status).toBe(400);
});

test("drop_block drops what is invalid and says so", async () => {
  const { upstream, conversation } = await threeSteps();
  const binding = { prefix_mismatch_behavior: "drop_block" };
  const request = {
    ...edited(conversation),
    thinking: { type: "adaptive", block_binding: binding },
  };
  const unknown = await post(upstream.url, "anthropic", request);
  expect(unknown.message).toBe("thinking.block_binding: Extra inputs are not permitted");
  const beta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
  const answered: Answered = await post(upstream.url, "anthropic", request, beta);
  expect(answered.status).toBe(200);
  const { input_transformations: dropped } = answered.body as {
    input_transformations: { location: string }[];
  };
  expect(dropped.map(({ location }) => location)).toEqual([
    "messages.3.content.0",
    "messages.5.content.0",
  ]);
});

test("with thinking enabled every answer begins with it", async () => {
  const upstream = await upstreamForTest({ script: () => "Hello." });
  const { body } = await post(upstream.url, "anthropic", {
    ...start,
    max_tokens: 2_000,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  });
  const { content } = body as { content: { type: string }[] };
  expect(content.map(({ type }) => type)).toEqual(["thinking", "text"]);
});
