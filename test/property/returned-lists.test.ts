import * as fc from "fast-check";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type Context, createContext, type JournalRecord } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";
import { runs } from "./runs.ts";

/**
 * A caller that goes on from what it was returned, and comes back to a list that it had before: the
 * request failed, or the person branched off. The edits of that list stand, and none is made again.
 */
const moves = fc.array(
  fc.record({
    move: fc.constantFrom("grow" as const, "grow" as const, "back" as const, "restart" as const),
    steps: fc.integer({ min: 1, max: 20 }),
    speaks: fc.boolean(),
    at: fc.nat(1_000),
  }),
  { minLength: 4, maxLength: 14 },
);

it("a list that was passed before gives what it gave, without another edit", async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const archive = memoryArchive();
      const stored: JournalRecord[] = [];
      const open = (): Context => {
        const journal = JSON.parse(JSON.stringify(stored)) as JournalRecord[];
        const made = createContext({ window: 16_000, counter: quarter, archive, journal });
        made.on("edited", (record) => stored.push(record));
        return made;
      };
      let context = open();
      let serial = 0;
      let returned: readonly Message[] = [system("rules"), user("do the work")];
      const passed: { list: readonly Message[]; gave: string; messages: readonly Message[] }[] = [];
      for (const { move, steps, speaks, at } of all) {
        if (move === "restart") context = open();
        if (move === "back" && passed.length > 0) {
          const { list, gave, messages } = passed[at % passed.length]!;
          const again = await context.prepare(list);
          expect(again.report.action).toBe("none");
          expect(JSON.stringify(again.messages)).toBe(gave);
          returned = messages;
        }
        if (move !== "grow") continue;
        const work = Array.from({ length: steps }, () => {
          const id = `c${serial++}`;
          return step(id, "bash", { command: `run ${id}` }, words(300, id));
        });
        const list = [
          ...returned,
          ...work.flat(),
          ...(speaks ? [assistant("ok"), user("go on")] : []),
        ];
        const { messages } = await context.prepare(list);
        passed.push({ list, gave: JSON.stringify(messages), messages });
        returned = messages;
      }
    }),
    { numRuns: runs(60, 1_000) },
  );
});
