import { type ToolKind, type ToolKinds, toolKind } from "../calls/tool-kind.ts";
import { ContextError } from "../error.ts";
import type { OptionNames } from "../options.ts";

/** The most that a context keeps of an output. Both limits hold at the same time. */
export interface Limits {
  /** Lines, as `wc -l` and `sed` count them; a last line without a line end counts. */
  readonly maxLines: number;
  /** Bytes of UTF-8. */
  readonly maxBytes: number;
}

/** The kept part of an output that is too large: its end, its start, or some of each. */
export type Direction = "tail" | "head" | "both";

/** The limits of T15: some 12,000 tokens of log, and the 2,000 lines that most read tools show. */
export const DEFAULT_LIMITS: Limits = { maxLines: 2_000, maxBytes: 50_000 };

/** The smallest limit on bytes: room for any one code point. */
const LEAST_BYTES = 4;

/** Slack beyond the limit, so that a cut never falls into an escape sequence seen by half. */
const SLACK = 4_096;

/**
 * The bytes of an end that a caller holds so that the preview is as full as it can be: twice the
 * limit, because colours and overwritten lines are taken out before anything is measured.
 */
export function windowBytes(limits: Limits = DEFAULT_LIMITS): number {
  return 2 * limits.maxBytes + SLACK;
}

/** Limits with the defaults filled in. Throws `invalid-options` for a limit that leaves nothing. */
export function completeLimits(limits: Partial<Limits> = {}): Limits {
  const { maxLines = DEFAULT_LIMITS.maxLines, maxBytes = DEFAULT_LIMITS.maxBytes } = limits;
  check("maxLines", maxLines, 1);
  check("maxBytes", maxBytes, LEAST_BYTES);
  return { maxLines, maxBytes };
}

const KNOWN: ReadonlySet<unknown> = new Set<Direction>(["tail", "head", "both"]);

/** A direction that there is. Throws `invalid-options` for any other value. */
export function checkedDirection(direction: Direction): Direction {
  if (KNOWN.has(direction)) return direction;
  throw new ContextError(
    "invalid-options",
    `The direction is ${shown(direction)}; it must be "tail", "head" or "both".`,
    { details: { direction } },
  );
}

function check(name: keyof Limits, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ContextError(
    "invalid-options",
    `The limit ${name} is ${shown(value)}; it must be a whole number of at least ${least}.`,
    { details: { [name]: value } },
  );
}

function shown(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? `${value}` : `a ${typeof value}`;
}

/** The limits of the outputs of one tool. */
export interface ToolLimits {
  readonly limits: Limits;
  readonly direction: Direction;
}

/** A caller's settings for one tool; an absent one stays as it is. */
export interface ToolLimitOptions extends Partial<Limits> {
  /** Which part stays: the end, the beginning, or both ends. @default by the kind of the tool */
  readonly direction?: Direction;
}

/**
 * By exact tool name; `*` is for every tool that is not named. `$ cargo build` is for what a shell
 * tool prints last by a command that begins with these words; it goes before the tool's own, field
 * by field, and the longest such name goes before the others.
 */
export type ToolLimitOverrides = Readonly<Record<string, ToolLimitOptions>>;

/** The facts of a call beside the tool's name. */
export interface ToolCallFacts {
  /** The arguments; a shell command says which program's output it is. */
  readonly input?: unknown;
  readonly toolKinds?: ToolKinds;
}

/**
 * The end that says most, by what the tool does.
 * - A read, a page, a listing and a list of hits begin with what was asked for, and the reader
 *   goes on from there by offset or narrows the search.
 * - A command begins with what it does and ends with how it came out; tests and logs do too.
 * - A sub-agent begins with its plan and ends with its result.
 */
const DIRECTIONS: Readonly<Partial<Record<ToolKind, Direction>>> = {
  ...directed("head", "read search list web skill memory todo"),
  ...directed("both", "command task"),
};

/** Tools that no table of kinds has, by a word of their name. */
const NAMED: Readonly<Record<string, Direction>> = {
  ...directed("both", "test tests spec specs log logs journal"),
  ...directed("head", "compile compiler build typecheck tsc lint linter diagnostics"),
};

function directed(direction: Direction, words: string): Record<string, Direction> {
  return Object.fromEntries(words.split(" ").map((word) => [word, direction]));
}

/**
 * Compilers and linters print the cause first and what follows from it after: the first error is
 * the one to mend. Only where such a program is all that the command runs; what it is piped into
 * decides otherwise.
 */
const COMPILE =
  /^(?:(?:tsc|tsgo|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|rustc|javac|kotlinc|scalac|swiftc|ghc|make|ninja|eslint|oxlint|ruff|mypy|pyright|flake8|pylint|golangci-lint|shellcheck)(?= |$)|(?:cargo (?:build|check|clippy)|go (?:build|vet)|dotnet build|cmake --build|(?:mvn|gradle|\.\/gradlew) (?:compile|build|assemble)|(?:npm|yarn|pnpm|bun)(?: run)? (?:build|lint|typecheck|check))\b)/;
/** Words before the program. */
const LAUNCHER =
  /^(?:(?:npx|bunx|yarn|pnpm|npm exec|uv run|poetry run|python3? -m|\w*sh -l?c|(?:time|env|sudo|nice|timeout)(?: +(?:-|\d)\S*)*|\w+=\S*) +)+(?!run |(?:build|lint|(?:type)?check)\b)/;
const TEST = /\btests?\b|pytest|vitest|jest/;
const PRINTS_NOTHING = /^\s*(?:true|:)?\s*$/;
const COMMAND_UNITS = 2_000;

/**
 * The limits and the direction for a tool's output. Unknown tools: the end, because it says how
 * things came out. Throws `invalid-options` for an override that leaves nothing.
 */
export function toolLimits(
  toolName: string,
  overrides: ToolLimitOverrides = {},
  call: ToolCallFacts = {},
): ToolLimits {
  const options = optionsFor(toolName, overrides, call);
  const { direction = defaultDirection(toolName, call), ...limits } = options;
  return { limits: completeLimits(limits), direction: checkedDirection(direction) };
}

/** Bytes of one output for each token of the window: a tenth of it, at four bytes a token. */
const BYTES_A_TOKEN = 0.4;
const LEAST_SHARE = 1_000;

/**
 * The overrides for a window of so many tokens: what sets no limit on bytes has the usual one, but
 * no more than a tenth of the window, which a few outputs would fill otherwise.
 */
export function limitsWithin(
  // Every model that is known by its name has a window that is large enough.
  window: number | undefined = Infinity,
  overrides: ToolLimitOverrides = {},
): ToolLimitOverrides {
  const maxBytes = Math.max(LEAST_SHARE, Math.floor(window * BYTES_A_TOKEN));
  return limitsUpTo(maxBytes, overrides);
}

/** The overrides where another number of bytes than the usual one is left to what sets none. */
export function limitsUpTo(
  maxBytes: number = DEFAULT_LIMITS.maxBytes,
  overrides: ToolLimitOverrides = {},
): ToolLimitOverrides {
  if (maxBytes >= DEFAULT_LIMITS.maxBytes) return overrides;
  const all = Object.entries<ToolLimitOptions>({ "*": {}, ...overrides });
  return Object.fromEntries(
    all.map(([name, own]) => [name, { ...own, maxBytes: own.maxBytes ?? maxBytes }]),
  );
}

/** Throws `invalid-options` for an override that leaves nothing, before any tool is called. */
export function checkToolLimits(overrides: ToolLimitOverrides = {}): void {
  for (const name of Object.keys(overrides)) {
    toolLimits(name, overrides);
    if (!NO_COMMAND.test(name)) continue;
    throw new ContextError(
      "invalid-options",
      `The option toolLimits names "${name}", which is no command; write its words, e.g. "$ cargo build".`,
      { details: { option: "toolLimits", name } },
    );
  }
}

/** The overrides for a call: by its command, else by its tool, else for all tools. */
function optionsFor(
  toolName: string,
  overrides: ToolLimitOverrides,
  call: ToolCallFacts,
): ToolLimitOptions {
  const ofTool = Object.hasOwn(overrides, toolName) ? overrides[toolName] : overrides["*"];
  const commands = Object.keys(overrides).filter((name) => name.startsWith(PROMPT));
  if (commands.length === 0 || toolKind(toolName, call.toolKinds) !== "command")
    return ofTool ?? {};
  const { statement, program } = lastProgram(commandOf(call.input));
  const named = commands
    .filter((name) => [statement, program].some((line) => beginsWith(line, name)))
    .reduce((longest, name) => (name.length > longest.length ? name : longest), "");
  return { ...ofTool, ...overrides[named] };
}

/** The sign of a command among the names of tools, which have no spaces. */
const PROMPT = "$ ";
/** Its sign without a word behind it, or without the space: a name that nothing would ever have. */
const NO_COMMAND = /^\$(?! \s*\S)/;

/** Whole words, however many spaces there are between them. */
function beginsWith(line: string, name: string): boolean {
  const words = line.split(/\s+/);
  const wanted = name.slice(PROMPT.length).trim().split(/\s+/);
  return wanted.every((word, index) => words[index] === word);
}

function defaultDirection(toolName: string, { input, toolKinds }: ToolCallFacts): Direction {
  const kind = toolKind(toolName, toolKinds);
  if (kind === "command") return commandDirection(commandOf(input));
  const named = wordsOf(toolName).find((word) => Object.hasOwn(NAMED, word));
  return DIRECTIONS[kind] ?? (named === undefined ? undefined : NAMED[named]) ?? "tail";
}

/** `runTests`, `run_tests` and `run-tests` have the same words. */
function wordsOf(toolName: string): string[] {
  const parted = toolName.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  return parted.toLowerCase().split(/[^a-z]+/);
}

/** The end of a shell command's output that says most. */
export function commandDirection(command: string): Direction {
  const { program, isPiped } = lastProgram(command);
  return !isPiped && COMPILE.test(program) && !TEST.test(program) ? "head" : "both";
}

/** The program that prints last: the end of the pipe in the last statement, without its launcher. */
function lastProgram(command: string): {
  readonly statement: string;
  readonly program: string;
  readonly isPiped: boolean;
} {
  const statements = command.slice(0, COMMAND_UNITS).split(/&&|\|\||;|\n/);
  const last = statements.findLast((statement) => !PRINTS_NOTHING.test(statement))?.trim() ?? "";
  const statement = last.slice(last.lastIndexOf("|") + 1).trim();
  return { statement, program: statement.replace(LAUNCHER, ""), isPiped: statement !== last };
}

function commandOf(input: unknown): string {
  const { command, cmd, script } = (input ?? {}) as Record<string, unknown>;
  const given = command ?? cmd ?? script ?? input;
  const words = Array.isArray(given) ? given : [given];
  return words.filter((word) => typeof word === "string").join(" ");
}

/** The facts of an output that is to be truncated; limits set here are above all others. */
export interface OutputMeta extends ToolCallFacts, ToolLimitOptions {
  /** The tool that printed it: decides about limits and direction where nothing else is said. */
  readonly toolName?: string;
}

export const META_NAMES: OptionNames<OutputMeta> = {
  toolName: true,
  maxLines: true,
  maxBytes: true,
  direction: true,
  input: true,
  toolKinds: true,
};

/** Limits and direction for one output: what its meta sets, else the overrides, else the tool's. */
export function outputLimits(meta: OutputMeta, overrides: ToolLimitOverrides = {}): ToolLimits {
  const { toolName = "", maxLines, maxBytes, direction } = meta;
  const set = optionsFor(toolName, overrides, meta);
  const own = {
    maxLines: maxLines ?? set.maxLines,
    maxBytes: maxBytes ?? set.maxBytes,
    direction: direction ?? set.direction,
  };
  return toolLimits(toolName, { [toolName]: own }, meta);
}
