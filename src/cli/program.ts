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
type Define = (
  command: Command,
  io: Io,
  setExitCode: SetExitCode,
  allCommands: () => Promise<readonly Command[]>,
) => void;

/** Of a command what its help says in short, and how it is loaded: an agent waits for every start of this program. */
type CommandEntry = readonly [summary: string, load: () => Promise<{ readonly define: Define }>];

/** Every command in the order of the help, below its headings. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  "Sessions:": {
    sessions: ["list the sessions on this computer", () => import("./sessions.ts")],
    inspect: ["see what fills the window of a session", () => import("./inspect.ts")],
    compact: ["compact a session so that it fits its model's window", () => import("./compact.ts")],
    resume: ["compact a session and go on with it in its own agent", () => import("./resume.ts")],
    search: ["find a text in all sessions on this computer", () => import("./search.ts")],
    cost: [
      "add up what the sessions on this computer took, in tokens and money",
      () => import("./cost.ts"),
    ],
    simulate: [
      "see what each way of making room would have kept of a session, and cost",
      () => import("./simulate.ts"),
    ],
  },
  "Agents at work:": {
    plugin: ["make Longhaul part of a coding agent, or take it out", () => import("./plugin.ts")],
    wrap: ["run one coding agent behind a gateway", () => import("./wrap.ts")],
    gateway: ["stand between any client and its model provider", () => import("./gateway.ts")],
    mcp: ["serve recall, search and window to an agent, as MCP tools", () => import("./mcp.ts")],
  },
  "Outputs and originals:": {
    run: ["run a command and print what fits of its output", () => import("./run.ts")],
    truncate: ["let through what fits of an output on stdin", () => import("./truncate.ts")],
    recall: [
      "print an original from the archive, or search all of them",
      () => import("./recall.ts"),
    ],
    gc: ["remove what is old from the archive", () => import("./gc.ts")],
  },
  "Archives of many machines:": {
    migrate: ["make the tables of an archive in PostgreSQL", () => import("./migrate.ts")],
    archive: [
      "copy conversations between a folder, a database and a bucket",
      () => import("./archive.ts"),
    ],
  },
  "More:": {
    formats: ["list the formats that can be read and written", () => import("./formats.ts")],
    completion: [
      "print what completes our commands in bash, zsh or fish",
      () => import("./completion.ts"),
    ],
  },
};

/** These have no result that could be JSON, or say themselves what of it is. */
const WITHOUT_JSON: ReadonlySet<string> = new Set(["wrap", "gateway", "mcp", "completion"]);

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
  const command = Object.values(GROUPS).some((group) => Object.hasOwn(group, args[0] ?? ""));
  return `${sentence.replace(/\.$/, "")}. See longhaul ${command ? `${args[0]} ` : ""}--help.`;
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
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false, minWidthToWrap: 20 })
    .commandsGroup("More:")
    .helpCommand(true)
    .showSuggestionAfterError(true)
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES);
  const isWanted = wanted(args);
  for (const [group, commands] of Object.entries(GROUPS)) {
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = program.command(name).summary(summary).helpGroup(group);
      command.exitOverride().copyInheritedSettings(program);
      if (!isWanted(name)) continue;
      (await load()).define(command, io, setExitCode, () => allCommands(io));
      if (!WITHOUT_JSON.has(name)) command.option("--json", "print the result as JSON");
    }
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
