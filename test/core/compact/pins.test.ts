import { describe, expect, test } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import { pinnedMessages } from "../../../src/core/compact/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import { createMessageMeter } from "../../../src/core/tokens/index.ts";
import { encodeOpenAIResponses } from "../../../src/dialects/openai-responses/encode.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../../src/dialects/openai-responses/wire.ts";
import { quarter, user, words } from "../../build-messages.ts";

const sealed = (tokens: number): Message => ({
  role: "user",
  kind: "summary",
  parts: [{ type: "opaque", kind: "compaction", tokens, source: { dialect: "d", value: {} } }],
});
const pins = (messages: readonly Message[], usable = 10_000): number[] =>
  pinnedMessages(messages, {
    meter: createMessageMeter(quarter),
    usable,
    from: 0,
    to: messages.length,
  });

describe("a summary that only its provider can read", () => {
  test("is kept, the newest of them, if it is not too large", () => {
    const messages = [sealed(100), user("a"), sealed(200), user("b")];
    expect(pins(messages)).toEqual([2, 3]);
    expect(pins([sealed(2_600), user("b")])).toEqual([1]);
    expect(pins([sealed(2_400), user("b")])).toEqual([0, 1]);
  });

  test("stands before our summary, through several compactions", async () => {
    const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "c2VhbGVk" };
    const asked = { type: "message", role: "user", content: "Go on." };
    const items: ResponsesItem[] = [compaction, asked];
    const context = createContext({
      window: 16_000,
      counter: quarter,
      traits: openaiResponses.traits,
    });
    for (let n = 0; n < 90; n++) {
      const call_id = `call_${n}`;
      const called = { type: "function_call", call_id, name: "read", arguments: `{"n":${n}}` };
      const said = { type: "message", role: "assistant", content: words(150, `n ${n}`) };
      const output = { type: "function_call_output", call_id, output: words(150, `file ${n}`) };
      items.push(said, called, output);
      const { messages } = await context.prepare(openaiResponses.decode(items));
      const sent = encodeOpenAIResponses(messages);
      expect(sent[0]).toBe(compaction);
      expect(openaiResponses.check(sent)).toEqual([]);
    }
    const compactions = context.journal().filter(({ plan }) => plan.action === "compact");
    expect(compactions.length).toBeGreaterThan(1);
    expect(compactions.at(-1)?.summary).toContain("Go on.");
  });
});
