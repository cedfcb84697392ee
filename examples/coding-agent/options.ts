import { Command, InvalidArgumentError, Option, type OutputConfiguration } from "commander";
import { parseTokens } from "./figures.ts";

export interface AgentArguments {
  readonly task: string | undefined;
  readonly offline?: boolean;
  readonly json?: boolean;
  readonly web?: boolean;
  readonly window?: number;
  readonly session?: string;
  readonly resume?: boolean;
  readonly folder?: string;
}

const AFTER = `
The model comes from the environment:
  ANTHROPIC_API_KEY, OPENAI_API_KEY, or OPENAI_COMPATIBLE_BASE_URL with MODEL
  MODEL=provider:model   e.g. anthropic:claude-haiku-4-5, openai-compatible:qwen3-coder

Examples:
  npm run agent -- --offline
  npm run agent -- --offline --web
  npm run agent -- --folder ~/my/project "Why does the login test fail?"
  npm run agent -- --resume`;

/**
 * Reads the command line. Throws Commander's `CommanderError` after it has printed the help
 * (`exitCode` 0), or what is wrong.
 */
export function readArguments(
  argv: readonly string[],
  output: OutputConfiguration = {},
): AgentArguments {
  const program = new Command("agent")
    .usage("[options] [task]")
    .description("A small coding agent that stays inside its model's window.")
    .argument("[task]", "what to do; asked for on a terminal")
    .option("--offline", "watch a scripted model do a bundled task; no network, no key")
    .option("--web", "show the window as a page while it fills")
    .option("--json", "print the outcome as JSON on the last line")
    .addOption(new Option("--window <tokens>", "the model's window: 16k, 200000").argParser(tokens))
    .addOption(
      new Option("--session <name>", "start a session of this name, or go on with it")
        .argParser(name)
        .conflicts("resume"),
    )
    .option("--resume", "go on with the last session")
    .option("--folder <path>", "what to work on; default: where you are")
    .addHelpText("after", AFTER)
    .configureHelp({ sortOptions: false })
    .configureOutput(output)
    .exitOverride()
    .parse([...argv], { from: "user" });
  const options = program.opts<Omit<AgentArguments, "task">>();
  const [task] = program.args;
  if (options.offline === true && (task !== undefined || options.folder !== undefined)) {
    program.error("error: --offline has a task and a folder of its own; leave yours out.");
  }
  return { ...options, task };
}

function tokens(text: string): number {
  const value = parseTokens(text);
  if (value === undefined || value < LEAST_WINDOW) {
    throw new InvalidArgumentError("Give a number of tokens from 8000 on, such as 16k or 200000.");
  }
  return value;
}

/** System prompt and tools alone take some 1,500. */
const LEAST_WINDOW = 8_000;

function name(text: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError("Give a name of a-z, 0-9, - and _, at most 64 characters.");
}
