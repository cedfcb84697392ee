import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Archive } from "../../src/archive/archive.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { type Context, createContext, type Prepared } from "../../src/context/index.ts";
import { checkMessages, type Message } from "../../src/core/message/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";
import { runs } from "./runs.ts";

/**
 * A process is killed at any of its waits inside an edit, and another one goes on with what the
 * caller of the first had on disk.
 */
interface Power {
  /** At each wait of a process, before its effect and after it. */
  wait(forWhat: string): Promise<void>;
  /** After so many more waits the process is dead; resolves then with what it waited for. */
  failAfter(waits: number): Promise<string>;
}

function createPower(): Power {
  let left = Infinity;
  let die: (forWhat: string) => void = () => undefined;
  return {
    async wait(forWhat) {
      if (left-- > 0) return;
      die(forWhat);
      await new Promise(() => undefined);
    },
    failAfter(waits) {
      left = waits;
      return new Promise((resolve) => (die = resolve));
    },
  };
}

/** The same archive for a process that may die before or after everything that it asks for. */
function under(power: Power, archive: Archive): Archive {
  const waiting =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>, name: string) =>
    async (...args: Args): Promise<Result> => {
      await power.wait(name);
      const result = await act(...args);
      await power.wait(name);
      return result;
    };
  const { journal, conversation, putPieces } = archive;
  return {
    name: archive.name,
    put: waiting(archive.put, "put"),
    ...(putPieces && { putPieces: waiting(putPieces, "put") }),
    get: waiting(archive.get, "get"),
    has: waiting(archive.has, "has"),
    list: waiting(archive.list, "list"),
    ...(conversation && { conversation: (id) => under(power, conversation(id)) }),
    ...(journal && {
      journal: {
        read: waiting(journal.read, "read"),
        append: waiting(journal.append, "append"),
      },
    }),
  };
}

/** A process at work on the conversation. */
interface Worker {
  readonly context: Context;
  readonly power: Power;
  /** How often it had an answer of a model. */
  readonly paid: () => number;
}

function open(archive: Archive, startedAt: number): Worker {
  const power = createPower();
  let paid = 0;
  let clock = startedAt;
  const context = createContext({
    window: 16_000,
    counter: quarter,
    now: () => clock++,
    archive: under(power, archive),
    conversation: "c",
    summarizeAhead: false,
    async summarizer(request) {
      await power.wait("a model");
      paid++;
      return goodSummary(request);
    },
  });
  return { context, power, paid: () => paid };
}

const fromDisk = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A step of an agent, and now and then a person. */
function work(n: number, size: number): Message[] {
  const done = step(`c${n}`, "bash", { command: `run ${n}` }, words(size, `${n}`));
  return n % 5 === 4 ? [...done, assistant(`did ${n}`), user(`and now ${n + 1}`)] : done;
}

/** What a caller passes: every message that ever was, or what it was given last and what came since. */
type Habit = "whole" | "returned";

/** A conversation up to the edit of a number, without a crash. */
interface Life {
  /** The lists that were passed; the last one gets the edit. */
  readonly lists: readonly (readonly Message[])[];
  /** What the caller may have on disk at the edit. */
  readonly kept: Readonly<Record<Habit, readonly Message[]>>;
  readonly edited: Prepared;
}

async function live(edits: number, sizes: readonly number[], habit: Habit): Promise<Life> {
  const { context } = open(memoryArchive(), 0);
  const lists: (readonly Message[])[] = [];
  const kept = {
    whole: [system("rules"), user("do the work")] as Message[],
    returned: [] as Message[],
  };
  kept.returned = [...kept.whole];
  for (let made = 0; ;) {
    const more = work(lists.length, sizes[lists.length % sizes.length] as number);
    kept.whole = [...kept.whole, ...more];
    kept.returned = [...kept.returned, ...more];
    lists.push(kept[habit]);
    const edited = await context.prepare(kept[habit]);
    if (edited.report.action !== "none") made++;
    if (made === edits) return { lists, kept, edited };
    kept.returned = fromDisk(edited.messages) as Message[];
  }
}

/** Opens the same archive, as each process does for itself. */
type Medium = () => Archive;

/**
 * The same life, dead after so many waits of its last edit, and a process that goes on with it;
 * whether it died.
 */
async function goOn(
  { lists, kept, edited }: Life,
  { waits, habit, medium }: { waits: number; habit: Habit; medium: Medium },
): Promise<boolean> {
  const first = open(medium(), 0);
  for (const list of lists.slice(0, -1)) await first.context.prepare(list);
  const before = first.paid();
  const edits = first.context.journal().length + 1;
  const dead = first.power.failAfter(waits);
  const done = first.context.prepare(lists.at(-1) as readonly Message[]).then(() => undefined);
  const diedAt = await Promise.race([dead, done]);
  const entries = await medium().conversation?.("c").journal?.read();
  const isStored = entries?.length === edits;
  // What a model was paid for is lost only with the write that stores it.
  if (first.paid() > before && !isStored) expect(diedAt).toBe("append");

  const second = open(medium(), 3_600_000);
  const { messages, report } = await second.context.prepare(fromDisk(kept[habit]));
  expect(report).toMatchObject({ warnings: [], failures: [] });
  expect(report.action).toBe(isStored ? "none" : edited.report.action);
  expect(second.paid()).toBeLessThanOrEqual(isStored ? 0 : 1);
  expect(second.context.journal()).toHaveLength(edits);
  expect(checkMessages(messages)).toEqual([]);
  if (isStored) expect(JSON.stringify(messages)).toBe(JSON.stringify(edited.messages));
  return diedAt !== undefined;
}

const habit = fc.constantFrom<Habit>("whole", "returned");
const lives = fc.record({
  edits: fc.integer({ min: 1, max: 4 }),
  sizes: fc.array(fc.integer({ min: 50, max: 3_000 }), { minLength: 1, maxLength: 4 }),
  before: habit,
  after: habit,
});

it("goes on with an edit that a killed process had stored, and makes any other one once", async () => {
  await fc.assert(
    fc.asyncProperty(lives, async ({ edits, sizes, before, after }) => {
      const life = await live(edits, sizes, before);
      let waits = 0;
      let archive = memoryArchive();
      while (await goOn(life, { waits, habit: after, medium: () => archive })) {
        waits++;
        archive = memoryArchive();
      }
      expect(waits).toBeGreaterThan(1);
    }),
    { numRuns: runs(10, 80) },
  );
});

it.each(["whole", "returned"] as const)("does so on a disk, with its %s list", async (after) => {
  const root = mkdtempSync(path.join(tmpdir(), "longhaul-crash-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const life = await live(2, [600], "returned");
  for (let waits = 0, isDead = true; isDead; waits++) {
    const medium = (): Archive =>
      directoryArchive(path.join(root, String(waits)), { retention: false });
    isDead = await goOn(life, { waits, habit: after, medium });
  }
});
