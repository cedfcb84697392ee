import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, withParts } from "../../../src/core/message/index.ts";
import { frameSummary } from "../../../src/core/summary/index.ts";
import { checkAnthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import { decodeAnthropic } from "../../../src/dialects/anthropic/decode.ts";
import { encodeAnthropic } from "../../../src/dialects/anthropic/encode.ts";
import type {
  AnthropicConversation,
  AnthropicMessage,
} from "../../../src/dialects/anthropic/wire.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { runs } from "../../property/runs.ts";

const short = { cache_control: { type: "ephemeral" } };
const long = { cache_control: { type: "ephemeral", ttl: "1h" } };
const text = (value: string) => ({ type: "text", text: value });
const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string, content: unknown = "ok") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const user = (...content: object[]) => ({ role: "user", content }) as AnthropicMessage;
const assistant = (...content: object[]) => ({ role: "assistant", content }) as AnthropicMessage;

const summary: Message = {
  role: "user",
  kind: "summary",
  parts: [{ type: "text", text: frameSummary("# Goal\nShip it.", { headMessages: 3 }) }],
};

/** All breakpoints in the order of the request. */
function breakpoints({ system, messages }: AnthropicConversation): unknown[] {
  return [...JSON.stringify([system, messages]).matchAll(/"cache_control":(\{[^}]*\})/g)].map(
    ([, found]) => JSON.parse(found ?? ""),
  );
}

describe("the breakpoint of a block", () => {
  test.each([
    ["the only one", [text("a"), { ...text("b"), ...short }], short],
    [
      "the last of two",
      [
        { ...text("a"), ...long },
        { ...text("b"), ...short },
      ],
      short,
    ],
  ])("inside a result goes to the result: %s", (_, content, mark) => {
    const messages = [user(text("Go.")), assistant(use("t1")), user(result("t1", content))];
    const decoded = decodeAnthropic({ messages });
    const clipped = changed(decoded[2] as Message, 0);
    const native = encodeAnthropic(decoded.with(2, clipped)).messages[2];
    expect(native?.content).toEqual([{ ...result("t1", [text("…")]), ...mark }]);
  });

  test("inside a result goes where the result has its own", () => {
    const own = { ...result("t1", [{ ...text("a"), ...long }]), ...short };
    const decoded = decodeAnthropic({
      messages: [user(text("Go.")), assistant(use("t1")), user(own)],
    });
    const native = encodeAnthropic(decoded.with(2, changed(decoded[2] as Message, 0))).messages[2];
    expect(native?.content).toEqual([{ ...result("t1", [text("…")]), ...short }]);
  });

  test("stays where it is when its message was cut in two by a note", () => {
    const messages = [
      user(text("Go.")),
      assistant(use("t1")),
      user(result("t1"), { ...text("And?"), ...short }),
    ];
    const decoded = decodeAnthropic({ messages });
    const note: Message = { role: "user", parts: [{ type: "text", text: "Note." }] };
    const sent = encodeAnthropic([...decoded.slice(0, 3), note, ...decoded.slice(3)]);
    expect(sent.messages.slice(2)).toEqual([
      user(result("t1"), text("Note.")),
      user({ ...text("And?"), ...short }),
    ]);
  });
});

test("there are never more breakpoints than before, and longer lifetimes come first", () => {
  const marks = fc.array(fc.nat(30), { maxLength: 4 });
  const choices = fc.infiniteStream(fc.nat(5));
  fc.assert(
    fc.property(legalConversation({ endsWithInput: true }), marks, choices, (list, at, choose) => {
      const before = marked(encodeAnthropic(list), at);
      const decoded = decodeAnthropic(before);
      const from = decoded.length > 3 ? (choose.next().value as number) % 3 : 0;
      const isCut = from > 0 && decoded[from]?.role === "user";
      const kept = (isCut ? [summary, ...decoded.slice(from)] : [...decoded]).flatMap((message) => {
        const roll = choose.next().value as number;
        const note: Message = {
          role: "user",
          kind: "injected",
          parts: [{ type: "text", text: "!" }],
        };
        if (roll === 0 && message.role === "tool") return [message, note];
        return [roll < 3 ? changed(message, roll) : message];
      });
      const after = encodeAnthropic(kept);
      expect(checkAnthropic(after)).toEqual([]);
      expect(breakpoints(after).length).toBeLessThanOrEqual(breakpoints(before).length);
      const lives = breakpoints(after).map((one) => "ttl" in (one as object));
      expect(lives).toEqual(lives.toSorted((a, b) => Number(b) - Number(a)));
    }),
    { numRuns: runs(60, 300) },
  );
});

/** The conversation with breakpoints on some of its blocks, the first one with a long lifetime. */
function marked(conversation: AnthropicConversation, places: readonly number[]) {
  let block = 0;
  let isFirst = true;
  const messages = conversation.messages.map((message): AnthropicMessage => {
    if (!Array.isArray(message.content)) return message;
    const content = message.content.map(
      (one: { readonly type: string; readonly content?: unknown }) => {
        if (!places.includes(block++)) return one;
        const mark = isFirst ? long : short;
        isFirst = false;
        const inner = Array.isArray(one.content) ? (one.content as object[]) : [];
        const last = inner.at(-1);
        if (last === undefined) return { ...one, ...mark };
        return { ...one, content: [...inner.slice(0, -1), { ...last, ...mark }] };
      },
    );
    return { ...message, content };
  });
  return { ...conversation, messages };
}

function changed(message: Message, roll: number): Message {
  const parts = message.parts.map((part) => {
    if (part.type === "tool-result") {
      return { ...part, output: [{ type: "text" as const, text: "…" }] };
    }
    return part.type === "file" ? { type: "text" as const, text: "[a file]" } : part;
  });
  const isPlain = roll === 1 && parts.length > 1 && parts.at(-1)?.type === "text";
  return withParts(message, isPlain ? parts.slice(0, -1) : parts);
}
