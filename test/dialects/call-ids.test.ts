import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createCallIds, safeName } from "../../src/dialects/call-ids.ts";

test("every call gets an id that is legal and used once, whatever it was called", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 })), (names) => {
      const ids = createCallIds(8);
      const given = names.map((name) => ids.assign(name));
      expect(new Set(given).size).toBe(given.length);
      for (const id of given) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,8}$/);
    }),
  );
});

test("a result goes to the nearest call before it", () => {
  const ids = createCallIds(40);
  const first = ids.assign("call|1");
  expect(ids.resolve("call|1")).toBe(first);
  const second = ids.assign("call|1");
  expect(second).not.toBe(first);
  expect(ids.resolve("call|1")).toBe(second);
  ids.keep("call|1");
  expect(ids.resolve("call|1")).toBe("call|1");
});

test("ids of native calls are never given away", () => {
  const ids = createCallIds(40, ["call_1"]);
  expect(ids.assign("call_1")).toBe("call_1_2");
  expect(ids.resolve("call_1")).toBe("call_1_2");
});

test("a name keeps what a provider accepts of it", () => {
  expect(safeName("functions.exec", 64)).toBe("functions_exec");
  expect(safeName("", 64)).toBe("unknown");
  expect(safeName("abcdef", 3)).toBe("abc");
});
