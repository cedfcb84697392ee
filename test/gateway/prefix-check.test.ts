import { expect, it } from "vitest";
import type { Context } from "../../src/context/index.ts";
import { PROTOCOLS } from "../../src/gateway/protocols.ts";
import { createPrefixCheck } from "../../src/gateway/prefix-check.ts";

const said = (...texts: string[]): object => ({
  messages: texts.map((content) => ({ role: "user", content })),
});

it("a beginning that changed is noticed, where neither a plan nor the client changed it", () => {
  const violations: string[] = [];
  const checkPrefix = createPrefixCheck((conversation) => void violations.push(conversation));
  let edits = 0;
  const context = { journal: () => Array.from({ length: edits }) } as unknown as Context;
  const group = { id: "c", protocol: PROTOCOLS.anthropic };
  const send = (given: object, sent = given): number => {
    checkPrefix({ context, given: given as never }, group, sent as never);
    return violations.length;
  };
  expect(send(said("a"))).toBe(0);
  expect(send(said("a", "b"))).toBe(0);
  // The client went back and on another way.
  expect(send(said("a", "c"))).toBe(0);
  edits = 1;
  expect(send(said("a", "c", "d"), said("short", "d"))).toBe(0);
  expect(send(said("a", "c", "d", "e"), said("short", "d", "e"))).toBe(0);
  expect(send(said("a", "c", "d", "e", "f"), said("other", "d", "e", "f"))).toBe(1);
  expect(violations).toEqual(["c"]);
});
