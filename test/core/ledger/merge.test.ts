import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLedgerSum,
  EMPTY_LEDGER,
  extractLedger,
  mergeLedgers,
} from "../../../src/core/ledger/index.ts";
import type { Ledger } from "../../../src/core/ledger/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import { call, calling, result, results, step, user } from "../../build-messages.ts";
import { stretch } from "./arbitrary-stretch.ts";

function ledgers(stretches: readonly Message[][]): Ledger[] {
  let offset = 0;
  return stretches.map((messages) => {
    const ledger = extractLedger(messages, { offset });
    offset += messages.length;
    return ledger;
  });
}

/** What must hold: which files, whether they are there, when they were last touched. */
function state({ files }: Ledger): unknown {
  const known = files.map(({ path: name, ops, last }) => [name, ops.at(-1) === "deleted", last]);
  return Object.fromEntries(known.map(([name, ...rest]) => [name, rest]));
}

describe("mergeLedgers", () => {
  it("is changed by the empty ledger on neither side", () => {
    fc.assert(
      fc.property(stretch, (messages) => {
        const ledger = extractLedger(messages);
        expect(mergeLedgers(ledger, EMPTY_LEDGER)).toEqual(ledger);
        expect(mergeLedgers(EMPTY_LEDGER, ledger)).toEqual(ledger);
      }),
    );
  });

  it("does not care in which order stretches are put together", () => {
    fc.assert(
      fc.property(stretch, stretch, stretch, (first, second, third) => {
        const [a, b, c] = ledgers([first, second, third]) as [Ledger, Ledger, Ledger];
        const left = mergeLedgers(mergeLedgers(a, b), c);
        const right = mergeLedgers(a, mergeLedgers(b, c));
        expect(state(left)).toEqual(state(right));
        expect({ ...left, files: [] }).toEqual({ ...right, files: [] });
      }),
    );
  });

  it("adds up many as it adds up two and two", () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 5 }), (stretches) => {
        const each = ledgers(stretches);
        const [first = EMPTY_LEDGER, ...rest] = each;
        const pairwise = rest.reduce((older, newer) => mergeLedgers(older, newer), first);
        const sum = createLedgerSum();
        for (const ledger of each) sum.add(ledger);
        expect(sum.ledger()).toEqual(pairwise);
      }),
    );
  });

  it("knows what one look at all messages would know", () => {
    fc.assert(
      fc.property(stretch, stretch, (first, second) => {
        const [a, b] = ledgers([first, second]) as [Ledger, Ledger];
        const merged = mergeLedgers(a, b);
        const whole = extractLedger([...first, ...second]);
        expect(state(merged)).toEqual(state(whole));
        expect(merged.commands).toEqual(whole.commands);
        expect(merged.instructions).toEqual(whole.instructions);
        expect(merged.todos).toEqual(whole.todos);
        expect(merged.errors.map(({ at }) => at)).toEqual(whole.errors.map(({ at }) => at));
      }),
    );
  });

  it("corrects a creation when the older part knows the file", () => {
    const older = extractLedger(step("1", "Read", { file_path: "/a" }, "x"));
    const newer = extractLedger(step("1", "Write", { file_path: "/a" }, "x"), { offset: 2 });
    expect(mergeLedgers(older, newer).files).toEqual([
      { path: "/a", ops: ["read", "modified"], last: 2 },
    ]);
    const gone = extractLedger(step("1", "Bash", { command: "rm /a" }, ""));
    expect(mergeLedgers(gone, newer).files[0]?.ops).toEqual(["deleted", "created"]);
  });

  it("has one entry for two names of a file when the working directory is known", () => {
    const older = extractLedger(step("1", "Read", { file_path: "src/a.ts" }, "x"));
    const newer = extractLedger(step("1", "Edit", { file_path: "/repo/src/a.ts" }, "x"), {
      offset: 2,
    });
    const merged = mergeLedgers(older, newer, { cwd: "/repo" });
    expect(merged.files).toEqual([{ path: "/repo/src/a.ts", ops: ["read", "modified"], last: 2 }]);
  });

  it("deletes the older files of a folder that went later", () => {
    const older = extractLedger(step("1", "Write", { file_path: "/lib/a.ts" }, "x"));
    const newer = extractLedger(step("1", "Bash", { command: "rm -rf /lib" }, ""), { offset: 2 });
    expect(mergeLedgers(older, newer).files).toEqual([
      { path: "/lib/a.ts", ops: ["created", "deleted"], last: 2 },
      { path: "/lib/", ops: ["deleted"], last: 2 },
    ]);
  });

  it("resolves older errors by newer successes of the same thing", () => {
    const fail = (tool: string, input: unknown): Message[] => [
      calling(call("1", tool, input)),
      results(result("1", tool, "Error: no", true)),
    ];
    const older = extractLedger([
      ...fail("Bash", { command: "npm test" }),
      ...fail("Bash", { command: "npm run lint" }),
      ...fail("Edit", { file_path: "/a" }),
      ...fail("Edit", { file_path: "/b" }),
    ]);
    const newer = extractLedger([
      ...step("1", "Bash", { command: "git status && npm test && echo done" }, "ok"),
      ...step("1", "Edit", { file_path: "/a" }, "ok"),
      ...step("1", "Read", { file_path: "/b" }, "ok"),
    ]);
    expect(mergeLedgers(older, newer).errors.map(({ resolved }) => resolved)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("puts changed tasks back to the ones it knows", () => {
    const older = extractLedger([
      ...step("1", "TaskCreate", { subject: "one" }, "Task #1 created successfully: one"),
      ...step("1", "TaskCreate", { subject: "two" }, "Task #2 created successfully: two"),
    ]);
    const update = { taskId: "2", status: "in_progress" };
    const newer = extractLedger(step("1", "TaskUpdate", update, "Updated"), { offset: 4 });
    expect(newer.todos[0]?.text).toBe("Task #2");
    expect(mergeLedgers(older, newer).todos).toEqual([
      { id: "1", text: "one", status: "pending" },
      { id: "2", text: "two", status: "in-progress" },
    ]);
  });

  it("lets an emptied list clear the older one", () => {
    const list = (todos: unknown[]) => extractLedger(step("1", "TodoWrite", { todos }, "ok"));
    const older = list([{ content: "one", status: "pending" }]);
    expect(mergeLedgers(older, list([])).todos).toEqual([]);
    expect(mergeLedgers(older, EMPTY_LEDGER).todos).toHaveLength(1);
  });

  it("stays bounded however often it is merged", () => {
    const one = extractLedger([user("q"), ...step("1", "Bash", { command: "ls" }, "ok")]);
    let merged = EMPTY_LEDGER;
    for (let i = 0; i < 16; i++) merged = mergeLedgers(merged, mergeLedgers(merged, one));
    expect(merged.commands.length).toBeLessThanOrEqual(20_000);
    expect(merged.instructions.length).toBeLessThanOrEqual(5_000);
  });
});

it("a sum that was asked for stays as it was when more is added", () => {
  const one = extractLedger([
    user("Never touch the API."),
    ...step("a", "read", { path: "a.ts" }, "one"),
  ]);
  const sum = createLedgerSum();
  sum.add(one);
  const before = sum.ledger();
  sum.add(extractLedger(step("b", "read", { path: "b.ts" }, "two")));
  expect(before).toEqual(one);
  expect(sum.ledger().files.map(({ path }) => path)).toEqual(["a.ts", "b.ts"]);
});
