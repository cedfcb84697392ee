import { Command, CommanderError, Option } from "commander";
import { errorMessage, isContextError } from "../core/error.ts";
// Not the whole room: an agent waits for the start of this program with every command it runs.
import { transcriptFormats } from "../transcripts/formats.ts";
import { WRITE_TARGETS } from "../transcripts/write.ts";
import { addGc, addRecall } from "./archive-commands.ts";
import { type Io, printJson } from "./io.ts";
import { millisecondsOption, numberOption, tokensOption } from "./option-values.ts";
import { addRun, addTruncate, type SetExitCode } from "./output-commands.ts";

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

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
    let exitCode: number = EXIT.done;
    const program = createProgram(io, version, (code) => (exitCode = code));
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return reportError(io, error, ownArguments(args).includes("--json"));
  }
}

/** What follows `--` is for another program. */
function ownArguments(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end < 0 ? args : args.slice(0, end);
}

function reportError(io: Io, error: unknown, asJson: boolean): number {
  const isOurs = isContextError(error);
  const message = errorMessage(error);
  io.stderr.write(`longhaul: ${message.replace(/\s*\n\s*/g, " ")}\n`);
  if (asJson) {
    const code = isOurs ? error.code : "internal";
    printJson(io, {
      version: 1,
      error: { code, message, ...(isOurs && { details: error.details }) },
    });
  }
  if (!isOurs && io.env["LONGHAUL_DEBUG"] !== undefined && error instanceof Error) {
    io.stderr.write(`${error.stack}\n`);
  }
  return isOurs && USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
}

function createProgram(io: Io, version: string, setExitCode: SetExitCode): Command {
  const program = new Command("longhaul")
    .description(
      "Keeps long-running LLM agents inside their model's context window without losing what matters.",
    )
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "longhaul: ")),
    })
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .showSuggestionAfterError(true)
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES);
  addCompact(program, io);
  addInspect(program, io);
  addRun(program, io, setExitCode);
  addTruncate(program, io);
  addRecall(program, io);
  addGc(program, io);
  addFormats(program, io);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}

const EXAMPLES = `
Examples:
  longhaul compact                                  pick one of the sessions on this computer
  longhaul compact session.jsonl --window 128k      compact a session file of any known agent
  longhaul compact session.jsonl --to anthropic --out small.json
  longhaul inspect session.jsonl                    see what fills the window
  longhaul run -- npm test                          run a command, keep its whole output, print its end
  longhaul recall head_0123456789abcdef             print what a compaction archived
  longhaul recall --search "connection refused"     find it in everything that was archived
  longhaul formats                                  what can be read and written`;

function addCompact(program: Command, io: Io): void {
  sessionOptions(program.command("compact"))
    .summary("compact a session so that it fits its model's window")
    .description(
      "Reads a session of any known agent and brings it below the usable window: old tool outputs are pruned, the head becomes a summary, the tail stays word for word. Every original goes to the archive. Without FILE, lists the sessions on this computer and lets you pick one.",
    )
    .argument("[file]", "a session file, plain or gzip")
    .addOption(
      new Option(
        "--reserved <tokens>",
        "kept free for the answer (default: 20000, at most half the window)",
      ).argParser(tokensOption),
    )
    .addOption(
      new Option(
        "--fixed <tokens>",
        "system prompt and tools that the session file does not hold",
      ).argParser(tokensOption),
    )
    .addOption(
      new Option(
        "--to <format>",
        "write this format (default: the session's own if possible, else neutral)",
      ).choices(WRITE_TARGETS),
    )
    .option("--out <path>", "write to this file; - is stdout (default: NAME.compacted.json here)")
    .option("--force", "compact even though the conversation fits")
    .addOption(
      new Option(
        "--summarizer <name>",
        "who writes the summary: extractive, anthropic:MODEL, openai:MODEL or openai-compatible:URL#MODEL",
      ).default("extractive"),
    )
    .addOption(
      new Option(
        "--summarizer-timeout <ms>",
        "the longest that it may take (default: LONGHAUL_SUMMARIZER_TIMEOUT_MS, else 60000)",
      ).argParser(millisecondsOption),
    )
    .addOption(
      new Option(
        "--summarizer-window <tokens>",
        "the window of the model that writes it (default: 200000 for anthropic, else 128000)",
      ).argParser(tokensOption),
    )
    .option("--show-prompt", "with --json: the prompts that were sent, too")
    .action(async (file: string | undefined, options) => {
      const { compactCommand, compactInput } = await import("./compact.ts");
      const { chosenSummarizer } = await import("./chosen-summarizer.ts");
      // A name that is wrong is better told before anything is read or picked.
      chosenSummarizer(io, options);
      if (file !== undefined) return compactCommand(io, file, options);
      const { chooseSession } = await import("./sessions/choose-session.ts");
      const session = await chooseSession(io, options);
      if (session === undefined) return undefined;
      return compactInput(io, { input: await session.load(), name: session.name }, options);
    });
}

function addInspect(program: Command, io: Io): void {
  sessionOptions(program.command("inspect"))
    .summary("see what fills the window of a session")
    .description(
      "Shows what fills the window: by role, by tool, the ten largest items, and growth over time.",
    )
    .argument("<file>", "a session file, plain or gzip")
    .action(async (file: string, options) => {
      const { inspectCommand } = await import("./inspect.ts");
      await inspectCommand(io, file, options);
    });
}

function addFormats(program: Command, io: Io): void {
  program
    .command("formats")
    .summary("list the formats that can be read and written")
    .description(
      "Lists the session formats that can be read, where their agents keep them, and the formats that can be written.",
    )
    .option("--json", "print the result as JSON")
    .action(async (options) => {
      const { formatsCommand } = await import("./formats.ts");
      formatsCommand(io, options);
    });
}

/** What every command on a session file has. */
function sessionOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--window <tokens>",
        "the model's context window, e.g. 200000, 128k, 1m (default: what the session says)",
      ).argParser(tokensOption),
    )
    .addOption(
      new Option(
        "--format <name>",
        "how to read the file (default: recognised by content)",
      ).choices([...new Set(transcriptFormats.map(({ name }) => name))]),
    )
    .addOption(
      new Option(
        "--conversation <number>",
        "which one, if the file holds several (default: the largest)",
      ).argParser(numberOption),
    )
    .option("--json", "print the result as JSON");
}
