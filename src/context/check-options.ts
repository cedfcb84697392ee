import { KINDS } from "../core/calls/tool-kind.ts";
import { ContextError } from "../core/error.ts";
import { describeValue } from "../core/rules.ts";
import { unknownOption } from "../core/options.ts";
import {
  assertOptions,
  BUDGET_OPTIONS,
  budgetOptions,
  type BudgetOptions,
} from "../core/overflow/budget-options.ts";
import * as rule from "../core/rules.ts";
import { checkToolLimits } from "../core/truncate/limits.ts";
import type { RequestLimits } from "../core/plan/index.ts";
import type { ToolLimitOptions } from "../core/truncate/limits.ts";
import type { DialectTraits } from "../dialects/dialect.ts";
import { isJournal } from "./journal.ts";
import { aheadShare, type ContextOptions, summarizerTimeout } from "./options.ts";
import { checkTemplates } from "./templates.ts";

const KIND_NAMES: ReadonlySet<unknown> = new Set(KINDS);
const TOOL_KINDS = rule.each(
  rule.optional(rule.is(`one of the kinds ${KINDS.join(", ")}`, (value) => KIND_NAMES.has(value))),
);
/** The values are looked at by `checkToolLimits`. */
const TOOL_LIMITS = rule.each(
  rule.optional(
    rule.options<ToolLimitOptions>({
      maxLines: rule.ANYTHING,
      maxBytes: rule.ANYTHING,
      direction: rule.ANYTHING,
    }),
  ),
);
const POSITIVE = rule.is(
  "a number of tokens above 0, or absent",
  (value) => typeof value === "number" && value > 0,
);
const OWN_SUMMARIZER = rule.record(
  {
    summarize: rule.FUNCTION,
    window: rule.optional(POSITIVE),
    maxTokens: rule.optional(POSITIVE),
  },
  'a summarizer, e.g. anthropicSummarizer({ model: "claude-haiku-4-5" }), a function or "extractive"',
);
const SUMMARIZER: rule.Rule = (value, at) =>
  value === "extractive" || typeof value === "function" ? undefined : OWN_SUMMARIZER(value, at);

/** An archive, or the address of one. */
function isArchive(value: unknown): boolean {
  return typeof value === "string" || rule.fits(rule.record({ put: rule.FUNCTION }), value);
}

/** Every option beside the numbers; what has no rule here says itself what is wrong with it. */
const RULES: Readonly<Record<Exclude<keyof ContextOptions, keyof BudgetOptions>, rule.Rule>> = {
  model: rule.TEXT,
  protectedTools: rule.ANYTHING,
  archive: rule.is("an archive, e.g. directoryArchive(folder)", isArchive),
  counter: rule.named(
    "a counter of tokens, e.g. { name, count: (text) => 1 }",
    rule.record({ count: rule.FUNCTION }),
  ),
  instructions: rule.TEXT,
  tools: rule.ANYTHING,
  fixedTokens: rule.AMOUNT,
  requestLimits: rule.options<RequestLimits>({
    maxBytes: rule.optional(rule.AMOUNT),
    maxImages: rule.optional(rule.AMOUNT),
  }),
  traits: rule.options<DialectTraits>({
    summaryRole: rule.optional(rule.oneOf("system", "user")),
    boundReasoning: rule.optional(rule.FLAG),
    endsWithInput: rule.optional(rule.FLAG),
  }),
  toolKinds: TOOL_KINDS,
  toolLimits: TOOL_LIMITS,
  continuation: rule.oneOf("auto", "ask", "never"),
  recall: rule.FLAG,
  unansweredMedia: rule.oneOf("describe", "keep"),
  describeMedia: rule.is(
    '"links", "all" or a function, e.g. (file) => file.url !== undefined',
    (value) => value === "links" || value === "all" || typeof value === "function",
  ),
  compactionTemplate: rule.ANYTHING,
  summarizer: SUMMARIZER,
  summarizerTimeoutMs: rule.ANYTHING,
  summarizeAhead: rule.ANYTHING,
  constraints: rule.list(rule.TEXT),
  plugins: rule.list(
    rule.record(
      {
        summarizer: rule.optional(SUMMARIZER),
        toolKinds: rule.optional(TOOL_KINDS),
        toolLimits: rule.optional(TOOL_LIMITS),
      },
      "a plugin, e.g. { name, onEvent }",
    ),
  ),
  cwd: rule.TEXT,
  conversation: rule.TEXT,
  journal: rule.is("what journal() of a context of this version returned", isJournal),
  now: rule.FUNCTION,
};

/**
 * Complains about options that make no sense, and about names that there are not: both would only be
 * noticed in the middle of a run, when the window is full. Throws `invalid-options`.
 */
export function checkOptions(options: ContextOptions, hasName = isOption): void {
  assertOptions(options);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!hasName(name)) throw unknownOption(name, NAMES);
    if (hasRule(name)) check(RULES[name], value, name);
  }
  const { plugins = [], toolLimits } = options;
  for (const plugin of plugins) checkToolLimits(plugin.toolLimits);
  checkToolLimits(toolLimits);
  budgetOptions(options);
  checkTemplates(options);
  summarizerTimeout(options.summarizerTimeoutMs);
  aheadShare(options.summarizeAhead);
}

const NAMES: readonly string[] = [...BUDGET_OPTIONS, ...Object.keys(RULES)];

function isOption(name: string): name is keyof ContextOptions {
  return NAMES.includes(name);
}

function hasRule(name: string): name is keyof typeof RULES {
  return Object.hasOwn(RULES, name);
}

function check(fits: rule.Rule, given: unknown, name: string): void {
  const problem = fits(given, name);
  if (problem === undefined) return;
  const { at, expected, value } = problem;
  const shown = typeof value === "string" ? `"${value}"` : describeValue(value);
  throw new ContextError(
    "invalid-options",
    `The option ${at} is ${shown}; it must be ${expected}.`,
    { details: { option: at } },
  );
}
