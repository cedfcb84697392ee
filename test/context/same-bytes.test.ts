import { expect, it } from "vitest";
import { createContext } from "../../src/context/create-context.ts";
import type { Message } from "../../src/core/message/index.ts";
import { step, user, words } from "../build-messages.ts";

/** What is sent in each step of a session that is pruned and compacted, without the audit's times. */
async function run(now: () => number): Promise<readonly string[]> {
  const context = createContext({ window: 40_000, now });
  const sent: string[] = [];
  let history: readonly Message[] = [user("do the work")];
  for (let n = 0; n < 60; n++) {
    history = [...history, ...step(`c${n}`, "bash", { command: `run ${n}` }, words(900, `${n}`))];
    if (n % 3 === 2) history = [...history, user(`and now ${n}`)];
    const { messages, report } = await context.prepare(history, { force: n % 25 === 24 });
    sent.push(`${report.action} ${JSON.stringify(messages).replace(/"compacted":\d+/g, "")}`);
    history = messages;
  }
  return sent;
}

it("the same session has the same bytes at any time", async () => {
  let time = 1_700_000_000_000;
  const early = await run(() => 1_000);
  expect(await run(() => (time += 1_234))).toEqual(early);
  expect(early.some((step) => step.startsWith("prune"))).toBe(true);
  expect(early.filter((step) => step.startsWith("compact")).length).toBeGreaterThan(1);
});
