/** The pure functions of `longhaul/core`, each behind a look at its arguments. */
import * as calls from "../core/calls/describe-call.ts";
import * as continuing from "../core/continuation/continuation.ts";
import * as extract from "../core/ledger/extract.ts";
import * as check from "../core/message/check.ts";
import * as repair from "../core/message/repair.ts";
import * as budget from "../core/overflow/budget.ts";
import { BUDGET_OPTIONS, type BudgetOptions } from "../core/overflow/budget-options.ts";
import * as plans from "../core/plan/index.ts";
import * as prompt from "../core/summary/prompt.ts";
import * as summaries from "../core/summary/index.ts";
import { isLedger } from "../context/journal.ts";
import type { ContinuationOptions } from "../core/continuation/index.ts";
import type { ExtractOptions } from "../core/ledger/index.ts";
import type { PlanOptions } from "../core/plan/index.ts";
import type { PruneToolOutputsOptions } from "../context/prune-tool-outputs.ts";
import * as pruning from "../context/prune-tool-outputs.ts";
import {
  AMOUNT,
  ANYTHING,
  each,
  FLAG,
  FUNCTION,
  INDEX,
  is,
  list,
  NUMBER,
  oneOf,
  optional,
  options,
  record,
  type Rule,
  TEXT,
} from "../core/rules.ts";
import { door, HANDLE, MESSAGES, part, TOOL_KINDS } from "./rules.ts";

const COUNTER = record({ name: TEXT, count: FUNCTION }, "a counter of tokens");
const DIGEST = FUNCTION;
const POLICY = oneOf("auto", "ask", "never");
const SET = is("a Set", (value) => value instanceof Set);
const TEMPLATE = record({
  sections: list(record({ id: TEXT, heading: TEXT, purpose: TEXT })),
});

/** The numbers say themselves what is wrong with them. */
const BUDGETS = Object.fromEntries(BUDGET_OPTIONS.map((name) => [name, ANYTHING])) as Readonly<
  Record<keyof BudgetOptions, Rule>
>;

export const planDefaults = door(pruning.planDefaults, { counter: optional(COUNTER) });

export const pruneToolOutputs = door(pruning.pruneToolOutputs, {
  messages: MESSAGES,
  options: optional(
    options<PruneToolOutputsOptions>({
      ...BUDGETS,
      protectedTools: ANYTHING,
      counter: optional(COUNTER),
      toolKinds: optional(TOOL_KINDS),
      now: optional(FUNCTION),
    }),
  ),
});

export const runState = door(continuing.runState, { messages: MESSAGES });
export const buildContinuation = door(continuing.buildContinuation, {
  messages: MESSAGES,
  options: optional(
    options<ContinuationOptions>({
      policy: optional(POLICY),
      kept: optional(MESSAGES),
      endsWithInput: optional(FLAG),
      handleOf: optional(FUNCTION),
    }),
  ),
});
export const describeMedia = door(continuing.describeMedia, {
  pieces: list(part("text", "file", "opaque")),
  handle: optional(TEXT),
  recall: optional(FLAG),
});

export const describeCall = door(calls.describeCall, {
  call: part("tool-call"),
  kinds: optional(TOOL_KINDS),
});

export const extractLedger = door(extract.extractLedger, {
  messages: MESSAGES,
  options: optional(
    options<ExtractOptions>({
      offset: optional(NUMBER),
      cwd: optional(TEXT),
      toolKinds: optional(TOOL_KINDS),
    }),
  ),
});

const ISSUES = list(record({ rule: TEXT, index: INDEX, message: TEXT }));

export const checkMessages = door(check.checkMessages, { messages: MESSAGES });
export const repairMessages = door(repair.repairMessages, {
  messages: MESSAGES,
  issues: optional(ISSUES),
});

export const isOverflow = door(budget.isOverflow, {
  tokens: NUMBER,
  budget: record({ usable: NUMBER }),
});

const SIZES = ["window", "reserved", "usable", "target", "minimumSaving", "protectedTurns"];
const SHARES = ["recent", "tail", "tailUnits", "pinned", "summary"];
const BUDGET = record(
  Object.fromEntries([...SIZES, ...SHARES].map((name) => [name, AMOUNT])),
  "a budget, as contextBudget makes it,",
);
const METER = record(
  { tokens: FUNCTION, total: FUNCTION, size: FUNCTION, totalSize: FUNCTION },
  "a meter, as planDefaults makes it,",
);

export const planContext = door(plans.planContext, {
  messages: MESSAGES,
  options: options<PlanOptions>({
    budget: BUDGET,
    counter: COUNTER,
    meter: METER,
    digest: DIGEST,
    now: NUMBER,
    headOf: optional(FUNCTION),
    fixedTokens: optional(AMOUNT),
    usedTokens: optional(AMOUNT),
    requestLimits: optional(record({ maxBytes: optional(AMOUNT), maxImages: optional(AMOUNT) })),
    traits: optional(record({ summaryRole: oneOf("system", "user") })),
    protectedTools: ANYTHING,
    toolKinds: optional(TOOL_KINDS),
    continuation: optional(POLICY),
    canRecall: optional(FLAG),
    recall: optional(FLAG),
    margin: optional(AMOUNT),
    force: optional(FLAG),
    pruneOnly: optional(FLAG),
    pays: optional(FUNCTION),
    tailStart: optional(INDEX),
    unansweredMedia: optional(oneOf("describe", "keep")),
    describeMedia: optional(
      is(
        '"links", "all" or a function',
        (value) => typeof value === "function" || value === "links" || value === "all",
      ),
    ),
    unloadedLinks: optional(list(TEXT)),
  }),
});

const EDIT = record({
  type: oneOf("replace-output", "replace-input", "replace-text"),
  message: INDEX,
  part: INDEX,
  handle: HANDLE,
  reason: TEXT,
});

/** A plan; the indices in it are looked at where it is applied. */
const PLAN: Rule = record(
  {
    length: INDEX,
    edits: list(EDIT),
    reasoning: optional(record({ messages: list(INDEX), note: optional(TEXT) })),
    compaction: optional(
      record({
        system: INDEX,
        tailStart: INDEX,
        pinned: list(INDEX),
        unpinned: optional(list(record({ message: INDEX, part: INDEX }))),
        withoutReasoning: list(INDEX),
        hadMedia: optional(INDEX),
        handle: optional(HANDLE),
        summary: record({ role: oneOf("system", "user"), cap: NUMBER }),
        continuation: optional((value, at) => MESSAGES([value], at)),
      }),
    ),
  },
  "a plan, as planContext makes it,",
);

export const applyPlan = door(plans.applyPlan, {
  messages: MESSAGES,
  plan: PLAN,
  effects: optional(record({ summary: TEXT })),
});
export const originalsOf = door(plans.originalsOf, {
  messages: MESSAGES,
  plan: PLAN,
  digest: DIGEST,
  head: optional(record({ handle: HANDLE })),
});

export const resolveTemplate = door(summaries.resolveTemplate, {
  overrides: list(ANYTHING),
});
export const renderTemplate = door(prompt.renderTemplate, { template: TEMPLATE });
export const parseSummary = door(summaries.parseSummary, {
  text: TEXT,
  template: optional(TEMPLATE),
});
export const validateSummary = door(summaries.validateSummary, {
  text: TEXT,
  template: optional(TEMPLATE),
});
export const unframeSummary = door(summaries.unframeSummary, { framed: TEXT });
export const frameSummary = door(summaries.frameSummary, {
  text: TEXT,
  facts: record({
    headMessages: NUMBER,
    headHandle: optional(HANDLE),
    recall: optional(FLAG),
    note: optional(TEXT),
  }),
});
export const extractiveSummary = door(summaries.extractiveSummary, {
  input: record({
    cap: NUMBER,
    count: FUNCTION,
    ledger: is("a ledger, as extractLedger makes it,", isLedger),
    cwd: optional(TEXT),
    constraints: optional(list(TEXT)),
    olderHandles: optional(list(HANDLE)),
    headHandle: optional(HANDLE),
    protectedOutputs: optional(
      list(record({ tool: TEXT, subject: TEXT, handle: optional(HANDLE) })),
    ),
    standing: optional(record({ names: SET, commands: SET, typed: SET, text: TEXT })),
    earlier: optional(each(TEXT)),
    template: optional(TEMPLATE),
  }),
});
