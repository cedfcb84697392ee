import { Command, CommanderError } from "commander";
import { errorMessage, isContextError } from "../core/error.ts";
import { unbroken } from "./columns.ts";
import { hasNoDescriptors, NO_DESCRIPTORS } from "./descriptors.ts";
import {
  type Io,
  isTerminal,
  printJson,
  type SetExitCode,
  talk,
  terminalWidth,
  writeText,
} from "./io.ts";

/** Gives a command its arguments, options and action. */
type Define = (command: Command, io: Io, setExitCode: SetExitCode) => void;

interface CommandEntry {
  readonly name: string;
  /** The heading of the help that it stands below. */
  readonly group: string;
  readonly summary: string;
  /** An agent waits for the start of this program with every command it runs. */
  readonly load: () => Promise<Define>;
  /** Whether it has no result that could be JSON, or says itself what of it is. */
  readonly isWithoutJson?: true;
}

/** Every command, in the order of the help. */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: "sessions",
    group: "Sessions:",
    summary: "list the sessions on this computer",
    load: async () => (await import("./sessions.ts")).defineSessions,
  },
  {
    name: "inspect",
    group: "Sessions:",
    summary: "see what fills the window of a session",
    load: async () => (await import("./inspect.ts")).defineInspect,
  },
  {
    name: "compact",
    group: "Sessions:",
    summary: "compact a session so that it fits its model's window",
    load: async () => (await import("./compact.ts")).defineCompact,
  },
  {
    name: "resume",
    group: "Sessions:",
    summary: "compact a session and go on with it in its own agent",
    load: async () => (await import("./resume.ts")).defineResume,
  },
  {
    name: "search",
    group: "Sessions:",
    summary: "find a text in all sessions on this computer",
    load: async () => (await import("./search.ts")).defineSearch,
  },
  {
    name: "cost",
    group: "Sessions:",
    summary: "add up what the sessions on this computer took, in tokens and money",
    load: async () => (await import("./cost.ts")).defineCost,
  },
  {
    name: "simulate",
    group: "Sessions:",
    summary: "see what each way of making room would have kept of a session, and cost",
    load: async () => (await import("./simulate.ts")).defineSimulate,
  },
  {
    name: "plugin",
    group: "Agents at work:",
    summary: "make Longhaul part of a coding agent, or take it out",
    load: async () => (await import("./plugin.ts")).definePlugin,
  },
  {
    name: "wrap",
    group: "Agents at work:",
    summary: "run one coding agent behind a gateway",
    load: async () => (await import("./wrap.ts")).defineWrap,
    isWithoutJson: true,
  },
  {
    name: "gateway",
    group: "Agents at work:",
    summary: "stand between any client and its model provider",
    load: async () => (await import("./gateway.ts")).defineGateway,
    isWithoutJson: true,
  },
  {
    name: "mcp",
    group: "Agents at work:",
    summary: "serve recall, search and window to an agent, as MCP tools",
    load: async () => (await import("./mcp.ts")).defineMcp,
    isWithoutJson: true,
  },
  {
    name: "run",
    group: "Outputs and originals:",
    summary: "run a command and print what fits of its output",
    load: async () => (await import("./run.ts")).defineRun,
  },
  {
    name: "truncate",
    group: "Outputs and originals:",
    summary: "let through what fits of an output on stdin",
    load: async () => (await import("./truncate.ts")).defineTruncate,
  },
  {
    name: "recall",
    group: "Outputs and originals:",
    summary: "print an original from the archive, or search all of them",
    load: async () => (await import("./recall.ts")).defineRecall,
  },
  {
    name: "gc",
    group: "Outputs and originals:",
    summary: "remove what is old from the archive",
    load: async () => (await import("./gc.ts")).defineGc,
  },
  {
    name: "migrate",
    group: "Archives of many machines:",
    summary: "make the tables of an archive in PostgreSQL",
    load: async () => (await import("./migrate.ts")).defineMigrate,
  },
  {
    name: "archive",
    group: "Archives of many machines:",
    summary: "copy conversations between a folder, a database and a bucket",
    load: async () => (await import("./archive.ts")).defineArchive,
  },
  {
    name: "formats",
    group: "More:",
    summary: "list the formats that can be read and written",
    load: async () => (await import("./formats.ts")).defineFormats,
  },
  {
    name: "completion",
    group: "More:",
    summary: "print what completes our commands in bash, zsh or fish",
    load: async () => {
      const { defineCompletion } = await import("./completion.ts");
      return (command, io) => defineCompletion(command, io, () => allCommands(io));
    },
    isWithoutJson: true,
  },
];

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Help is a page of its own, and reads best at this width. */
const HELP_COLUMNS = 80;

/** Errors that the person caused by what was typed. */
const USAGE_CODES: ReadonlySet<string> = new Set(["invalid-options", "unreadable-file"]);

/**
 * Runs the command line and returns its exit code: 0 done, 1 failed, 2 wrong usage; `run` has that
 * of its command. Errors are one line on stderr, and with `--json` an object on stdout as well.
 */
export async function runProgram(
  io: Io,
  args: readonly string[],
  version: string,
): Promise<number> {
  try {
    if (args.length === 0) {
      if (!isTerminal(io)) return await runProgram(io, ["sessions"], version);
      const { showOverview } = await import("./overview.ts");
      return await showOverview(io, (chosen) => runProgram(io, chosen, version));
    }
    let exitCode: number = EXIT.done;
    const program = await createProgram(io, args, version, (code) => (exitCode = code));
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    const asJson = ownArguments(args).includes("--json");
    if (!(error instanceof CommanderError)) return reportError(io, error, asJson);
    if (error.exitCode === 0) return EXIT.done;
    if (asJson) printError(io, "invalid-options", usageSentence(error.message, args), {});
    return EXIT.usage;
  }
}

/** Words behind `--`, or from the first one that `run` or `wrap` is given, are for another program. */
function ownArguments(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg, at) => {
    const isOthers = args[0] === "run" || args[0] === "wrap";
    const isWord = isOthers && at > 0 && !arg.startsWith("-");
    return arg === "--" || (isWord && !/^--./.test(args[at - 1] ?? ""));
  });
  return end < 0 ? args : args.slice(0, end);
}

/** The fault of the command line, on one line, with the place to look if that does not say it. */
function usageSentence(text: string, args: readonly string[]): string {
  const sentence = text
    .replace(/^error: /, "")
    .trim()
    .replace(/\s*\n\s*/g, " ");
  if (/[.)]$/.test(sentence) && !/ but got \d+\.$/.test(sentence)) return sentence;
  const command = COMMANDS.find(({ name }) => name === args[0]);
  return `${sentence.replace(/\.$/, "")}. See longhaul ${command === undefined ? "" : `${command.name} `}--help.`;
}

function reportError(io: Io, error: unknown, asJson: boolean): number {
  const isOurs = isContextError(error);
  const message = hasNoDescriptors(error) ? NO_DESCRIPTORS : sentenceOf(error);
  const isOfLines = isOurs && error.code === "unknown-format";
  const sentence = isOfLines ? message : message.replace(/\s*\n\s*/g, " ");
  talk(io, `longhaul: ${withWholePaths(sentence, error)}`);
  if (asJson) printError(io, isOurs ? error.code : "internal", message, isOurs && error.details);
  if (!isOurs && io.env["LONGHAUL_DEBUG"] !== undefined && error instanceof Error) {
    io.stderr.write(`${error.stack}\n`);
  }
  return isOurs && USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
}

/** A sentence whose paths stay whole, as far as its error says which they are. */
function withWholePaths(sentence: string, error: unknown): string {
  const { path: own, details = {} } = (error ?? {}) as { path?: unknown; details?: object };
  const { path: place, file } = details as { path?: unknown; file?: unknown };
  return [own, place, file].reduce<string>(
    (text, each) => (typeof each === "string" ? text.replaceAll(each, () => unbroken(each)) : text),
    sentence,
  );
}

/** A sentence that says what happened and what to do; the system's own errors say neither well. */
function sentenceOf(error: unknown): string {
  const { syscall, path: place, code } = (error ?? {}) as NodeJS.ErrnoException;
  if (isContextError(error) || syscall === undefined || place === undefined) {
    return errorMessage(error);
  }
  return `The system refuses to ${syscall} ${place} (${code}). Check that path, and who may use it.`;
}

function printError(io: Io, code: string, message: string, details: unknown): void {
  printJson(io, { version: 1, error: { code, message, details: details || undefined } });
}

async function createProgram(
  io: Io,
  args: readonly string[],
  version: string,
  setExitCode: SetExitCode,
): Promise<Command> {
  const program = new Command("longhaul")
    .description(
      "Keeps long-running LLM agents inside their model's context window without losing what matters.",
    )
    .version(version, "-v, --version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeText(io.stdout, text),
      writeErr: (text) => writeText(io.stderr, text),
      getOutHelpWidth: () => Math.min(HELP_COLUMNS, terminalWidth(io.stdout)),
      getErrHelpWidth: () => Math.min(HELP_COLUMNS, terminalWidth(io.stderr)),
      outputError: (text, write) => write(`longhaul: ${usageSentence(text, args)}\n`),
    })
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .commandsGroup("More:")
    .helpCommand(true)
    .showSuggestionAfterError(true)
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES);
  const isWanted = wanted(args);
  for (const { name, group, summary, load, isWithoutJson } of COMMANDS) {
    const command = program.command(name).summary(summary).helpGroup(group);
    command.exitOverride().copyInheritedSettings(program);
    if (!isWanted(name)) continue;
    (await load())(command, io, setExitCode);
    if (isWithoutJson !== true) command.option("--json", "print the result as JSON");
  }
  return program;
}

/** All commands with their options, for what lists them. */
export async function allCommands(io: Io): Promise<readonly Command[]> {
  const program = await createProgram(io, [], "", () => undefined);
  return program.commands;
}

/** The commands that have to be known in full: the one that is asked for, all for the help. */
function wanted(args: readonly string[]): (name: string) => boolean {
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  const asked = first === "help" ? second : first;
  const isVersion = args[0] === "--version" || args[0] === "-v";
  return (name) => (asked === undefined ? !isVersion : name === asked);
}

const EXAMPLES = `
Examples:
  longhaul                                      pick from all sessions here
  longhaul compact session.jsonl --window 128k  compact one of any known agent
  longhaul compact session.jsonl --to anthropic --out small.json
  longhaul resume --last                        go on with the newest one
  longhaul inspect session.jsonl                see what fills the window
  longhaul search "connection refused"          find it in all sessions
  longhaul run -- npm test                      print what fits, keep all of it
  longhaul recall head_0123456789abcdef         print what was archived
  longhaul recall --search "connection refused" find it in all that was archived
  longhaul formats                              what can be read and written`;
