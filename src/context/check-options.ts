import { ContextError } from "../core/error.ts";
import { unknownOption } from "../core/options.ts";
import { KINDS } from "../core/calls/tool-kind.ts";
import { describeValue } from "../core/message/shape.ts";
import {
  assertOptions,
  BUDGET_OPTIONS,
  budgetOptions,
  type BudgetOptions,
} from "../core/overflow/budget-options.ts";
import { checkToolLimits } from "../core/truncate/limits.ts";
import { isJournal } from "./journal.ts";
import { aheadShare, type ContextOptions, summarizerTimeout } from "./options.ts";
import { checkTemplates } from "./templates.ts";

/** What an option must be, for a sentence, and the test for it. */
interface Rule {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const FITS = (): boolean => true;
const ANYTHING: Rule = { expected: "", fits: FITS };
const TEXT: Rule = { expected: "a text", fits: (value) => typeof value === "string" };
const FUNCTION: Rule = { expected: "a function", fits: (value) => typeof value === "function" };
const TOKENS: Rule = {
  expected: "a number of tokens, 0 or more",
  fits: (value) => typeof value === "number" && value >= 0,
};
const LIST = (of: string, fits: (one: unknown) => boolean): Rule => ({
  expected: `a list of ${of}`,
  fits: (value) => Array.isArray(value) && value.every(fits),
});
const ONE_OF = (...values: readonly unknown[]): Rule => ({
  expected: values
    .map((value) => (typeof value === "string" ? `"${value}"` : String(value)))
    .join(" or "),
  fits: (value) => values.includes(value),
});
/** An object whose fields are among these, each as its test wants it. */
const FIELDS = (expected: string, tests: Readonly<Record<string, Rule["fits"]>>): Rule => ({
  expected,
  fits: (value) =>
    isObject(value) && Object.keys(value).every((name) => tests[name]?.(value[name])),
});
const OR_NONE =
  (fits: Rule["fits"]): Rule["fits"] =>
  (value) =>
    value === undefined || fits(value);
/** An object of any names. */
const EACH = (expected: string, fits: Rule["fits"]): Rule => ({
  expected,
  fits: (value) => isObject(value) && Object.values(value).every(OR_NONE(fits)),
});
const WITH = (method: string, expected: string): Rule => ({
  expected,
  fits: (value) => isObject(value) && typeof value[method] === "function",
});

const FLAG = ONE_OF(true, false, undefined).fits;
const AMOUNT = OR_NONE(TOKENS.fits);
const TOOL_KINDS = EACH(`kinds by tool name: ${KINDS.join(", ")}`, ONE_OF(...KINDS).fits);
const TOOL_LIMITS = EACH(
  "limits by tool name, e.g. { bash: { maxLines: 500 } }",
  FIELDS("", { maxLines: FITS, maxBytes: FITS, direction: FITS }).fits,
);

const SUMMARIZER: Rule = {
  expected:
    'a summarizer, e.g. anthropicSummarizer({ model: "claude-haiku-4-5" }), a function or "extractive"',
  fits: (value) =>
    value === "extractive" || FUNCTION.fits(value) || WITH("summarize", "").fits(value),
};

/** Every option beside the numbers; what has no rule here says itself what is wrong with it. */
const RULES: Readonly<Record<Exclude<keyof ContextOptions, keyof BudgetOptions>, Rule>> = {
  model: TEXT,
  protectedTools: ANYTHING,
  archive: WITH("put", "an archive, e.g. directoryArchive(folder)"),
  counter: WITH("count", "a counter of tokens, e.g. { name, count: (text) => 1 }"),
  instructions: TEXT,
  tools: ANYTHING,
  fixedTokens: TOKENS,
  requestLimits: FIELDS("limits of a request, e.g. { maxImages: 20 }", {
    maxBytes: AMOUNT,
    maxImages: AMOUNT,
  }),
  traits: FIELDS("the traits of a dialect, e.g. anthropic.traits", {
    summaryRole: ONE_OF("system", "user", undefined).fits,
    boundReasoning: FLAG,
    endsWithInput: FLAG,
  }),
  toolKinds: TOOL_KINDS,
  toolLimits: TOOL_LIMITS,
  continuation: ONE_OF("auto", "ask", "never"),
  recall: ONE_OF(true, false),
  unansweredMedia: ONE_OF("describe", "keep"),
  describeMedia: {
    expected: '"links", "all" or a function, e.g. (file) => file.url !== undefined',
    fits: (value) => value === "links" || value === "all" || FUNCTION.fits(value),
  },
  compactionTemplate: ANYTHING,
  summarizer: SUMMARIZER,
  summarizerTimeoutMs: ANYTHING,
  summarizeAhead: ANYTHING,
  constraints: LIST("texts", TEXT.fits),
  plugins: LIST("plugins, e.g. [{ name, onEvent }]", isObject),
  cwd: TEXT,
  conversation: TEXT,
  journal: { expected: "what journal() of a context of this version returned", fits: isJournal },
  now: FUNCTION,
};

/** The options that a plugin brings, too. */
const PLUGIN_RULES = {
  summarizer: SUMMARIZER,
  toolKinds: TOOL_KINDS,
  toolLimits: TOOL_LIMITS,
} as const;

/**
 * Complains about options that make no sense, and about names that there are not: both would only be
 * noticed in the middle of a run, when the window is full. Throws `invalid-options`.
 */
export function checkOptions(options: ContextOptions, hasName = isOption): void {
  assertOptions(options);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!hasName(name)) throw unknownOption(name, NAMES);
    const rule = hasRule(name) ? RULES[name] : ANYTHING;
    if (!rule.fits(value)) throw noSuch(name, value, rule.expected);
  }
  const { summarizer, plugins = [], toolLimits } = options;
  if (isObject(summarizer)) checkSummarizer(summarizer);
  for (const plugin of plugins) {
    for (const [name, rule] of Object.entries(PLUGIN_RULES)) {
      const own = plugin[name as keyof typeof PLUGIN_RULES];
      if (own !== undefined && !rule.fits(own)) throw noSuch(name, own, rule.expected);
    }
    checkToolLimits(plugin.toolLimits);
  }
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

/** The sizes of a model that writes summaries. */
function checkSummarizer(summarizer: Readonly<Record<string, unknown>>): void {
  for (const field of ["window", "maxTokens"]) {
    const tokens = summarizer[field];
    if (tokens === undefined || (typeof tokens === "number" && tokens > 0)) continue;
    throw noSuch(`summarizer.${field}`, tokens, "a number of tokens above 0, or absent");
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function noSuch(option: string, value: unknown, expected: string): ContextError {
  return new ContextError(
    "invalid-options",
    `The option ${option} is ${shown(value)}; it must be ${expected}.`,
    { details: { option } },
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : describeValue(value);
}
