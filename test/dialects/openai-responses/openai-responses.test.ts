import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import {
  checkMessages,
  type Message,
  repairMessages,
  splitUnits,
  withParts,
} from "../../../src/core/message/index.ts";
import { encodeOpenAIResponses } from "../../../src/dialects/openai-responses/encode.ts";
import {
  createOpenAIResponsesDecoder,
  openaiResponses,
} from "../../../src/dialects/openai-responses/openai-responses.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { brokenBonds, type Item, nativeItems } from "./arbitrary-items.ts";
import { openaiResponsesFixtures } from "./fixtures.ts";
import { runs } from "../../property/runs.ts";

describeDialect(openaiResponses, openaiResponsesFixtures, legalConversation());

const fixture = (name: string): readonly Item[] =>
  (openaiResponsesFixtures.legal[name] ?? []) as readonly Item[];
const replies = fixture("replies of reasoning, messages and parallel calls");
const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

/** A list with one message replaced by an edited one. */
function edit(
  messages: readonly Message[],
  at: number,
  change: (message: Message) => Message,
): Item[] {
  return encodeOpenAIResponses<Item>(messages.with(at, change(messages[at] as Message)));
}

function without(message: Message, type: string): Message {
  return withParts(
    message,
    message.parts.filter((part) => part.type !== type),
  );
}

describe("a reply", () => {
  test("is one message, and each output one of its own", () => {
    const messages = openaiResponses.decode(replies);
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ["user", "text"],
      ["assistant", "reasoning", "text", "tool-call", "tool-call"],
      ["tool", "tool-result"],
      ["tool", "tool-result"],
      ["assistant", "reasoning", "tool-call"],
      ["tool", "tool-result"],
      ["assistant", "reasoning", "reasoning", "text"],
    ]);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages[1]?.source?.value).toEqual(replies.slice(1, 5));
    expect(messages[1]?.parts).toMatchObject([
      { text: "Read it.", signature: "gAAAAABc2VhbGVk" },
      { text: "I read both." },
      { toolCallId: "call_1", toolName: "read", input: { path: "a.ts", n: 1 } },
      { toolCallId: "call_2", toolName: "read", input: '{"path": "b.ts' },
    ]);
    expect(messages[3]?.parts).toMatchObject([
      {
        toolCallId: "call_1",
        toolName: "read",
        output: [{ text: "a" }, { mediaType: "image/png" }],
      },
    ]);
  });

  test("is open until something else comes, and the same object until it grows", () => {
    const decode = createOpenAIResponsesDecoder();
    const open = () => decode.open?.() ?? [];
    expect([...decode(replies[0] as Item), ...open()]).toHaveLength(1);
    expect(decode(replies[1] as Item)).toEqual([]);
    const [first] = open();
    expect(open()[0]).toBe(first);
    expect(decode(replies[2] as Item)).toEqual([]);
    const [second] = open();
    expect([first?.parts.length, second?.parts.length]).toEqual([1, 2]);
    decode(replies[3] as Item);
    decode(replies[4] as Item);
    const [third] = open();
    const closed = decode(replies[5] as Item);
    expect(closed[0]).toBe(third);
    expect(closed).toHaveLength(2);
    expect(open()).toEqual([]);
  });
});

describe("an edited reply", () => {
  test("keeps its ids, its reasoning and the text of the other arguments", () => {
    const messages = openaiResponses.decode(replies);
    const sent = edit(messages, 1, (message) =>
      withParts(
        message,
        message.parts.map((part) =>
          part.type === "tool-call" && part.toolCallId === "call_2"
            ? { ...part, input: { path: "b.ts" } }
            : part,
        ),
      ),
    );
    expect(sent[4]).toEqual({ ...replies[4], arguments: '{"path":"b.ts"}' });
    for (const at of [0, 1, 2, 3, 5, 6]) expect(sent[at]).toBe(replies[at]);
  });

  test("keeps the phase and id of a message whose text changed, not what was said of the text", () => {
    const messages = openaiResponses.decode(replies);
    const sent = edit(messages, 1, (message) =>
      withParts(
        message,
        message.parts.map((part) => (part.type === "text" ? { ...part, text: "Both." } : part)),
      ),
    );
    expect(sent[2]).toEqual({
      ...replies[2],
      content: [{ type: "output_text", text: "Both.", annotations: [] }],
    });
  });

  test("goes without ids once its reasoning is gone", () => {
    const messages = openaiResponses.decode(replies);
    const sent = edit(messages, 1, (message) => without(message, "reasoning"));
    expect(openaiResponses.check(sent)).toEqual([]);
    expect(sent.slice(1, 4).map(({ id, type }) => [id, type])).toEqual([
      [undefined, "message"],
      [undefined, "function_call"],
      [undefined, "function_call"],
    ]);
    expect(sent[2]).toEqual({ ...replies[3], id: undefined });
    expect(sent[4]).toBe(replies[5]);
  });

  test("loses the reasoning whose item is gone; what never had an id stays", () => {
    const messages = openaiResponses.decode(replies);
    expect(edit(messages, 6, (message) => without(message, "text"))).toHaveLength(
      replies.length - 3,
    );
    const sent = edit(messages, 1, (message) => without(message, "text"));
    expect(sent.map(({ type }) => type).slice(0, 3)).toEqual([
      undefined,
      "function_call",
      "function_call",
    ]);
    expect(sent[1]).not.toHaveProperty("id");
    expect(openaiResponses.check(sent)).toEqual([]);
    const list = fixture("items without ids");
    const spoken = edit(openaiResponses.decode(list), 1, (message) => without(message, "text"));
    expect(spoken).toEqual(list.filter((_item, at) => at !== 2));
    expect(spoken[1]).toBe(list[1]);
  });

  test("keeps the reasoning that an item needs which the API takes with its id only", () => {
    const list = fixture("what the provider carries out");
    const sent = edit(openaiResponses.decode(list), 1, (message) => without(message, "reasoning"));
    expect(sent).toEqual(list);
    for (const [at, item] of sent.entries()) expect(item).toBe(list[at]);
  });

  test("goes without ids where the reasoning it may belong to is gone with an earlier reply", () => {
    const list = fixture("outputs in the middle of a reply");
    const messages = openaiResponses.decode(list);
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ]);
    const [go, ...rest] = encodeOpenAIResponses<Item>([say("Go on."), ...messages.slice(3)]);
    expect(go).toEqual({ type: "message", role: "user", content: "Go on." });
    expect(rest.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
    expect(rest[1]).toBe(list[5]);
    expect(openaiResponses.check(rest)).toEqual([]);
  });

  test("keeps blocks and items beside a changed one", () => {
    const list = fixture("what the provider carries out");
    const messages = openaiResponses.decode(list);
    const sent = edit(messages, 1, (message) =>
      withParts(
        message,
        message.parts.map((part) => (part.type === "text" ? { ...part, text: "Found." } : part)),
      ),
    );
    const at = list.length - 1;
    const content = list[at]?.["content"] as readonly unknown[];
    expect(sent[at]?.["content"]).toEqual([
      { type: "output_text", text: "Found.", annotations: [] },
      content[1],
    ]);
    for (let index = 0; index < at; index++) expect(sent[index]).toBe(list[index]);
  });
});

describe("tools of the API's own", () => {
  const list = fixture("shells and patches");
  const messages = openaiResponses.decode(list);

  test("are calls and results like others", () => {
    expect(
      messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result")),
    ).toMatchObject([
      { toolCallId: "call_l", toolName: "local_shell", output: [{ text: '{"stdout":"a.ts"}' }] },
      {
        toolCallId: "call_s",
        toolName: "shell",
        exitCode: 1,
        output: [{}, { text: "no such file" }],
      },
      { toolCallId: "call_a", toolName: "apply_patch", isError: true },
      { toolCallId: "call_m", toolName: "local_shell", output: [{ text: "/home" }] },
    ]);
  });

  test("keep their shape when they are pruned", () => {
    const sent = encodeOpenAIResponses<Item>(
      messages.map((message) =>
        withParts(
          message,
          message.parts.map((part) =>
            part.type === "tool-result" ? { ...part, output: [{ type: "text", text: "…" }] } : part,
          ),
        ),
      ),
    );
    expect(sent[2]).toEqual({ ...list[2], output: "…" });
    const outcome = { type: "exit", exit_code: 1 };
    expect(sent[5]).toEqual({ ...list[5], output: [{ stdout: "…", stderr: "", outcome }] });
    expect(sent[6]).toEqual({ ...list[6], output: "…" });
  });

  test("take a new input of the same shape only", () => {
    const inputs: unknown[] = [
      { type: "update_file", path: "a.ts", diff: "[gone]" },
      { path: "a.ts" },
      "[gone]",
    ];
    const sent = inputs.map((input) =>
      edit(messages, 3, (message) =>
        withParts(
          message,
          message.parts.map((part) =>
            part.type === "tool-call" && part.toolName === "apply_patch"
              ? { ...part, input }
              : part,
          ),
        ),
      ),
    );
    expect(sent[0]?.[4]).toEqual({ ...list[4], operation: inputs[0] });
    expect(sent[1]?.[4]).toBe(list[4]);
    expect(sent[2]?.[4]).toBe(list[4]);
  });

  test("get a result of their own kind when they have none", () => {
    const calls = list.filter(({ type }) => !String(type).endsWith("_output"));
    const { messages: repaired } = repairMessages(openaiResponses.decode(calls));
    const sent = encodeOpenAIResponses<Item>(repaired);
    expect(openaiResponses.check(sent)).toEqual([]);
    expect(sent.filter(({ type }) => String(type).endsWith("_output"))).toMatchObject([
      { type: "local_shell_call_output", id: "call_l" },
      { type: "shell_call_output", call_id: "call_s", output: [{ stderr: "" }] },
      { type: "apply_patch_call_output", call_id: "call_a", status: "failed" },
      { type: "local_shell_call_output", id: "call_m" },
    ]);
  });
});

describe("what cannot be read or edited", () => {
  test("stays with its step, and repair leaves it there", () => {
    const list = fixture("calls that are answered with more than text, and approvals");
    const messages = openaiResponses.decode(list);
    expect(messages.map(({ role }) => role).join(" ")).toBe(
      "system user assistant tool assistant tool assistant tool assistant tool assistant",
    );
    expect(repairMessages(messages).messages).toBe(messages);
    const broken = [...messages, { role: "assistant" as const, parts: [] }];
    expect(encodeOpenAIResponses(repairMessages(broken).messages)).toEqual(list);
    // The approval and the call that it allowed, the program and what it gave: one unit each.
    expect(splitUnits(messages).map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 4],
      [4, 6],
      [6, 11],
    ]);
  });

  test("an output whose call is only referred to is no orphan", () => {
    const list = fixture("references to stored items");
    const messages = openaiResponses.decode(list);
    expect(checkMessages(messages)).toEqual([]);
    const orphan = { type: "function_call_output", call_id: "call_9", output: "?" };
    const { messages: repaired } = repairMessages(openaiResponses.decode([...list, orphan]));
    const sent = encodeOpenAIResponses<Item>(repaired);
    expect(sent.slice(0, list.length)).toEqual(list);
    expect(sent[list.length]).toMatchObject({ type: "message", role: "user" });
  });

  test("costs what a picture costs, not what its base64 text would", () => {
    const image = { type: "image_generation_call", id: "ig_1", result: "A".repeat(400_000) };
    const [message] = openaiResponses.decode([image]);
    expect(message?.parts[0]).toMatchObject({ type: "opaque", tokens: 1500 });
  });
});

describe("messages from elsewhere", () => {
  const png = { type: "file" as const, mediaType: "image/png", data: "AAAA" };
  const output = [{ type: "text" as const, text: "see" }, png];
  const elsewhere: Message[] = [
    { role: "system", parts: [{ type: "text", text: "Be brief." }] },
    { role: "user", parts: [{ type: "text", text: "Look." }, png] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", signature: "b3RoZXI=" },
        { type: "text", text: "Looking." },
        { type: "tool-call", toolCallId: "a|b", toolName: "fs.read", input: { path: "a" } },
        { type: "tool-call", toolCallId: "a:b", toolName: "apply_patch", input: "*** Begin" },
      ],
    },
    {
      role: "tool",
      parts: [
        { type: "tool-result", toolCallId: "a|b", toolName: "fs.read", output },
        { type: "tool-result", toolCallId: "a:b", toolName: "apply_patch", output: [] },
      ],
    },
  ];

  test("are built without ids, free text as the input of a custom tool", () => {
    const url = "data:image/png;base64,AAAA";
    const image = { type: "input_image", detail: "auto", image_url: url };
    expect(encodeOpenAIResponses(elsewhere)).toEqual([
      { type: "message", role: "system", content: "Be brief." },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Look." }, image] },
      { type: "message", role: "assistant", content: "Looking." },
      { type: "function_call", call_id: "a_b", name: "fs_read", arguments: '{"path":"a"}' },
      { type: "custom_tool_call", call_id: "a_b_2", name: "apply_patch", input: "*** Begin" },
      {
        type: "function_call_output",
        call_id: "a_b",
        output: [{ type: "input_text", text: "see" }, image],
      },
      { type: "custom_tool_call_output", call_id: "a_b_2", output: "" },
    ]);
  });

  test("of a session of Codex keep sealed reasoning without id, and what the provider carried out", () => {
    const source = (value: object) => ({ dialect: "openai-responses", value });
    const thought = { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" };
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "a" } };
    const drawn = {
      type: "image_generation_call",
      id: "ig_1",
      result: "AAAA",
      status: "completed",
    };
    const sent = encodeOpenAIResponses<Item>([
      say("Go."),
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "", signature: "c2VhbGVk", source: source(thought) },
          { type: "opaque", kind: "web_search_call", source: source(search) },
          { type: "opaque", kind: "image_generation_call", source: source(drawn) },
          { type: "text", text: "Done." },
          { type: "reasoning", text: "", source: source({ ...thought, id: "rs_2" }) },
          { type: "text", text: "Really." },
          { type: "reasoning", text: "", source: source({ ...thought }) },
        ],
      },
    ]);
    expect(sent.slice(1)).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" },
      { type: "web_search_call", action: { type: "search", query: "a" } },
      drawn,
      { type: "message", role: "assistant", content: "Done." },
      { type: "message", role: "assistant", content: "Really." },
    ]);
  });

  test("a call whose id another one has gets a new one, and loses the id of its item", () => {
    const item = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "a",
      arguments: "{}",
    };
    const answer = { type: "function_call_output", call_id: "call_1", output: "1" };
    const { messages } = repairMessages(openaiResponses.decode([item, answer, item, answer]));
    const sent = encodeOpenAIResponses(messages);
    expect(openaiResponses.check(sent)).toEqual([]);
    expect(sent[0]).toBe(item);
    expect(sent[2]).toEqual({ ...item, id: undefined, call_id: "call_1-2" });
    expect(sent[3]).toEqual({ ...answer, call_id: "call_1-2" });
  });
});

describe("whatever is edited, the API's bonds hold", () => {
  /** Drops leading units, reasoning, texts and inputs as the numbers say. */
  function changed(messages: readonly Message[], choose: Iterator<number>): Message[] {
    const units = splitUnits(messages);
    const first = units[Math.floor((units.length * (choose.next().value as number)) / 10)];
    return messages.slice(first?.from ?? 0).map((message) => {
      const roll = choose.next().value as number;
      if (roll === 0) return without(message, "reasoning");
      if (roll === 1) return without(message, "text");
      if (roll > 4) return message;
      return withParts(
        message,
        message.parts.map((part) => {
          if (part.type === "tool-call" && roll === 2) return { ...part, input: { path: "…" } };
          if (part.type === "tool-result") {
            return { ...part, output: [{ type: "text" as const, text: "…" }] };
          }
          return part;
        }),
      );
    });
  }

  test("after any edit of any reply", () => {
    const choices = fc.infiniteStream(fc.nat(9));
    fc.assert(
      fc.property(nativeItems, choices, (items, choose) => {
        expect(openaiResponses.check(items)).toEqual([]);
        const edited = changed(openaiResponses.decode(items), choose);
        const sent = encodeOpenAIResponses<Item>([say("Summary."), ...edited]);
        expect(openaiResponses.check(sent)).toEqual([]);
        expect(brokenBonds(items, sent)).toEqual([]);
      }),
      { numRuns: runs(80, 400) },
    );
  });

  test("after compactions of what came back and of what is new", async () => {
    let compacted = 0;
    await fc.assert(
      fc.asyncProperty(nativeItems, async (items) => {
        const context = createContext({ window: 8_000, traits: openaiResponses.traits });
        let history = openaiResponses.decode(items);
        for (let round = 0; round < 2; round++) {
          const { messages, report } = await context.prepare(history, { force: true });
          compacted += report.action === "compact" ? 1 : 0;
          const sent = encodeOpenAIResponses<Item>(messages);
          expect(openaiResponses.check(sent)).toEqual([]);
          expect(brokenBonds(items, sent)).toEqual([]);
          history = [...openaiResponses.decode(sent), say("And now?")];
        }
        await context.close();
      }),
      { numRuns: runs(13, 40) },
    );
    expect(compacted).toBeGreaterThan(0);
  });
});
