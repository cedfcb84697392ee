import { deserialize, serialize } from "node:v8";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type Context, createContext, type JournalRecord } from "../../src/context/index.ts";
import { checkMessages, type Message } from "../../src/core/message/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";
import { runs } from "./runs.ts";

/**
 * One conversation, however its caller passes it: the whole history, what was returned and what came
 * since, copies of either, a branch, an earlier state, in another process, with a message changed in
 * the middle. What is sent always says what the caller's list says now, with the edits that fit it.
 */
const acts = fc.array(
  fc.record({
    act: fc.constantFrom(
      "grow" as const,
      "grow" as const,
      "grow" as const,
      "copy" as const,
      "adopt" as const,
      "rewind" as const,
      "change" as const,
      "undo" as const,
      "restart" as const,
      "forget" as const,
    ),
    size: fc.integer({ min: 1, max: 6 }),
    at: fc.nat(1_000),
  }),
  { minLength: 6, maxLength: 24 },
);

const archive = memoryArchive();

function open(journal: readonly JournalRecord[] = []): Context {
  return createContext({ window: 16_000, counter: quarter, now: () => 0, archive, journal });
}

let serial = 0;

function work(steps: number): Message[] {
  return Array.from({ length: steps }, () => {
    const id = `c${serial++}`;
    return [...step(id, "bash", { command: `run ${id}` }, words(300, id)), assistant(`did ${id}`)];
  }).flat();
}

/** Every message that is sent as it was given is one of the list of now. */
function expectOfNow(sent: readonly Message[], list: readonly Message[]): void {
  const now = new Set(list.map((message) => JSON.stringify(message)));
  const edited = (message: Message): boolean =>
    message.kind === "summary" ||
    message.kind === "continuation" ||
    message.parts.some((part) => "original" in part && part.original !== undefined);
  const strange = sent.filter((message) => !edited(message) && !now.has(JSON.stringify(message)));
  expect(strange).toEqual([]);
}

it("sends what the caller's list says now, with the edits that fit it", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (all) => {
      let context = open();
      let list: readonly Message[] = [system("rules"), user("do the work"), ...work(3)];
      for (const { act, size, at } of all) {
        if (act === "grow") list = [...list, ...work(size * 2)];
        if (act === "copy") list = deserialize(serialize(list)) as Message[];
        if (act === "rewind") list = list.slice(0, Math.max(2, list.length - size * 3));
        if (act === "restart") context = open(JSON.parse(JSON.stringify(context.journal())));
        if (act === "forget") context = open();
        if (act === "undo") list = (await context.undo(list)) ?? list;
        if (act === "change") {
          const index = 1 + (at % (list.length - 1));
          const said = list[index]?.role === "assistant" && list[index]?.parts[0]?.type === "text";
          if (said) list = list.with(index, assistant(`changed ${serial++}`));
        }
        const { messages, report } = await context.prepare(list);
        expect(report.tokens.after).toBeLessThan(report.usable);
        if (checkMessages(list).length === 0) expect(checkMessages(messages)).toEqual([]);
        expectOfNow(messages, list);
        const again = await context.prepare(list);
        expect(again.report).toMatchObject({ action: "none", warnings: [] });
        expect(again.messages).toEqual(messages);
        if (act === "adopt") list = messages;
      }
    }),
    { numRuns: runs(40, 600) },
  );
});

it("another process with the journal sends the same bytes, for the whole list and the returned one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 8 }), async (sizes) => {
      const context = open();
      let list: readonly Message[] = [user("do the work")];
      let sent: readonly Message[] = list;
      for (const size of sizes) {
        list = [...list, ...work(size)];
        sent = (await context.prepare(list)).messages;
      }
      const journal = JSON.parse(JSON.stringify(context.journal())) as JournalRecord[];
      for (const given of [list, sent]) {
        const copy = JSON.parse(JSON.stringify(given)) as Message[];
        const { messages, report } = await open(journal).prepare(copy);
        expect(report).toMatchObject({ action: "none", warnings: [] });
        expect(JSON.stringify(messages)).toBe(JSON.stringify(sent));
      }
    }),
    { numRuns: runs(30, 400) },
  );
});
