import { describe, expect, it } from "vitest";
import {
  assertMessage,
  assertMessageList,
  type Message,
  shapeProblem,
} from "../../../src/core/message/index.ts";

const ask: Message = { role: "user", parts: [{ type: "text", text: "Go." }] };
const strangers: Readonly<Record<string, readonly [value: unknown, problem: string]>> = {
  "a message of OpenAI": [{ role: "user", content: "Go." }, `needs an array in "parts"`],
  "a UI message": [{ role: "user", parts: [{ type: "tool-read" }] }, `unknown type "tool-read"`],
  "a name of Object.prototype": [{ role: "user", parts: [{ type: "toString" }] }, "unknown type"],
  "a role of OpenAI": [{ role: "developer", parts: [] }, `unknown role "developer"`],
  "a role that no text can name": [
    { role: Object.create(null), parts: [] },
    "unknown role an object",
  ],
  "usage that is no number": [
    { role: "assistant", parts: [], usage: { input: 1n, output: 2 } },
    `needs an object of numbers in "usage"`,
  ],
  "a string": ["Go.", "is a string and no object"],
  nothing: [undefined, "is none and no object"],
  "a text that is none": [
    { role: "user", parts: [{ type: "text", text: 3 }] },
    `needs a string in "text" and has a number`,
  ],
  "a call without an id": [
    { role: "assistant", parts: [{ type: "tool-call", toolName: "bash", input: {} }] },
    `needs a string in "toolCallId"`,
  ],
  "an output that is a string": [
    { role: "tool", parts: [{ type: "tool-result", toolCallId: "a", toolName: "b", output: "x" }] },
    `an array in "output"`,
  ],
};

describe("what is no message", () => {
  it.each(Object.entries(strangers))("is %s", (_name, [value, problem]) => {
    expect(shapeProblem(value)).toContain(problem);
    const complaint = {
      code: "invalid-message",
      message: expect.stringMatching(/^Message 7 .* decode /),
    };
    expect(() => assertMessage(value, 7)).toThrow(expect.objectContaining(complaint));
  });

  it("is not a message", () => {
    expect(shapeProblem(ask)).toBeUndefined();
    expect(shapeProblem({ role: "system", parts: [] })).toBeUndefined();
    expect(shapeProblem({ role: "assistant", parts: [], usage: null })).toBeUndefined();
  });
});

it("a history that is no list is refused", () => {
  expect(() => assertMessageList("Go.")).toThrow("is a string and no array");
  expect(() => assertMessageList([])).not.toThrow();
});
