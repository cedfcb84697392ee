// Where each option acts, for docs/options.md. `names` are all options of the interface if they are
// left out; those of a context must each stand in a group.

export const OPTIONS_HEAD = `# Options

Every option, with its default, its unit, and where it acts. The page is made from the types by \`node scripts/api.mjs\`.

Every option of a context may be left out. A name that there is not, and a value that makes no sense, is refused when the context is created: \`ContextError\` code \`invalid-options\`, which names the option and what it must be.
What a call says wins over the context, the context over its plugins, plugins over the defaults. Of an amount in tokens and one as a share, where both are given, the smaller holds. On the command line the same things are flags, or stand in a [settings file](command-line.md#settings).
The stages have the numbers of [techniques.md](techniques.md).
`;

const CONTEXT = "ContextOptions";

export const optionGroups = [
  {
    title: "T7: when the window is full",
    text: "How much room there is. `contextBudget(options)` computes from them, without a context.",
    of: CONTEXT,
    names: ["window", "model", "maxInput", "reserved", "targetTokens", "targetShare"],
  },
  {
    title: "Counting",
    text: "What fills the window. What a provider reports replaces what was estimated.",
    of: CONTEXT,
    names: ["counter", "tokenFactor", "instructions", "tools", "fixedTokens", "requestLimits"],
  },
  {
    title: "T9: pruning of tool outputs",
    text: "Which old outputs become placeholders. The boundary is that of turns where the conversation has enough of them, else that of tokens.",
    of: CONTEXT,
    names: [
      "protectedTools",
      "protectedTurns",
      "recentTokens",
      "recentShare",
      "minimumSaving",
      "toolKinds",
    ],
  },
  {
    title: "T8: compaction",
    text: "What stays word for word when the head becomes a summary.",
    of: CONTEXT,
    names: [
      "tailTokens",
      "tailShare",
      "tailUnits",
      "pinnedTokens",
      "pinnedShare",
      "unansweredMedia",
      "describeMedia",
    ],
  },
  {
    title: "T12: the summary",
    text: "What stands for the head, and who writes it: [summary.md](summary.md), [models.md](models.md).",
    of: CONTEXT,
    names: [
      "summaryTokens",
      "summaryShare",
      "compactionTemplate",
      "constraints",
      "summarizer",
      "summarizerTimeoutMs",
      "summarizeAhead",
      "cwd",
    ],
  },
  {
    title: "T11: continuation",
    text: "What is added behind a compaction.",
    of: CONTEXT,
    names: ["continuation"],
  },
  {
    title: "T15: truncation on arrival",
    text: "For `context.truncate` and for tools wrapped with `context.truncation`: [truncation.md](truncation.md).",
    of: CONTEXT,
    names: ["toolLimits"],
  },
  {
    title: "The conversation",
    text: "Where its originals and its journal are: [archive.md](archive.md), [persistence.md](persistence.md).",
    of: CONTEXT,
    names: ["archive", "conversation", "journal", "plugins", "recall", "traits", "now"],
  },
  {
    title: "One call",
    text: "The second argument of `prepare`. What `instructions` and `tools` say holds for the calls after it, too.",
    of: "PrepareOptions",
  },
  {
    title: "A hook",
    text: "What the hooks of all SDKs take beside the options of a context. `Model`, `Written` and `Request` are those of the SDK.",
    of: "HookOptions",
  },
  {
    title: "A plugin",
    text: "An entry of `plugins`: a bundle of settings, and a listener.",
    of: "ContextPlugin",
  },
  {
    title: "An archive on disk",
    text: "The second argument of `directoryArchive(folder, options)`.",
    of: "DirectoryArchiveOptions",
  },
  {
    title: "An archive in PostgreSQL",
    text: "The argument of `postgresArchive(options)`: [fleet.md](fleet.md).",
    of: "PostgresArchiveOptions",
  },
  {
    title: "An archive in S3",
    text: "The argument of `s3Archive(options)`: [fleet.md](fleet.md#s3-alone).",
    of: "S3ArchiveOptions",
  },
  {
    title: "Retention",
    text: "`retention` of an archive on disk, and `collectGarbage`: [what is removed, and when](archive.md#what-is-removed-and-when).",
    of: "RetentionOptions",
  },
  {
    title: "Limits of a tool",
    text: "A value of `toolLimits`, by tool name or `$` command; `*` stands for all others.",
    of: "ToolLimitOptions",
  },
];

const UNITS = {
  largerThan: "bytes",
  maxOutput: "tokens",
  window: "tokens",
  maxInput: "tokens",
  reserved: "tokens",
  minimumSaving: "tokens",
  tokenFactor: "factor",
  protectedTurns: "user turns",
  tailUnits: "steps and messages",
  summarizeAhead: "share of the limit, 0 to 1",
  maxLines: "lines",
  maxConversations: "conversations",
  now: "ms",
};

const ENDINGS = [
  ["Tokens", "tokens"],
  ["Share", "share of usable, 0 to 1"],
  ["Bytes", "bytes"],
  ["Ms", "ms"],
];

/** The unit of an option that is a number. */
export function unitOf(name, text) {
  const unit = UNITS[name] ?? ENDINGS.find(([ending]) => name.endsWith(ending))?.[1];
  if (unit === undefined && /\?: number\b/.test(text)) throw new Error(`No unit for ${name}`);
  return unit ?? "";
}
