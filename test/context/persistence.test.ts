import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Archive } from "../../src/archive/archive.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import {
  type Context,
  type ContextOptions,
  createContext,
  type Failure,
} from "../../src/context/index.ts";
import { ContextError } from "../../src/core/error.ts";
import { EMPTY_LEDGER } from "../../src/core/ledger/index.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { goodSummary } from "../good-summary.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "longhaul-persistence-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = [system("rules"), user("do the work, and never touch the API")];

function grow(steps: number, first = 0): Message[] {
  return Array.from({ length: steps }, (_, n) => [
    ...step(`c${first + n}`, "bash", { command: `run ${first + n}` }, words(200, `${first + n}`)),
    assistant(words(200, `thought ${first + n}`)),
  ]).flat();
}

/** A context as another process would create it. */
function open(options: ContextOptions = {}): Context {
  return createContext({
    window: 32_000,
    counter: quarter,
    now: () => 1_700_000_000_000,
    summarizer: goodSummary,
    archive: directoryArchive(folder, { retention: false }),
    conversation: "fix the login",
    ...options,
  });
}

const history = [...start, ...grow(60)];

describe("a conversation that another process goes on with", () => {
  it("has the same view, byte for byte, from the whole history", async () => {
    const { messages, report } = await open().prepare(history);
    expect(report.action).toBe("compact");
    const again = await open().prepare([...history, ...grow(1, 60)]);
    expect(again.report).toMatchObject({ action: "none", warnings: [] });
    expect(JSON.stringify(again.messages.slice(0, messages.length))).toBe(JSON.stringify(messages));
  });

  it("goes on from the list that was returned, too", async () => {
    const { messages } = await open().prepare(history);
    const saved = JSON.parse(JSON.stringify(messages)) as Message[];
    const other = open();
    const again = await other.prepare([...saved, ...grow(1, 60)]);
    expect(again.report).toMatchObject({ action: "none", warnings: [] });
    expect(again.messages).toEqual([...messages, ...grow(1, 60)]);
    expect(other.journal()).toHaveLength(1);
    const next = await other.prepare([...again.messages, ...grow(60, 61)]);
    expect(next.report.action).toBe("compact");
    expect(messageText(next.messages[1] as Message)).toContain("never touch the API");
  });

  it("knows nothing of another conversation", async () => {
    await open().prepare(history);
    const other = open({ conversation: "another" });
    await other.prepare(start);
    expect(other.journal()).toEqual([]);
  });

  it("replays edits that only pruned", async () => {
    const turns = Array.from({ length: 14 }, (_, n) => [
      user(`question ${n}`),
      ...step(`r${n}`, "read", { path: `f${n}` }, words(1_200, `${n}`)),
      assistant("ok"),
    ]).flat();
    const list = [system("rules"), ...turns];
    const { messages, report } = await open().prepare(list);
    expect(report.action).toBe("prune");
    const whole = await open().prepare(list);
    expect(whole.report.action).toBe("none");
    expect(whole.messages).toEqual(messages);
    const returned = await open().prepare(messages);
    expect(returned.report.action).toBe("none");
    expect(returned.messages).toEqual(messages);
  });

  it("replays edits of tool inputs alone, and of files, in every further process", async () => {
    const writes = Array.from({ length: 18 }, (_, n) =>
      step(`w${n}`, "Write", { file_path: `src/f${n}.ts`, content: words(2_600, `${n}`) }, "done"),
    );
    const image = (n: number): Message => ({
      role: "user",
      parts: [{ type: "file", mediaType: "image/png", data: `${"A".repeat(400)}${n}` }],
    });
    const images = Array.from({ length: 6 }, (_, n) => [image(n), assistant(`seen ${n}`)]);
    const requestLimits = { maxImages: 3 };
    for (const turns of [writes, images]) {
      const list = [...start, ...turns.flat()];
      const options = { window: 64_000, requestLimits, conversation: `${turns.length} turns` };
      const first = await open(options).prepare(list);
      expect(first.report.prune.length + first.report.clipped.length).toBeGreaterThan(2);
      for (const _ of ["second process", "third process"]) {
        const other = open(options);
        const { messages, report } = await other.prepare(list);
        expect(report).toMatchObject({ action: "none", warnings: [] });
        expect(messages).toEqual(first.messages);
        expect(other.journal()).toHaveLength(1);
      }
    }
  });

  it("reads a journal whose last line was torn", async () => {
    await open().prepare(history);
    appendFileSync(findJournal(), '{"version":1,"at":17');
    const other = open();
    const { report } = await other.prepare([...history, ...grow(1, 60)]);
    expect(report.action).toBe("none");
    await other.prepare([...history, ...grow(61, 60)]);
    const third = open();
    await third.prepare([...history, ...grow(61, 60)]);
    expect(third.journal()).toHaveLength(2);
  });
});

/** The whole history, or the list that was returned last and what came since. */
type Habit = "whole" | "returned";

/** One of two processes at work on one conversation, each with steps of its own. */
function worker(number: number, habit: Habit): () => Promise<readonly Message[]> {
  const context = open();
  let list: readonly Message[] = history.slice(0, 8);
  let steps = 0;
  return async () => {
    list = [...list, ...grow(1, number * 1_000 + steps++)];
    const { messages, report } = await context.prepare(list);
    expect(report.failures).toEqual([]);
    expect(checkMessages(messages)).toEqual([]);
    if (habit === "returned") list = messages;
    return list;
  };
}

describe("a conversation that two processes work on", () => {
  it.each<Habit>(["whole", "returned"])("goes on for each of them, %s", async (habit) => {
    const workers = [worker(1, habit), worker(2, habit)];
    const lists = [history, history] as (readonly Message[])[];
    for (let step = 0; step < 150; step++) {
      for (const [index, work] of workers.entries()) lists[index] = await work();
    }
    for (const list of lists) {
      const { messages, report } = await open().prepare(list);
      expect(report).toMatchObject({ action: "none", warnings: [] });
      expect(checkMessages(messages)).toEqual([]);
    }
  });

  it("does not mix what they know", async () => {
    const one = open();
    const other = open();
    await one.prepare(history.slice(0, 2));
    await other.prepare(history.slice(0, 2));
    const mine = [...history, ...grow(5, 100)];
    const yours = [...history.slice(0, 2), ...grow(80, 500)];
    const view = await one.prepare(mine);
    await other.prepare(yours);
    const third = await open().prepare(mine);
    expect(JSON.stringify(third.messages)).toBe(JSON.stringify(view.messages));
  });
});

describe("a journal that was damaged", () => {
  async function twice(): Promise<readonly Message[]> {
    const context = open();
    await context.prepare(history);
    const more = [...history, ...grow(60, 60)];
    await context.prepare(more);
    expect(context.journal()).toHaveLength(2);
    return more;
  }

  it("goes on from what came before a line that is lost", async () => {
    const list = await twice();
    const [, second] = readFileSync(findJournal(), "utf8").split("\n");
    writeFileSync(findJournal(), `${second}\n`);
    const { messages, report } = await open().prepare(list);
    expect(report.action).toBe("compact");
    expect(report.warnings).toEqual([expect.stringContaining("1 earlier edits")]);
    expect(checkMessages(messages)).toEqual([]);
  });

  it("goes on without what makes no sense", async () => {
    const list = await twice();
    const lines = readFileSync(findJournal(), "utf8").trim().split("\n");
    const broken = lines.map((line) => line.replaceAll(/"length":\d+/g, '"length":3'));
    writeFileSync(findJournal(), `${broken.join("\n")}\n`);
    const { messages, report } = await open().prepare(list);
    expect(report.action).toBe("compact");
    expect(checkMessages(messages)).toEqual([]);
  });

  it.each([
    ["none", {}],
    ["of another shape", { ...EMPTY_LEDGER, files: { "a.ts": "read" } }],
    ["with a hole", { ...EMPTY_LEDGER, files: [null] }],
    ["that say nothing", { ...EMPTY_LEDGER, instructions: [{}] }],
    ["of an older shape", { ...EMPTY_LEDGER, files: [{ path: "a.ts" }] }],
  ])("goes on without a record whose facts are %s", async (_, facts) => {
    await open().prepare(history);
    const record = JSON.parse(readFileSync(findJournal(), "utf8")) as object;
    writeFileSync(findJournal(), `${JSON.stringify({ ...record, facts })}\n`);
    const context = open();
    const told: string[] = [];
    context.on("failed", ({ message }) => void told.push(message));
    const { messages, report } = await context.prepare(history);
    expect(report).toMatchObject({ action: "compact", failures: [] });
    expect(checkMessages(messages)).toEqual([]);
    expect(told).toEqual([expect.stringContaining("holds 1 records that this version does not")]);
  });
});

function findJournal(): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return path.join(folder, files.find((one) => one.endsWith("journal.jsonl")) ?? "");
}

describe("a journal that cannot be stored", () => {
  it("is told, and stored by close as soon as that is possible", async () => {
    let isFull = true;
    const entries: unknown[] = [];
    const full = (archive: Archive): Archive => ({
      ...archive,
      conversation: () => full(archive),
      journal: {
        read: () => Promise.resolve(entries),
        append(entry) {
          if (isFull) return Promise.reject(new ContextError("archive-failed", "No space left."));
          return Promise.resolve(void entries.push(entry));
        },
      },
    });
    const context = open({ archive: full(memoryArchive()) });
    const { report } = await context.prepare(history);
    expect(report).toMatchObject({ action: "compact", failures: [{ code: "archive-failed" }] });
    const failures: Failure[] = [];
    context.on("failed", (failure) => failures.push(failure));
    await context.close();
    expect(failures).toMatchObject([{ code: "archive-failed" }]);
    isFull = false;
    await context.close();
    expect(failures).toHaveLength(1);
    expect(entries).toHaveLength(1);
  });

  it("is a wrong option where the archive keeps none", () => {
    const { journal: _, conversation: __, ...bare } = memoryArchive();
    expect(() => open({ archive: bare })).toThrow(/keeps no journals/);
    const inMemory = (): Context =>
      createContext({ window: 32_000, conversation: "fix the login" });
    expect(inMemory).toThrow(/no archive.*directoryArchive/);
  });

  it("does not stop the agent when it cannot be read", async () => {
    const failures: Failure[] = [];
    const archive = memoryArchive();
    const own = {
      ...archive,
      journal: { read: () => Promise.reject(new Error("EIO")), append: () => Promise.resolve() },
    };
    const context = open({ archive: { ...archive, conversation: () => own } });
    context.on("failed", (failure) => void failures.push(failure));
    const { report } = await context.prepare(start);
    expect(report.action).toBe("none");
    expect(failures).toMatchObject([{ code: "archive-failed" }]);
  });
});

describe("undo", () => {
  it("gives the whole history back", async () => {
    const context = open();
    await context.prepare(history);
    expect(await context.undo(history)).toEqual(history);
    expect(context.journal()).toEqual([]);
    expect(await context.undo(history)).toBeUndefined();
    expect(readFileSync(findJournal(), "utf8").trim().split("\n")).toHaveLength(2);
  });

  it("puts back from the archive what the caller no longer has", async () => {
    const context = open();
    const { messages } = await context.prepare(history);
    const later = [...messages, ...grow(1, 60)];
    expect(await context.undo(later)).toEqual([...history, ...grow(1, 60)]);
  });

  it("takes back one edit of several, in another process", async () => {
    const first = open();
    const { messages } = await first.prepare(history);
    const { messages: second } = await first.prepare([...messages, ...grow(60, 60)]);
    expect(first.journal()).toHaveLength(2);
    const undone = await open().undo(second);
    expect(undone).toEqual([...messages, ...grow(60, 60)]);
    const third = open();
    const { report } = await third.prepare([...history, ...grow(60, 60)]);
    expect(report.action).toBe("compact");
    expect(third.journal()).toHaveLength(2);
  });

  it("takes back a prune, after which the edits before it are still known in another process", async () => {
    const actions: string[] = [];
    let list: readonly Message[] = start;
    for (let n = 0; n < 400 && !actions.join().endsWith("compact,prune"); n++) {
      const more = step(`c${n}`, "bash", { command: `run ${n}` }, words(300, `${n}`));
      const { messages, report } = await open().prepare([...list, ...more]);
      list = messages;
      if (report.action !== "none") actions.push(report.action);
    }
    expect(actions.slice(-2)).toEqual(["compact", "prune"]);
    const undone = (await open().undo(list)) ?? [];
    // What was pruned is named there, and stays so.
    expect(undone).toEqual(list);
    const second = open();
    const again = await second.prepare(undone);
    expect(again.report.warnings).toEqual([]);
    expect(second.journal()).toHaveLength(actions.length - 1);
    const all = (await open().undo(again.messages)) ?? [];
    expect(all.length).toBeGreaterThan(undone.length);
    expect((await open().prepare(all)).report.warnings).toEqual([]);
  });

  it("says so when it could not be stored", async () => {
    const context = open();
    await context.prepare(history);
    const failures: Failure[] = [];
    context.on("failed", (failure) => failures.push(failure));
    const journal = findJournal();
    rmSync(journal);
    mkdirSync(journal);
    expect(await context.undo(history)).toEqual(history);
    expect(failures).toMatchObject([{ code: "archive-failed" }]);
  });

  it("puts back reasoning that a compaction had to take", async () => {
    const thinking: Message = {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", signature: "s" },
        { type: "text", text: "yes" },
      ],
    };
    const list = [...history, thinking, user("and now?"), assistant("more")];
    const traits = { summaryRole: "user", boundReasoning: true, endsWithInput: false } as const;
    const context = open({ traits });
    const { messages } = await context.prepare(list);
    expect(JSON.stringify(messages)).not.toContain('"hm"');
    const undone = await context.undo(messages);
    expect(undone).toEqual(list);
    expect(checkMessages(undone as Message[])).toEqual([]);
  });

  it("changes nothing when the archive cannot give it back", async () => {
    const context = open();
    const { messages } = await context.prepare(history);
    rmSync(folder, { recursive: true });
    await expect(context.undo(messages)).rejects.toMatchObject({ code: "unknown-handle" });
    expect(context.journal()).toHaveLength(1);
  });
});

describe("a sub-agent", () => {
  it("keeps its edits out of the stored journal of its parent", async () => {
    const parent = open();
    const { messages } = await parent.prepare(history);
    const task = [system("you help"), user("count the files"), ...grow(60, 400)];
    const { report } = await parent.subAgent().prepare(task);
    expect(report).toMatchObject({ action: "compact", warnings: [], failures: [] });
    const again = await open().prepare([...history, ...grow(1, 60)]);
    expect(again.report).toMatchObject({ action: "none", warnings: [] });
    expect(again.messages.slice(0, messages.length)).toEqual(messages);
  });
});

it("a refused request gets the edit that another process made meanwhile, and teaches no window", async () => {
  const entries: unknown[] = [];
  let meanwhile: Context | undefined;
  const list = [...start, ...grow(80)];
  const own: Archive = {
    ...memoryArchive(),
    journal: {
      read: async () => [...entries],
      append: async (entry) => void entries.push(entry),
      async alone(work) {
        const other = meanwhile;
        meanwhile = undefined;
        await other?.prepare(list, { force: true });
        return work();
      },
    },
  };
  const archive = { ...own, conversation: () => own };
  const create = (): Context =>
    createContext({ window: 60_000, counter: quarter, archive, conversation: "c" });
  const context = create();
  expect((await context.prepare(list)).report.action).toBe("none");
  meanwhile = create();
  const recovered = await context.recover(list, { status: 413 });
  expect(recovered?.report).toMatchObject({ action: "none", failures: [] });
  expect(recovered?.messages.length).toBeLessThan(list.length);
  expect(entries).toHaveLength(1);
  expect((await context.prepare(list)).report.window).toBe(60_000);
});

it("a refused request that nobody made room for is no request to send again", async () => {
  const entries: unknown[] = [];
  const own: Archive = {
    ...memoryArchive(),
    journal: {
      read: async () => [...entries],
      append: async (entry) => void entries.push(entry),
      alone: async (work) => work(),
    },
  };
  const archive = { ...own, conversation: () => own };
  const context = createContext({ window: 60_000, counter: quarter, archive, conversation: "c" });
  await context.prepare(start);
  // News of another branch: the list of now is as it was.
  entries.push({ version: 2, at: 1, undo: "0123" });
  expect(await context.recover(start, { status: 413 })).toBeUndefined();
});
