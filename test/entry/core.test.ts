import * as fc from "fast-check";
import { expect, it } from "vitest";
import * as core from "../../src/core.ts";
import { contextBudget, isContextError, truncateOutput } from "../../src/index.ts";
import { estimateTokens } from "../../src/tokens.ts";
import {
  assistant,
  call,
  calling,
  digest,
  quarter,
  results,
  step,
  system,
  user,
  words,
} from "../build-messages.ts";
import { runs } from "../property/runs.ts";

const conversation = [
  system("rules"),
  user("do it"),
  ...step("a", "read", { path: "a.ts" }, words(900)),
  calling(call("b", "bash", { command: "npm test" })),
  results({
    type: "tool-result",
    toolCallId: "b",
    toolName: "bash",
    exitCode: 1,
    output: [
      { type: "text", text: words(900) },
      { type: "file", mediaType: "image/png", data: "AAAA" },
    ],
  }),
  assistant("done"),
  ...["more", "and more", "go on"].flatMap((text) => [user(text), assistant(words(200, text))]),
  { ...user("last"), usage: { input: 5, output: 2 }, metadata: { a: 1 } },
];
const planning = {
  ...core.planDefaults(quarter),
  budget: contextBudget({ window: 4_000, minimumSaving: 100 }),
  digest,
  now: 0,
};
const ledger = core.extractLedger(conversation, { cwd: "/w" });
const pruning = core.planContext(conversation, planning);
const compacting = core.planContext(conversation, { ...planning, force: true });
const summary = "## Goal\nall";
const template = core.DEFAULT_COMPACTION_TEMPLATE;
const head = "head_0123456789abcdef" as const;

/** Arguments that each function takes. */
const CALLS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  applyPlan: [
    [conversation, pruning],
    [conversation, compacting, { summary }],
  ],
  buildContinuation: [[conversation, { kept: conversation, policy: "auto", endsWithInput: true }]],
  checkMessages: [[conversation]],
  contextBudget: [[{ window: 8_000, reserved: 10, tailShare: 0.1, model: "claude" }]],
  describeCall: [
    [call("a", "bash", { command: "ls", cwd: "/" }), { bash: "command" }],
    [call("a", "read", { path: "a", offset: 3, limit: 4 })],
    [call("a", "apply_patch", { patch: "*** Update File: a\n" })],
    [call("a", "todo_write", { todos: [{ content: "a" }] })],
  ],
  describeMedia: [[[{ type: "file", mediaType: "image/png", data: "AAAA" }], "out", true]],
  estimateTokens: [[conversation], ["text"]],
  extractiveSummary: [
    [
      {
        ledger,
        cap: 800,
        count: quarter.count,
        cwd: "/w",
        constraints: ["rule"],
        olderHandles: [head],
        protectedOutputs: [{ tool: "skill", subject: "a", isSkill: true, handle: head }],
        standing: {
          names: new Set(["name"]),
          commands: new Set(["ls"]),
          typed: new Set(["do it"]),
          text: "all that stands",
        },
        earlier: { goal: "words" },
        template,
      },
    ],
  ],
  extractLedger: [[conversation, { cwd: "/w", offset: 3, toolKinds: { bash: "command" } }]],
  frameSummary: [[summary, { headMessages: 3, headHandle: head, note: "a", recall: true }]],
  isOverflow: [[3, { usable: 4 }]],
  originalsOf: [
    [conversation, pruning, digest],
    [conversation, compacting, digest],
  ],
  parseSummary: [[summary, template]],
  planContext: [
    [conversation, planning],
    [
      conversation,
      {
        ...planning,
        force: true,
        tailStart: 4,
        fixedTokens: 10,
        usedTokens: 1_990,
        requestLimits: { maxBytes: 9_000, maxImages: 3 },
        traits: { summaryRole: "user", boundReasoning: true, endsWithInput: true },
        toolKinds: { bash: "command" },
        protectedTools: ["read"],
        describeMedia: "all",
        unloadedLinks: ["https://a.example/b.png"],
        margin: 0.1,
      },
    ],
  ],
  planDefaults: [[quarter]],
  pruneToolOutputs: [[conversation, { window: 4_000, counter: quarter, toolKinds: {} }]],
  renderTemplate: [[template]],
  repairMessages: [
    [conversation],
    [conversation.slice(3), core.checkMessages(conversation.slice(3))],
  ],
  resolveTemplate: [[[{ sections: [{ id: "goal", purpose: "a" }] }, "## Goal\nb"]]],
  runState: [[conversation]],
  truncateOutput: [[words(9_000), { toolName: "bash", maxLines: 9, input: { command: "ls" } }]],
  unframeSummary: [[core.frameSummary(summary, { headMessages: 3 })]],
  validateSummary: [[summary, template]],
};

const functions: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(core).filter(([, value]) => typeof value === "function")),
  contextBudget,
  estimateTokens,
  truncateOutput,
};

function called(name: string, args: readonly unknown[]): unknown {
  return (functions[name] as (...all: readonly unknown[]) => unknown)(...args);
}

/** Rejects with anything but an error of ours. */
function expectAnswer(name: string, args: readonly unknown[]): void {
  try {
    called(name, args);
  } catch (error) {
    if (!isContextError(error)) throw error;
    expect(error.message).toMatch(/^\S.{15,}\.$/s);
  }
}

it("every function is looked at", () => {
  expect(Object.keys(CALLS).toSorted()).toEqual(Object.keys(functions).toSorted());
});

it.each(Object.keys(CALLS))("%s takes what it is for", (name) => {
  for (const args of CALLS[name]!) expect(() => called(name, args)).not.toThrow();
});

it.each([
  ["checkMessages", [null], "The history is null and no array of messages."],
  [
    "runState",
    [[user("a"), { role: "user", parts: [{}] }]],
    /^Message 1 has a part without a type/,
  ],
  [
    "buildContinuation",
    [[], { policy: "x" }],
    /needs "auto" or "ask" or "never" in options.policy/,
  ],
  [
    "extractLedger",
    [[], { cwd: 3 }],
    "extractLedger needs a string in options.cwd and has a number.",
  ],
  ["applyPlan", [[], { ...pruning, edits: [{}] }], /^applyPlan needs .* in plan.edits\[0\].type/],
  ["planContext", [[], { ...planning, budget: {} }], /in options.budget.window and has none\.$/],
])("%s says what is wrong, and where", (name, args, said) => {
  expect(() => called(name, args)).toThrow(said);
});

/** Values that have no place where they stand. */
const garbage: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(undefined, null, Number.NaN, -1, 1.5, 1e9, Infinity, "", "x", true, [], {}, [
    null,
  ]),
  fc.constantFrom({ role: "user" }, { type: "text" }, { role: "tool", parts: [{}] }, [[]], {
    a: {},
  }),
  fc.anything({ maxDepth: 2, withBigInt: true, withSet: true, withNullPrototype: true }),
);

/** The same value with garbage somewhere in it; `seed` says where. */
function spoilt(value: unknown, bad: unknown, seed: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Set) return bad;
  const names = Object.keys(value);
  const at = seed % (names.length + 1);
  const name = names[at];
  if (name === undefined) return bad;
  const inner = (value as Readonly<Record<string, unknown>>)[name];
  const changed = spoilt(inner, bad, Math.floor(seed / (names.length + 1)));
  if (Array.isArray(value)) return value.with(at, changed);
  return { ...value, [name]: changed };
}

it.each(Object.keys(CALLS))("%s has a result or an error of ours for any value", (name) => {
  const calls = CALLS[name]!;
  fc.assert(
    fc.property(fc.array(garbage, { maxLength: 4 }), (args) => expectAnswer(name, args)),
    { numRuns: runs(200, 2_000) },
  );
  fc.assert(
    fc.property(fc.constantFrom(...calls), garbage, fc.nat(), (args, bad, seed) => {
      const index = seed % args.length;
      expectAnswer(
        name,
        args.with(index, spoilt(args[index], bad, Math.floor(seed / args.length))),
      );
    }),
    { numRuns: runs(300, 5_000) },
  );
});
