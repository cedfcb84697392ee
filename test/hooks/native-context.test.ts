import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import type { ContextOptions, Failure } from "../../src/context/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { AnthropicConversation } from "../../src/dialects/anthropic/wire.ts";
import type { NativeContext } from "../../src/hooks/native-context.ts";
import { createNativeContext } from "./open-native-context.ts";
import { quarter, words } from "../build-messages.ts";

const system = "You are an agent.";

function create(options: ContextOptions = {}): NativeContext<AnthropicConversation> {
  return createNativeContext(
    {
      dialect: anthropic,
      messagesOf: ({ messages }) => messages,
      withMessages: (conversation, messages) => ({ ...conversation, messages }),
    },
    { window: 16_000, counter: quarter, ...options },
  );
}

/** One step of an agent: a call and its result. */
function step(n: number, tokens = 300): AnthropicConversation["messages"] {
  const id = `call_${n}`;
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text: words(tokens, `thought ${n}`) },
        { type: "tool_use", id, name: "bash", input: { command: `run ${n}` } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `done ${n}` }] },
  ];
}

function conversation(steps: number): AnthropicConversation {
  const rest = Array.from({ length: steps }, (_, n) => step(n)).flat();
  return { system, messages: [{ role: "user", content: "do the work" }, ...rest] };
}

describe("a native context", () => {
  it("gives back the very conversation while there is room", async () => {
    const given = conversation(3);
    const { conversation: sent, report } = await create().prepare(given);
    expect(sent).toBe(given);
    expect(report?.action).toBe("none");
  });

  it("keeps the native objects that an edit does not touch", async () => {
    const given = conversation(40);
    const { conversation: sent, report } = await create().prepare(given);
    expect(report?.action).toBe("compact");
    expect(sent.system).toBe(system);
    expect(sent.messages.at(-1)).toBe(given.messages.at(-1));
    expect(anthropic.check(sent, { asRequest: true })).toEqual([]);
  });

  it("takes the whole history every time, and sends the same bytes again", async () => {
    const native = create();
    const given = conversation(40);
    const first = await native.prepare(given);
    const longer = { ...given, messages: [...given.messages, ...step(40)] };
    const second = await native.prepare(longer);
    expect(second.report?.action).toBe("none");
    const { length } = first.conversation.messages;
    expect(JSON.stringify(second.conversation.messages.slice(0, length))).toBe(
      JSON.stringify(first.conversation.messages),
    );
  });

  it("believes what the provider reported for the newest answer", async () => {
    const { report } = await create().prepare(conversation(2), {
      usage: { input: 5_000, output: 10, cacheRead: 2_000 },
    });
    expect(report?.tokens).toMatchObject({ source: "reported" });
    expect(report?.tokens.before).toBeGreaterThan(7_000);
  });

  it("goes on with what it was given when it cannot help, and says why", async () => {
    const failures: Failure[] = [];
    const native = create({ fixedTokens: 30_000 });
    native.context.on("failed", (failure) => void failures.push(failure));
    const given = conversation(2);
    const { conversation: sent, failure } = await native.prepare(given);
    expect(sent).toBe(given);
    expect(failure).toMatchObject({ code: "irreducible" });
    expect(failures).toEqual([failure]);
  });

  it("goes on with messages that it cannot read", async () => {
    const broken = { messages: [{ role: "robot", content: "hi" }] } as never;
    const { conversation: sent, failure } = await create().prepare(broken);
    expect(sent).toBe(broken);
    expect(failure?.code).toBe("invalid-message");
  });

  it("recovers from a refusal", async () => {
    const archive = memoryArchive();
    const native = create({ window: 64_000, archive });
    const given = conversation(40);
    await native.prepare(given);
    const error = {
      status: 400,
      error: { message: "prompt is too long: 30000 tokens > 20000 maximum" },
    };
    const recovered = await native.recover(given, error);
    expect(recovered?.report?.action).toBe("compact");
    expect(await native.recover(given, new Error("no credit"))).toBeUndefined();
  });
});

describe("a caller that goes on from what it got", () => {
  it("gets the same objects, and the edits are not lost", async () => {
    const native = create();
    const { conversation: first } = await native.prepare(conversation(40));
    const list = { ...first, messages: [...first.messages, ...step(40)] };
    const second = await native.prepare(list);
    expect(second.report).toMatchObject({ action: "none", warnings: [] });
    expect(second.conversation.messages).toEqual(list.messages);
    expect(second.conversation.messages[0]).toBe(first.messages[0]);
    expect(native.context.journal()).toHaveLength(1);
  });

  it("may change between the two habits", async () => {
    const native = create();
    const whole = conversation(40);
    const { conversation: first } = await native.prepare(whole);
    const list = { ...first, messages: [...first.messages, ...step(40)] };
    await native.prepare(list);
    const longer = { ...whole, messages: [...whole.messages, ...step(40), ...step(41)] };
    const { conversation: sent, report } = await native.prepare(longer);
    expect(report).toMatchObject({ action: "none", warnings: [] });
    expect(sent.messages).toEqual([...list.messages, ...step(41)]);
  });
});

describe("thinking that the provider takes for that of another conversation", () => {
  const refusal = {
    status: 400,
    error: {
      message:
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    },
  };
  const think = (n: number): AnthropicConversation["messages"][number] => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking: `thought ${n}`, signature: `sig_${n}` },
      { type: "text", text: `answer ${n}` },
    ],
  });
  const asked = { role: "user", content: "go on" } as const;
  const given: AnthropicConversation = { messages: [asked, think(1), asked, think(2), asked] };

  it("is left out from then on, and what comes later stays", async () => {
    const native = create();
    await native.prepare(given);
    const again = await native.recover(given, refusal);
    const texts = JSON.stringify(again?.conversation);
    expect(texts).not.toContain("sig_");
    expect(texts).toContain("answer 2");
    const longer = { messages: [...given.messages, think(3), asked] };
    const { conversation: sent } = await native.prepare(longer);
    expect(JSON.stringify(sent)).not.toMatch(/sig_[12]/);
    expect(sent.messages.slice(-2)).toEqual(longer.messages.slice(-2));
    expect(sent.messages.slice(0, 5)).toEqual(again?.conversation.messages);
  });

  it("is nothing to leave out twice, and no other error's matter", async () => {
    const native = create();
    await native.prepare(given);
    expect(await native.recover(given, refusal)).toBeDefined();
    expect(await native.recover(given, refusal)).toBeUndefined();
    const other = create();
    await other.prepare(given);
    expect(await other.recover(given, { status: 400, message: "no such tool" })).toBeUndefined();
  });
});
