import { type AgentInputItem, MemorySession } from "@openai/agents";
import { expect, test } from "vitest";
import { agentsContext } from "../../../src/hooks/openai-agents/index.ts";
import { quarter, words } from "../../build-messages.ts";

const user = (content: string): AgentInputItem => ({ type: "message", role: "user", content });

function call(n: number): AgentInputItem {
  const status = "completed" as const;
  return { type: "function_call", callId: `c${n}`, name: "read", arguments: `{"n":${n}}`, status };
}

function result(n: number): AgentInputItem {
  const output = words(200, `page ${n}`);
  const status = "completed" as const;
  return { type: "function_call_result", callId: `c${n}`, name: "read", status, output };
}

type Compacting = MemorySession & { runCompaction(): Promise<null> };

test("a session stays as it is while a call waits for approval", async () => {
  const turns = Array.from({ length: 40 }, (_, n) => [user(`Page ${n}?`), call(n), result(n)]);
  // Two calls of one answer, of which one needed nobody's approval.
  const initialItems = [...turns.flat(), user("Two more."), call(40), call(41), result(41)];
  const stored = new MemorySession({ initialItems });
  const context = agentsContext({ window: 8_000, counter: quarter });
  const session = context.session(stored) as Compacting;

  await session.runCompaction();
  expect(await stored.getItems()).toEqual(initialItems);

  await session.addItems([result(40)]);
  await session.runCompaction();
  const items = await stored.getItems();
  expect(items.length).toBeLessThan(initialItems.length);
  expect(items.at(-1)).toEqual(result(40));
});

test("a call that nobody will answer any more is in nobody's way", async () => {
  const turns = Array.from({ length: 40 }, (_, n) => [user(`Page ${n}?`), call(n), result(n)]);
  const stored = new MemorySession({ initialItems: [call(99), ...turns.flat()] });
  const session = agentsContext({ window: 8_000, counter: quarter }).session(stored) as Compacting;
  await session.runCompaction();
  expect((await stored.getItems()).length).toBeLessThan(120);
});
