import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wholeMessage } from "../../src/dialects/anthropic/stream.ts";
import { wholeCompletion } from "../../src/dialects/openai-chat/stream.ts";
import type { WireObject } from "../../src/dialects/wire.ts";
import { runs } from "../property/runs.ts";

/** A place that no array can be filled up to. */
const FAR = 4_294_967_294;

const start = { type: "message_start", message: { role: "assistant", usage: { input_tokens: 9 } } };
const begin = (index: unknown, block: object): WireObject => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: unknown, change: object): WireObject => ({
  type: "content_block_delta",
  index,
  delta: change,
});
const said = (index: unknown, text: string) => delta(index, { type: "text_delta", text });
const empty = { type: "text", text: "" };
const text = (value: string) => ({ type: "text", text: value });

const chunk = (change: object, rest: object = {}): WireObject => ({
  choices: [{ index: 0, delta: change }],
  ...rest,
});
const messageOf = (completion: WireObject): WireObject =>
  (completion["choices"] as { message: WireObject }[])[0]!.message;
const contentOf = (...contents: unknown[]): unknown =>
  messageOf(wholeCompletion(contents.map((content) => chunk({ content }))))["content"];

describe("the events of Anthropic", () => {
  test("an index is a name, however large", () => {
    const events = [start, begin(FAR, empty), said(FAR, "last"), begin(3, empty), said(3, "first")];
    expect(wholeMessage(events)["content"]).toEqual([text("first"), text("last")]);
  });

  test.each([
    ["null", { input_tokens: null, cache_read_input_tokens: null, output_tokens: 9 }],
    ["zero", { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 }],
    ["absent", { output_tokens: 9 }],
  ])("counts of the start that are %s at the end stay", (_, usage) => {
    const first = { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 };
    const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage };
    expect(wholeMessage([{ type: "message_start", message: { usage: first } }, end])).toEqual({
      content: [],
      stop_reason: "end_turn",
      usage: { ...first, output_tokens: 9 },
    });
  });

  test.each<[string, WireObject[], object[]]>(
    [
      [
        "no index",
        [begin(undefined, empty), said(undefined, "hel"), said(undefined, "lo")],
        ["hello"],
      ],
      ["no start", [said(0, "hel"), said(0, "lo"), said(1, "you")], ["hello", "you"]],
      ["neither", [said(undefined, "hel"), said(undefined, "lo")], ["hello"]],
      [
        "one index twice",
        [begin(0, empty), said(0, "one "), begin(0, empty), said(0, "two")],
        ["one ", "two"],
      ],
      [
        "starts without index",
        [begin(undefined, text("a")), begin(undefined, text("b")), said(undefined, "c")],
        ["a", "bc"],
      ],
    ].map(
      ([name, events, texts]) =>
        [name, events, (texts as string[]).map(text)] as [string, WireObject[], object[]],
    ),
  )("no text is lost: %s", (_, events, content) => {
    expect(wholeMessage([start, ...events])["content"]).toEqual(content);
  });

  test("an answer behind thinking is no part of it", () => {
    const thought = delta(undefined, { type: "thinking_delta", thinking: "hm" });
    expect(wholeMessage([start, thought, said(undefined, "yes")])["content"]).toEqual([
      { type: "thinking", thinking: "hm" },
      text("yes"),
    ]);
  });
});

describe("the chunks of OpenAI Chat", () => {
  const call = (index: unknown, id: string) => ({ index, id, function: { name: id } });

  test("an index is a name, however large", () => {
    const message = messageOf(
      wholeCompletion([
        chunk({ tool_calls: [call(FAR, "b")] }),
        chunk({ tool_calls: [call(1, "a")] }),
      ]),
    );
    expect(message["tool_calls"]).toMatchObject([{ id: "a" }, { id: "b" }]);
  });

  test("a call whose index is no number has that of its place", () => {
    const message = messageOf(
      wholeCompletion([chunk({ tool_calls: [call("zz", "a"), call({}, "b")] })]),
    );
    expect(message["tool_calls"]).toMatchObject([{ id: "a" }, { id: "b" }]);
  });

  test("content that changes between text and parts keeps both", () => {
    expect(contentOf("he", [text("llo")])).toEqual([text("he"), text("llo")]);
    expect(contentOf([text("he")], "llo")).toEqual([text("he"), text("llo")]);
    expect(contentOf("", [text("hello")], "")).toEqual([text("hello")]);
  });

  test("chunks stay as they were", () => {
    const chunks = [chunk({ content: [text("a")] }), chunk({ content: [text("b")] })];
    const before = structuredClone(chunks);
    wholeCompletion(chunks);
    expect(chunks).toEqual(before);
  });

  test("many chunks with parts take no more than their share of time", () => {
    const cpu = (count: number): number => {
      const chunks = Array.from({ length: count }, () => chunk({ content: [text("a")] }));
      const from = process.cpuUsage();
      wholeCompletion(chunks);
      const { user, system } = process.cpuUsage(from);
      return user + system;
    };
    cpu(2_000);
    // Copies of the list for each chunk make this 256 times as much.
    expect(cpu(32_000)).toBeLessThan(80 * Math.max(cpu(2_000), 2_000));
  });

  test("usage that counts nothing does not take the place of one that does", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3 };
    for (const last of [{}, null, [], { prompt_tokens: null }]) {
      expect(wholeCompletion([chunk({}, { usage }), chunk({}, { usage: last })])["usage"]).toEqual(
        usage,
      );
    }
  });
});

/** Texts, each in pieces, and the pieces of all of them in an order that keeps that of each. */
const cutTexts = fc
  .array(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 })
  .chain((texts) => {
    const owners = texts.flatMap((pieces, owner) => pieces.map(() => owner));
    return fc.tuple(fc.constant(texts), fc.shuffledSubarray(owners, { minLength: owners.length }));
  });

/** What is said in this order: whose piece, the piece, and whether it is the first one of its owner. */
function inOrder([texts, order]: readonly [string[][], number[]]) {
  const rest = texts.map((pieces) => [...pieces]);
  return order.map((owner) => {
    const isFirst = rest[owner]?.length === texts[owner]?.length;
    return { owner, piece: rest[owner]?.shift() ?? "", isFirst };
  });
}

const KINDS = [
  { block: { type: "text", text: "" }, change: "text_delta", field: "text" },
  { block: { type: "thinking", thinking: "" }, change: "thinking_delta", field: "thinking" },
] as const;
const kindOf = (owner: number) => KINDS[owner % 2] ?? KINDS[0];

test("any split and order of legal events is the same message", () => {
  fc.assert(
    fc.property(cutTexts, (cut) => {
      const events = inOrder(cut).flatMap(({ owner, piece, isFirst }) => {
        const { block, change, field } = kindOf(owner);
        const next = delta(owner, { type: change, [field]: piece });
        return isFirst ? [begin(owner, block), next] : [{ type: "ping" }, next];
      });
      const whole = cut[0].map((pieces, owner) => {
        const { block, field } = kindOf(owner);
        return { ...block, [field]: pieces.join("") };
      });
      expect(wholeMessage([start, ...events])["content"]).toEqual(whole);
    }),
    { numRuns: runs(100, 1000) },
  );
});

test("any split of an input is the same call", () => {
  fc.assert(
    fc.property(fc.json(), fc.array(fc.nat()), (input, cuts) => {
      const places = [...new Set(cuts.map((at) => at % (input.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...places].map((from, at) => input.slice(from, places[at]));
      const use = { type: "tool_use", id: "a", name: "x", input: {} };
      const events = pieces.map((piece) =>
        delta(0, { type: "input_json_delta", partial_json: piece }),
      );
      const message = wholeMessage([start, begin(0, use), ...events]);
      expect(message["content"]).toEqual([{ ...use, input: JSON.parse(input) }]);
    }),
    { numRuns: runs(100, 1000) },
  );
});

test("any split and order of legal chunks is the same completion", () => {
  fc.assert(
    fc.property(cutTexts, fc.array(fc.boolean()), (cut, asParts) => {
      const chunks = inOrder(cut).map(({ owner, piece, isFirst }, at) => {
        if (owner === 0) return chunk({ content: asParts[at] === true ? [text(piece)] : piece });
        const head = isFirst ? { id: `c${owner}`, type: "function" } : {};
        const called = { ...(isFirst && { name: "look" }), arguments: piece };
        return chunk({ tool_calls: [{ index: owner - 1, ...head, function: called }] });
      });
      const { content, tool_calls } = messageOf(wholeCompletion(chunks));
      const parts = typeof content === "string" ? [text(content)] : (content as { text: string }[]);
      const [said, ...inputs] = cut[0].map((pieces) => pieces.join(""));
      expect(parts.map((part) => part.text).join("")).toBe(said);
      expect(tool_calls ?? []).toEqual(
        inputs.map((input, at) => ({
          id: `c${at + 1}`,
          type: "function",
          function: { name: "look", arguments: input },
        })),
      );
    }),
    { numRuns: runs(100, 1000) },
  );
});

test("hostile events neither hang nor throw", () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      FAR,
      -1,
      1e300,
      "0",
      null,
      "constructor",
      { toString: 1 },
      [],
      {},
      "text",
    ),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const names = (...known: string[]) => fc.oneof(fc.constantFrom(...known), odd);
  const change = fc.record(
    {
      type: names(
        "text_delta",
        "thinking_delta",
        "input_json_delta",
        "citations_delta",
        "__proto__",
      ),
      text: odd,
      partial_json: odd,
      citation: odd,
    },
    { requiredKeys: [] },
  );
  const event = fc.record(
    {
      type: names("message_start", "content_block_start", "content_block_delta", "message_delta"),
      index: odd,
      message: odd,
      content_block: odd,
      delta: fc.oneof(change, odd),
      usage: odd,
    },
    { requiredKeys: [] },
  );
  const piece = fc.record({ index: odd, id: odd, function: odd }, { requiredKeys: [] });
  const saying = fc.record(
    { content: odd, role: odd, tool_calls: fc.oneof(fc.array(piece), odd), refusal: odd },
    { requiredKeys: [] },
  );
  const choice = fc.record(
    { index: odd, delta: fc.oneof(saying, odd), message: odd, finish_reason: odd },
    { requiredKeys: [] },
  );
  const sent = fc.record({ choices: fc.oneof(fc.array(choice), odd), usage: odd });
  const wire = (values: unknown[]) => JSON.parse(JSON.stringify(values)) as WireObject[];
  fc.assert(
    fc.property(fc.array(event), fc.array(sent), (events, chunks) => {
      expect(wholeMessage(wire(events))["content"]).toBeInstanceOf(Array);
      expect(messageOf(wholeCompletion(wire(chunks)))["role"]).toBeDefined();
    }),
    { numRuns: runs(300, 3000) },
  );
});
