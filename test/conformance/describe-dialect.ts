import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isContextError } from "../../src/core/error.ts";
import {
  checkMessages,
  isUntouched,
  type Message,
  messageText,
  type Part,
  withParts,
} from "../../src/core/message/index.ts";
import { frameSummary } from "../../src/core/summary/index.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";

/** What a dialect brings to the kit. */
export interface DialectFixtures<Conversation, Native> {
  /** Legal conversations in real wire shapes, by what they show. */
  readonly legal: Readonly<Record<string, Conversation>>;
  /** Conversations that the provider rejects, and the rule they break. */
  readonly illegal: readonly { readonly rule: string; readonly conversation: unknown }[];
  /** Input that is not of the dialect at all, by what is wrong. */
  readonly malformed: Readonly<Record<string, unknown>>;
  /** The native messages of a conversation. */
  natives(conversation: Conversation): readonly Native[];
}

const PLACEHOLDER = '<tool-output-compacted tool="bash" recall="out_0123456789abcdef" />';
const COMPACTED_AT = 1_700_000_000_000;

/** The conformance kit of the dialects; `arbitrary` makes conversations legal for the dialect. */
export function describeDialect<Conversation, Native>(
  dialect: Dialect<Conversation, Native>,
  fixtures: DialectFixtures<Conversation, Native>,
  arbitrary: fc.Arbitrary<readonly Message[]>,
): void {
  describe(`dialect ${dialect.name}`, () => {
    describe.each(Object.entries(fixtures.legal))("%s", (_name, conversation) => {
      describeConversation(dialect, fixtures, conversation);
    });
    describeRules(dialect, fixtures);
    describeSummary(dialect);
    describeGenerated(dialect, fixtures, arbitrary);
  });
}

function describeConversation<Conversation, Native>(
  dialect: Dialect<Conversation, Native>,
  fixtures: DialectFixtures<Conversation, Native>,
  conversation: Conversation,
): void {
  const natives = fixtures.natives(conversation);

  test("is legal", () => {
    expect(dialect.check(conversation)).toEqual([]);
  });

  test("comes back as the same objects", () => {
    const encoded = dialect.encode(dialect.decode(conversation));
    expect(encoded).toEqual(conversation);
    expectSame(fixtures.natives(encoded), natives);
  });

  test("is decoded message by message as in one go", () => {
    const decode = dialect.createDecoder();
    const one = [...natives.flatMap((native) => decode(native)), ...(decode.open?.() ?? [])];
    const whole = dialect.decode(conversation);
    expect(one).toEqual(whole.slice(whole.length - one.length));
  });

  test("a pruned result changes one message and stays legal", () => {
    const messages = dialect.decode(conversation);
    messages.forEach((message, at) => {
      message.parts.forEach((part, piece) => {
        if (part.type !== "tool-result") return;
        const parts = message.parts.with(piece, prunedResult(part));
        const edited = dialect.encode(messages.with(at, withParts(message, parts)));
        expect(dialect.check(edited)).toEqual([]);
        expectOneChange(fixtures.natives(edited), natives);
        expect(JSON.stringify(edited)).toContain("tool-output-compacted");
      });
    });
  });

  test("dropped reasoning leaves a legal conversation", () => {
    const messages = dialect.decode(conversation).map(withoutReasoning);
    expect(dialect.check(dialect.encode(messages))).toEqual([]);
  });

  test("the decoded objects are not changed by an edit", () => {
    const before = structuredClone(natives.map((native) => JSON.stringify(native)));
    dialect.encode(dialect.decode(conversation).map(withoutReasoning).map(prunedMessage));
    expect(natives.map((native) => JSON.stringify(native))).toEqual(before);
  });
}

function describeRules<Conversation, Native>(
  dialect: Dialect<Conversation, Native>,
  fixtures: DialectFixtures<Conversation, Native>,
): void {
  test.each(fixtures.illegal)("rejects what breaks $rule", ({ rule, conversation }) => {
    const issues = dialect.check(conversation as Conversation, { asRequest: true });
    expect(issues.map((issue) => issue.rule)).toContain(rule);
    for (const issue of issues) expect(issue.message).toMatch(/\.$/);
  });

  test.each(Object.entries(fixtures.malformed))("refuses %s", (_name, conversation) => {
    const error = thrownBy(() => dialect.decode(conversation as Conversation));
    expect(isContextError(error) && error.code).toBe("invalid-message");
    expect(String(error)).toContain(dialect.name);
  });
}

function describeSummary<Conversation, Native>(dialect: Dialect<Conversation, Native>): void {
  const text = frameSummary("# Goal\nShip it.", { headMessages: 12 });
  const summary: Message = {
    role: dialect.traits.summaryRole,
    kind: "summary",
    parts: [{ type: "text", text }],
  };
  const system: Message = { role: "system", parts: [{ type: "text", text: "Be brief." }] };
  const user: Message = { role: "user", parts: [{ type: "text", text: "Go on." }] };

  test("our summary is recognised when it comes back, and stands alone", () => {
    const encoded = dialect.encode([system, summary, user]);
    expect(dialect.check(encoded)).toEqual([]);
    const decoded = dialect.decode(encoded);
    expect(decoded.map((message) => message.kind)).toEqual([undefined, "summary", undefined]);
    expect(decoded.map(messageText)).toEqual(["Be brief.", text, "Go on."]);
    expect(dialect.encode(decoded)).toEqual(encoded);
  });

  test("a summary in a tool result or inside other text is none", () => {
    const step = stepWith(text);
    const quoted: Message = { role: "user", parts: [{ type: "text", text: `See:\n${text}` }] };
    const decoded = dialect.decode(dialect.encode([quoted, ...step]));
    expect(decoded.some((message) => message.kind === "summary")).toBe(false);
  });
}

function describeGenerated<Conversation, Native>(
  dialect: Dialect<Conversation, Native>,
  fixtures: DialectFixtures<Conversation, Native>,
  arbitrary: fc.Arbitrary<readonly Message[]>,
): void {
  test("a legal neutral conversation is legal when it is encoded, and again when it is decoded", () => {
    fc.assert(
      fc.property(arbitrary, (messages) => {
        const encoded = dialect.encode(messages);
        expect(dialect.check(encoded)).toEqual([]);
        expect(checkMessages(dialect.decode(encoded))).toEqual([]);
      }),
    );
  });

  test("what was encoded comes back as the same objects", () => {
    fc.assert(
      fc.property(arbitrary, (messages) => {
        const encoded = dialect.encode(messages);
        const again = dialect.encode(dialect.decode(encoded));
        expect(again).toEqual(encoded);
        expectSame(fixtures.natives(again), fixtures.natives(encoded));
      }),
    );
  });

  test("edited messages are legal, and the others the same objects", () => {
    const choices = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(arbitrary, choices, (messages, choose) => {
        const encoded = dialect.encode(messages);
        const decoded = dialect.decode(encoded);
        const edited = decoded.map((message) =>
          choose.next().value === true ? prunedMessage(withoutReasoning(message)) : message,
        );
        const out = dialect.encode(edited);
        expect(dialect.check(out)).toEqual([]);
        const kept = new Set(fixtures.natives(out));
        const own = fixtures.natives(encoded);
        const whole = own.filter((native) => isAllUntouched(edited, native, dialect.name));
        for (const native of whole) expect(kept.has(native)).toBe(true);
      }),
    );
  });

  test("encoding the same messages twice gives the same bytes", () => {
    fc.assert(
      fc.property(arbitrary, (messages) => {
        expect(JSON.stringify(dialect.encode(messages))).toBe(
          JSON.stringify(dialect.encode(messages)),
        );
      }),
    );
  });
}

function isAllUntouched(messages: readonly Message[], native: unknown, name: string): boolean {
  const own = messages.filter(({ source }) => source?.value === native || holds(source, native));
  return own.length > 0 && own.every((message) => isUntouched(message, name));
}

/** Whether a message was made from several native ones, this one among them. */
function holds(source: Message["source"], native: unknown): boolean {
  return Array.isArray(source?.value) && source.value.includes(native);
}

function stepWith(output: string): Message[] {
  const call = { toolCallId: "call_1", toolName: "read" };
  return [
    { role: "assistant", parts: [{ type: "tool-call", ...call, input: {} }] },
    {
      role: "tool",
      parts: [{ type: "tool-result", ...call, output: [{ type: "text", text: output }] }],
    },
  ];
}

function prunedResult(part: Part & { readonly type: "tool-result" }): Part {
  return {
    ...part,
    output: [{ type: "text", text: PLACEHOLDER }],
    time: { compacted: COMPACTED_AT },
    original: "out_0123456789abcdef",
  };
}

/** Prunes results, and shortens the input of calls. */
function prunedMessage(message: Message): Message {
  const parts = message.parts.map((part): Part => {
    if (part.type === "tool-result") return prunedResult(part);
    return part.type === "tool-call" ? { ...part, input: { path: "a.ts" } } : part;
  });
  return parts.some((part, at) => part !== message.parts[at]) ? withParts(message, parts) : message;
}

function withoutReasoning(message: Message): Message {
  const parts = message.parts.filter((part) => part.type !== "reasoning");
  return parts.length === message.parts.length ? message : withParts(message, parts);
}

function expectSame(actual: readonly unknown[], expected: readonly unknown[]): void {
  expect(actual.length).toBe(expected.length);
  actual.forEach((native, at) => expect(native).toBe(expected[at]));
}

function expectOneChange(actual: readonly unknown[], expected: readonly unknown[]): void {
  expect(actual.length).toBe(expected.length);
  const changed = actual.filter((native, at) => native !== expected[at]);
  expect(changed.length).toBe(1);
  const at = actual.findIndex((native, index) => native !== expected[index]);
  // Every field of the native message is still there, in the same order.
  const before = Object.keys(expected[at] as object);
  expect(Object.keys(actual[at] as object).slice(0, before.length)).toEqual(before);
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
