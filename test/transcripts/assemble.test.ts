import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, type Message, type Part } from "../../src/core/message/index.ts";
import { assembleSteps, type Piece } from "../../src/transcripts/assemble.ts";

const call = (id: string): Part => ({
  type: "tool-call",
  toolCallId: id,
  toolName: `tool ${id}`,
  input: {},
});
const result = (id: string): Part => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "unknown",
  output: [],
});
const reply = (key: string, ...parts: Part[]): Piece => ({
  type: "reply",
  reply: key,
  message: { role: "assistant", parts },
});
const results = (...parts: Part[]): Piece => ({
  type: "results",
  message: { role: "tool", parts },
});
const said = (text: string): Piece => ({
  type: "other",
  message: { role: "user", parts: [{ type: "text", text }] },
});
const shape = (messages: readonly Message[]): string[] =>
  messages.map(({ role, parts }) => `${role} ${parts.length}`);

describe("assembleSteps", () => {
  it("makes a legal conversation of any order in which calls and results were written", () => {
    const ids = ["a", "b", "c", "d", "e"];
    const pieces = ids.flatMap((id, index) => [
      reply(String(index % 3), call(id)),
      results(result(id)),
      said(`while ${id}`),
    ]);
    fc.assert(
      fc.property(fc.shuffledSubarray(pieces, { minLength: pieces.length }), (shuffled) => {
        const messages = assembleSteps(shuffled);
        expect(checkMessages(messages)).toEqual([]);
        const parts = messages.flatMap((message) => message.parts);
        expect(parts).toHaveLength(15);
        const named = parts.filter((part) => part.type === "tool-result");
        expect(named.map(({ toolName }) => toolName)).toEqual(
          named.map(({ toolCallId }) => `tool ${toolCallId}`),
        );
      }),
    );
  });

  it("takes apart a message whose results answer two replies", () => {
    const messages = assembleSteps([
      reply("1", call("a")),
      reply("2", call("b")),
      results(result("a"), result("b")),
    ]);
    expect(shape(messages)).toEqual(["assistant 1", "tool 1", "assistant 1", "tool 1"]);
  });

  it("leaves a result without a call where it was recorded", () => {
    const messages = assembleSteps([said("go"), results(result("x")), reply("1", call("a"))]);
    expect(shape(messages)).toEqual(["user 1", "tool 1", "assistant 1"]);
    expect(checkMessages(messages).map(({ rule }) => rule)).toEqual([
      "unpaired-tool-result",
      "unanswered-tool-call",
    ]);
  });

  it("pairs ids that repeat in the order of their calls", () => {
    const messages = assembleSteps([
      reply("1", call("a")),
      results(result("a")),
      reply("2", call("a")),
      results(result("a")),
    ]);
    expect(shape(messages)).toEqual(["assistant 1", "tool 1", "assistant 1", "tool 1"]);
  });
});
