import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext, type EarlyPrune } from "../../src/context/index.ts";
import { assistant, step, user, words } from "../build-messages.ts";

const done = [
  user("Read both."),
  ...step("a", "read", { path: "a" }, words(6_000, "a")),
  ...step("b", "read", { path: "b" }, words(6_000, "b")),
  assistant("Both are read."),
];
const history = [...done, user("And now?"), assistant("Now this."), user("Go on.")];

const open = (): ReturnType<typeof createContext> =>
  createContext({ window: 100_000, archive: memoryArchive() });

it("asks whether to prune while there is room, and prunes once", async () => {
  const context = open();
  await context.prepare(done);
  const asked: EarlyPrune[] = [];
  const refusing = (prune: EarlyPrune): boolean => (asked.push(prune), false);
  const left = await context.prepare(history, { pays: refusing });
  expect(left.messages.every((one, at) => one === history[at])).toBe(true);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.saved).toBeGreaterThan(10_000);
  // All that stood there before, from the first output on.
  expect(asked[0]?.broken).toBeGreaterThan(asked[0]?.saved ?? 0);
  const { messages, report } = await context.prepare(history, { pays: () => true });
  expect(report.action).toBe("prune");
  expect(messages.at(-1)).toBe(history.at(-1));
  const again = await context.prepare(history, { pays: () => true });
  expect(again.report.action).toBe("none");
  expect(again.messages).toEqual(messages);
});

it("asks nobody where there is nothing to prune, or no room", async () => {
  const never = (): boolean => expect.fail("was asked");
  await open().prepare([user("Hello.")], { pays: never });
  const full = createContext({ window: 12_000, archive: memoryArchive() });
  const { report } = await full.prepare(history, { pays: never });
  expect(report.action).not.toBe("none");
});
