import * as fc from "fast-check";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type Context, createContext } from "../../src/context/index.ts";
import { type Message, messageText } from "../../src/core/message/index.ts";
import { assistant, quarter, step, user } from "../build-messages.ts";
import { runs } from "../property/runs.ts";

/** A turn whose facts no other turn has. */
function turn(n: number): Message[] {
  return [
    user(`Please keep rule-${n} of this work.`),
    ...step(`w${n}`, "write", { path: `src/file-${n}.ts`, content: "x" }, "ok"),
    ...step(`b${n}`, "bash", { command: `npm run task-${n}` }, "ok"),
    assistant(`The cause of bug-${n} is in the cache, which nobody empties.`),
  ];
}

const FACT = /\b(?:rule|file|task|bug)-\d+\b/g;

function factsIn(messages: readonly Message[]): readonly string[] {
  return JSON.stringify(messages).match(FACT) ?? [];
}

function isSummary({ kind }: Message): boolean {
  return kind === "summary";
}

type Move =
  /** More work on the list of now. */
  | "work"
  | "compact"
  /** The list as an earlier compaction returned it. */
  | "rewind"
  /** Only the summary of an earlier compaction, and other work behind it. */
  | "branch"
  /** Another process, with the journal of the branch of now. */
  | "reopen";

const moves = fc.array(
  fc.tuple(
    fc.constantFrom<Move>("work", "compact", "compact", "rewind", "branch", "branch", "reopen"),
    fc.nat(),
  ),
  { minLength: 4, maxLength: 14 },
);

it("no fact of the summary that a list begins with is lost to the next one, whatever branch it is of", async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const archive = memoryArchive();
      const open = (journal?: ReturnType<Context["journal"]>): Context =>
        createContext({ window: 200_000, counter: quarter, archive, journal, tailTokens: 1 });
      let context = open();
      let n = 0;
      let list: readonly Message[] = turn(n++);
      const returned: (readonly Message[])[] = [];
      for (const [move, pick] of all) {
        const earlier = returned[pick % Math.max(1, returned.length)];
        if (move === "work") list = [...list, ...turn(n++)];
        if (move === "rewind") list = earlier ?? list;
        if (move === "branch" && earlier !== undefined)
          list = [...earlier.filter(isSummary), ...turn(n++), ...turn(n++)];
        if (move === "reopen") {
          await context.prepare(list);
          context = open(JSON.parse(JSON.stringify(context.journal())) as never);
        }
        if (move !== "compact") continue;
        // What an edit left in its list says there, or in another branch no more, what holds of it.
        const left = new Set(
          returned.flatMap((one) => factsIn(one.filter((message) => !isSummary(message)))),
        );
        const begun = factsIn(list.filter(isSummary)).filter((fact) => !left.has(fact));
        const { messages } = await context.prepare(list, { force: true });
        const text = messages.map(messageText).join("\n");
        expect(begun.filter((fact) => !text.includes(fact))).toEqual([]);
        list = messages;
        returned.push(messages);
      }
    }),
    { numRuns: runs(40, 500) },
  );
});
