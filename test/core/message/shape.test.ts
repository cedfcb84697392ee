import { describe, expect, it } from "vitest";
import {
  assertMessage,
  createShapeCheck,
  type Message,
  shapeProblem,
} from "../../../src/core/message/index.ts";

const ask: Message = { role: "user", parts: [{ type: "text", text: "Go." }] };
const strangers: Readonly<Record<string, readonly [value: unknown, problem: string]>> = {
  "a message of OpenAI": [{ role: "user", content: "Go." }, `needs an array in "parts"`],
  "a UI message": [{ role: "user", parts: [{ type: "tool-read" }] }, `unknown type "tool-read"`],
  "a name of Object.prototype": [{ role: "user", parts: [{ type: "toString" }] }, "unknown type"],
  "a role of OpenAI": [{ role: "developer", parts: [] }, `unknown role "developer"`],
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
    "output is no array",
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
  });
});

describe("the check of a list that grows", () => {
  it("looks at what is new, and at all of another list", () => {
    const check = createShapeCheck();
    let looks = 0;
    const watched = {
      get role() {
        looks += 1;
        return "user" as const;
      },
      parts: ask.parts,
    };
    check([watched]);
    check([watched, ask]);
    check([watched, ask, ask]);
    expect(looks).toBe(1);
    check([watched, structuredClone(ask)]);
    expect(looks).toBe(2);
  });

  it("complains again as long as the list is wrong", () => {
    const check = createShapeCheck();
    const wrong = [ask, { role: "user", content: "Go." } as unknown as Message];
    check([ask]);
    expect(() => check(wrong)).toThrow(/^Message 1 /);
    expect(() => check(wrong)).toThrow(/^Message 1 /);
    check([ask, ask]);
  });

  it("wants a list", () => {
    const check = createShapeCheck();
    expect(() => check("Go." as unknown as Message[])).toThrow("is a string and no array");
  });
});
