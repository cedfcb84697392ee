import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import { repairMessages, splitUnits } from "../../../src/core/message/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import { checkAnthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import { decodeAnthropic } from "../../../src/dialects/anthropic/decode.ts";
import { encodeAnthropic } from "../../../src/dialects/anthropic/encode.ts";
import type { AnthropicConversation } from "../../../src/dialects/anthropic/wire.ts";
import { anthropicFixtures } from "./fixtures.ts";
import { runs } from "../../property/runs.ts";

const paused = anthropicFixtures.legal[
  "server tools that run our tools, and one that goes on after a pause"
] as AnthropicConversation;

test("a server tool's call and its result in a later message are one unit", () => {
  const units = splitUnits(decodeAnthropic(paused)).map(({ from, to }) => [from, to]);
  expect(units).toEqual([
    [0, 1],
    [1, 5],
    [5, 6],
  ]);
});

test("a repair closes and moves none of them", () => {
  const torn = {
    role: "assistant" as const,
    content: [{ type: "tool_use", id: "t", name: "a", input: {} }],
  };
  const messages = [...paused.messages.slice(0, 1), torn, ...paused.messages];
  const { messages: repaired, repairs } = repairMessages(decodeAnthropic({ messages }));
  expect(repairs).toHaveLength(1);
  const encoded = encodeAnthropic(repaired);
  expect(checkAnthropic(encoded)).toEqual([]);
  for (const native of paused.messages.slice(1)) expect(encoded.messages).toContain(native);
});

/** Steps of a server tool that runs one of our tools; each result comes one message later. */
function linkedSteps(count: number): AnthropicConversation {
  const messages = Array.from({ length: count }, (_, at) => {
    const call = { type: "server_tool_use", id: `srv_${at}`, name: "code_execution", input: {} };
    const inner = {
      type: "tool_use",
      id: `toolu_${at}`,
      name: "read",
      input: { path: `${at}.ts` },
    };
    const output = `line ${at} of the file `.repeat(60);
    const done = {
      type: "code_execution_tool_result",
      tool_use_id: `srv_${at}`,
      content: { stdout: output },
    };
    return [
      { role: "assistant" as const, content: [call, inner] },
      {
        role: "user" as const,
        content: [{ type: "tool_result", tool_use_id: inner.id, content: output }],
      },
      { role: "assistant" as const, content: [done, { type: "text", text: `Read ${at}.` }] },
      { role: "user" as const, content: `Now the file ${at + 1}.` },
    ];
  });
  return { messages: [{ role: "user", content: "Read all." }, ...messages.flat()] };
}

test("a compaction never cuts between them, wherever the tail starts", async () => {
  let compacted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 3, max: 30 }),
      fc.integer({ min: 9, max: 40 }),
      async (count, thousands) => {
        const window = thousands * 1_000;
        const context = createContext({ window, traits: anthropic.traits });
        const { messages, report } = await context.prepare(decodeAnthropic(linkedSteps(count)), {
          force: true,
        });
        await context.close();
        if (report.action === "compact") compacted += 1;
        expect(checkAnthropic(encodeAnthropic(messages), { asRequest: true })).toEqual([]);
      },
    ),
    { numRuns: runs(10, 30) },
  );
  expect(compacted).toBeGreaterThan(runs(3, 10));
});
