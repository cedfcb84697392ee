import {
  AIMessage,
  type AIMessageChunk,
  BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import {
  type Message,
  type Part,
  type ToolResultPart,
  withParts,
} from "../../../src/core/message/index.ts";
import { frameSummary } from "../../../src/core/summary/index.ts";
import { langchain } from "../../../src/dialects/langchain/langchain.ts";
import { encodeLangChain } from "../../../src/dialects/langchain/encode.ts";
import { type LangChainMessage, langchainUsage } from "../../../src/dialects/langchain/wire.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import {
  anthropicAnswer,
  chatAnswer,
  langchainFixtures,
  responsesAnswer,
  streamedAnswer,
} from "./fixtures.ts";

describeDialect(langchain, langchainFixtures, legalConversation());

type Native = LangChainMessage;

/** The one message, after `change` was made to its parts. */
function edited(native: Native, change: (part: Part) => Part | undefined): Native {
  const [message] = langchain.decode([native]) as [Message];
  const parts = message.parts.flatMap((part) => change(part) ?? []);
  return encodeLangChain([withParts(message, parts)])[0] as Native;
}

function withoutReasoning(part: Part): Part | undefined {
  return part.type === "reasoning" ? undefined : part;
}

function shortened(part: Part): Part {
  return part.type === "tool-call" ? { ...part, input: { path: "b.ts" } } : part;
}

describe("an edited message", () => {
  test("is of the same class, keeps what is its own, and is stored as it is now", () => {
    const native = new ToolMessage({
      id: "t1",
      content: "long",
      tool_call_id: "call_1",
      name: "read",
      artifact: { raw: "long" },
      status: "success",
    });
    const copy = edited(native, (part) => ({
      ...(part as ToolResultPart),
      output: [{ type: "text", text: "short" }],
      time: { compacted: 7 },
    })) as ToolMessage;
    expect(ToolMessage.isInstance(copy)).toBe(true);
    expect(copy).toBeInstanceOf(ToolMessage);
    expect([copy.id, copy.artifact, copy.status, copy.text]).toEqual([
      "t1",
      { raw: "long" },
      "success",
      "short",
    ]);
    expect(native.text).toBe("long");
    const [stored] = mapChatMessagesToStoredMessages([copy]);
    const [again] = mapStoredMessagesToChatMessages([stored!]);
    expect(again!.content).toBe("short");
    expect(langchain.decode([again!])[0]!.parts[0]).toMatchObject({ time: { compacted: 7 } });
  });

  test("says the new input wherever the old one stood", () => {
    const copy = edited(streamedAnswer, shortened) as AIMessageChunk;
    expect(copy.tool_calls).toMatchObject([{ id: "call_1", args: { path: "b.ts" } }]);
    expect(copy.tool_call_chunks).toEqual([]);
    expect(copy.content).toEqual([
      { type: "text", text: "I write it.", index: 0 },
      { type: "tool_use", id: "call_1", name: "write", input: { path: "b.ts" }, index: 1 },
    ]);
    const chat = edited(chatAnswer, shortened) as AIMessage;
    expect(chat.additional_kwargs).toEqual({ reasoning_content: "I must read it." });
    const anthropic = edited(anthropicAnswer, shortened) as AIMessage;
    expect(anthropic.content.slice(0, 3)).toEqual(anthropicAnswer.content.slice(0, 3));
    expect(anthropic.content.at(-1)).toMatchObject({ input: { path: "b.ts" } });
  });

  test("no longer has the copy that OpenAI's integration would send instead", () => {
    const copy = edited(responsesAnswer, shortened);
    expect(copy.response_metadata).toEqual({ model_provider: "openai" });
    expect(copy.additional_kwargs).toEqual({
      reasoning: responsesAnswer.additional_kwargs["reasoning"],
    });
    expect(copy.id).toBe("msg_3");
  });

  test("loses with its thinking what may not be named without it", () => {
    const copy = edited(responsesAnswer, withoutReasoning);
    expect(copy.additional_kwargs).toEqual({});
    expect(copy.id).toBeUndefined();
    const chat = edited(chatAnswer, withoutReasoning);
    expect(chat.additional_kwargs).not.toHaveProperty("reasoning_content");
    expect(edited(anthropicAnswer, withoutReasoning)).toMatchObject({
      id: "msg_1",
      content: anthropicAnswer.content.slice(2),
    });
  });
});

describe("a new message", () => {
  const said: Message[] = [
    { role: "user", kind: "continuation", parts: [{ type: "text", text: "Go on." }] },
    {
      role: "assistant",
      parts: [{ type: "tool-call", toolCallId: "c", toolName: "read", input: { path: "a" } }],
    },
    {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "read",
          isError: true,
          output: [{ type: "text", text: "no" }],
        },
      ],
    },
  ];

  test("is of the class that others of its type have", () => {
    const natives = [new HumanMessage("hi"), new AIMessage("ho")];
    const made = encodeLangChain([...langchain.decode(natives), ...said]);
    expect(made.map((one) => BaseMessage.isInstance(one))).toEqual([true, true, true, true, false]);
    expect(made[2]).toBeInstanceOf(HumanMessage);
    expect((made[3] as AIMessage).tool_calls).toMatchObject([{ id: "c", name: "read" }]);
  });

  test("is understood by LangChain where there is no such class", () => {
    const made = encodeLangChain(said);
    const coerced = made.map((one) => coerceMessageLikeToMessage(one as BaseMessageLike));
    expect(coerced.map(({ type }) => type)).toEqual(["human", "ai", "tool"]);
    expect((coerced[2] as ToolMessage).status).toBe("error");
    expect(langchain.decode(coerced)[0]!.kind).toBe("continuation");
  });
});

describe("a summary", () => {
  const text = frameSummary("# Goal\nShip it.", { headMessages: 12 });

  test("is marked as LangChain marks its own", () => {
    const summary: Message = { role: "user", kind: "summary", parts: [{ type: "text", text }] };
    const [made] = encodeLangChain([summary]);
    expect(made!.additional_kwargs).toMatchObject({ lc_source: "summarization" });
  });

  test("of LangChain's own middleware is one too", () => {
    const native = new HumanMessage({
      content: "Here is a summary of the conversation to date:\n\n…",
      additional_kwargs: { lc_source: "summarization" },
    });
    expect(langchain.decode([native])[0]!.kind).toBe("summary");
  });
});

test("what was reported is in its parts, the cache apart", () => {
  expect(langchainUsage(anthropicAnswer)).toEqual({
    input: 15,
    output: 8,
    cacheRead: 100,
    cacheWrite: 5,
  });
  expect(langchainUsage(chatAnswer)).toBeUndefined();
});
