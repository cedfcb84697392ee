import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../src/core/message/index.ts";
import {
  readTranscript,
  WRITE_TARGETS,
  writeConversation,
  type WriteTarget,
} from "../../src/transcripts/index.ts";
import { runs } from "../property/runs.ts";

const word = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/);
const text = (value: string): Part => ({ type: "text", text: value });

/** A step: what the assistant says and calls, and the results of its calls in one message. */
const step = fc
  .record({ said: word, tools: fc.array(fc.tuple(fc.constantFrom("read", "bash"), word, word)) })
  .map(({ said, tools }) => (at: number): Message[] => {
    const calls = tools.map(([toolName, path_], index): Part => ({
      type: "tool-call",
      toolCallId: `c${at}_${index}`,
      toolName,
      input: { path: path_ },
    }));
    const results = tools.map(([toolName, , output], index): Part => ({
      type: "tool-result",
      toolCallId: `c${at}_${index}`,
      toolName,
      output: [{ type: "text", text: output }],
    }));
    const reply: Message = { role: "assistant", parts: [text(said), ...calls] };
    return results.length === 0 ? [reply] : [reply, { role: "tool", parts: results }];
  });

/** What every target can say: a system message, then turns of typed text and steps. */
const plainConversation = fc
  .record({
    system: word,
    turns: fc.array(fc.record({ typed: word, step }), { minLength: 1, maxLength: 6 }),
  })
  .map(({ system, turns }): Message[] => [
    { role: "system", parts: [text(system)] },
    ...turns.flatMap(({ typed, step: make }, at): Message[] => [
      { role: "user", parts: [text(typed)] },
      ...make(at),
    ]),
  ]);

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Anything that the neutral format can say. */
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.string() }),
  fc.record(
    { type: fc.constant("reasoning" as const), text: fc.string(), signature: fc.string() },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    { type: fc.constant("file" as const), mediaType: word, data: word, filename: word },
    { requiredKeys: ["type", "mediaType"] },
  ),
  fc.record({
    type: fc.constant("tool-call" as const),
    toolCallId: word,
    toolName: word,
    input: json,
  }),
  fc.record(
    {
      type: fc.constant("tool-result" as const),
      toolCallId: word,
      toolName: word,
      output: fc.array(fc.record({ type: fc.constant("text" as const), text: fc.string() })),
      isError: fc.constant(true),
      time: fc.record({ compacted: fc.nat() }),
      original: word,
    },
    { requiredKeys: ["type", "toolCallId", "toolName", "output"] },
  ),
);
const anyMessage: fc.Arbitrary<Message> = fc.record(
  {
    role: fc.constantFrom("system", "user", "assistant", "tool"),
    parts: fc.array(anyPart),
    kind: fc.constantFrom("injected", "summary", "continuation"),
    id: word,
    time: fc.nat(),
    usage: fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() }),
    metadata: fc.dictionary(word, json),
  },
  { requiredKeys: ["role", "parts"] },
) as fc.Arbitrary<Message>;

async function reread(messages: readonly Message[], to: WriteTarget): Promise<readonly Message[]> {
  const transcript = await readTranscript(Buffer.from(await writeConversation(messages, to)));
  expect(transcript.warnings).toEqual([]);
  expect(transcript.conversations).toHaveLength(1);
  return transcript.conversations[0]?.messages ?? [];
}

/** Without native sources, and with results that stand in messages of their own put together. */
function comparable(messages: readonly Message[]): readonly unknown[] {
  const plain = JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "source" ? undefined : value)),
  ) as { role: string; parts: unknown[] }[];
  const merged: { role: string; parts: unknown[] }[] = [];
  for (const message of plain) {
    const last = merged.at(-1);
    if (message.role === "tool" && last?.role === "tool") last.parts.push(...message.parts);
    else merged.push(message);
  }
  return merged;
}

describe("a written conversation", () => {
  it.each(WRITE_TARGETS)("is read back the same from %s", async (to) => {
    await fc.assert(
      fc.asyncProperty(plainConversation, async (messages) => {
        expect(comparable(await reread(messages, to))).toEqual(comparable(messages));
      }),
      { numRuns: runs(20, 60) },
    );
  });

  it("keeps everything in the neutral format: kinds, marks, metadata, ids, times and usage", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage), async (messages) => {
        expect(await reread(messages, "neutral")).toEqual(messages);
      }),
    );
  });

  it("keeps kinds, metadata and the marks of pruned results in the AI SDK's format", async () => {
    const messages: Message[] = [
      { role: "user", kind: "injected", parts: [text("note")], metadata: { a: 1 } },
      {
        role: "assistant",
        parts: [{ type: "tool-call", toolCallId: "c", toolName: "ls", input: {} }],
      },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "ls",
            output: [{ type: "text", text: "gone" }],
            isError: true,
            time: { compacted: 7 },
            original: "out_0123456789abcdef",
          },
        ],
      },
      {
        role: "user",
        kind: "continuation",
        parts: [text("Go on")],
        metadata: { compaction_continue: true },
      },
    ];
    expect(comparable(await reread(messages, "ai-sdk"))).toEqual(messages);
  });

  it("gives back the native objects of the format it came from", async () => {
    const native = [
      { role: "user", content: "Hi", name: "me", unknown: { deep: [1] } },
      { role: "assistant", content: "Hello.", refusal: null },
    ];
    const messages = await readTranscript(Buffer.from(JSON.stringify(native)));
    const written = await writeConversation(
      messages.conversations[0]?.messages ?? [],
      "openai-chat",
    );
    expect(JSON.parse(written)).toEqual(native);
    expect(written.endsWith("]\n")).toBe(true);
  });

  it("refuses another target and values that are no JSON", async () => {
    await expect(writeConversation([], "xml" as WriteTarget)).rejects.toThrow(
      /Choose one of: neutral/,
    );
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const message: Message = { role: "user", parts: [text("x")], metadata: circular };
    await expect(writeConversation([message], "neutral")).rejects.toThrow(
      /cannot be written as JSON/,
    );
  });
});
