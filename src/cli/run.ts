import pc from "picocolors";
import type { Command } from "commander";
import { constants } from "node:os";
import { outputsOfToday } from "../archive/home.ts";
import { homeArchive } from "../settings/home-archive.ts";
import { runCommand, type CommandResult } from "../spill/run-command.ts";
import { bytes, plural } from "../core/text/figures.ts";
import { type CommonOptions, type Io, printJson, type SetExitCode, talk } from "./io.ts";
import { numberOption, secondsOption } from "./options.ts";
import { type CutFlags, cutJson, cutOptions, cutSettings } from "./truncate.ts";
import type { CommandLine, Progress } from "../spill/index.ts";

interface RunFlags extends CommonOptions, CutFlags {
  /** Seconds. */
  readonly timeout?: number;
  /** Bytes. */
  readonly maxFileBytes?: number;
  readonly keep?: boolean;
}

/** `longhaul run -- CMD…`. */
export function define(command: Command, io: Io, setExitCode: SetExitCode): void {
  cutOptions(command, "head for compilers, else both")
    .description(
      "Runs a command. On a terminal its output is shown as it comes; else the part that fits is printed, and a notice that says where the whole is. The exit code is that of the command: 128 and the number of the signal that ended it, 124 after a time-out, 127 if there is no such command. A single argument is a line for sh.",
    )
    .argument("<command...>", "after --, e.g. -- npm test, or -- 'make 2>&1 | grep -v note'")
    .option("--timeout <seconds>", "end the command after so long", secondsOption)
    .option(
      "--max-file-bytes <bytes>",
      "no file that the command writes grows beyond this (default: only the output is limited, to 4 GiB)",
      numberOption,
    )
    .passThroughOptions()
    .action(async (words: readonly string[], options) => {
      setExitCode(await runCommandLine(io, words, options));
    });
}

/** The answer of `timeout` of the core utilities. */
const TIMED_OUT = 124;
/** Somebody who presses Ctrl-C may have to wait for a command that cleans up. */
const GRACE_MS = 5_000;
/** A signal of the person is for the command. */
const PASSED_ON: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * `longhaul run -- CMD…`: runs a command, shows a person its output as it comes, and gives a
 * program the preview and the notice. Returns the command's own exit code.
 */
export async function runCommandLine(
  io: Io,
  words: readonly string[],
  flags: RunFlags,
): Promise<number> {
  const isWatched = io.stdout.isTTY === true && flags.json !== true;
  const view = isWatched ? startLiveView(io) : undefined;
  const stop = new AbortController();
  const passOn = (signal: NodeJS.Signals): void => stop.abort(signal);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    const result = await runCommand({
      ...commandLine(words),
      ...cutSettings(flags),
      archive: homeArchive(io.env, { conversation: outputsOfToday() }),
      cwd: io.cwd,
      env: { ...io.env },
      stdin: "inherit",
      signal: stop.signal,
      graceMs: GRACE_MS,
      timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1_000,
      maxFileBytes: flags.maxFileBytes,
      keep: flags.keep,
      onProgress: view?.update,
    });
    print(io, result, { view, json: flags.json === true });
    return exitCodeOf(result);
  } finally {
    view?.stop();
    for (const signal of PASSED_ON) process.removeListener(signal, passOn);
  }
}

/** One argument is a line for the shell, as agents' bash tools have it. */
function commandLine([first = "", ...rest]: readonly string[]): CommandLine {
  return rest.length === 0 ? { command: first } : { file: first, args: rest };
}

function exitCodeOf({ timedOut, signal, exitCode }: CommandResult): number {
  if (timedOut) return TIMED_OUT;
  return signal === undefined ? (exitCode ?? 1) : 128 + constants.signals[signal];
}

interface PrintOptions {
  readonly view: LiveView | undefined;
  readonly json: boolean;
}

function print(io: Io, result: CommandResult, { view, json }: PrintOptions): void {
  if (json) return printJson(io, runJson(result));
  if (view === undefined) {
    if (result.text !== "") io.stdout.write(withLineEnd(result.text));
    return;
  }
  view.stop();
  // Output that went by too fast and was not kept is shown once more, as far as it is left.
  if (view.hasSkipped() && result.entry === undefined) {
    view.note(pc.dim("What is left of the output:"));
    io.stdout.write(withLineEnd(result.text));
  } else for (const warning of result.warnings) view.note(pc.yellow(`! ${warning}`));
  const { path } = result.entry ?? {};
  if (path !== undefined) view.note(pc.dim(`The whole output: ${path}`));
}

function runJson(result: CommandResult): unknown {
  return {
    ...cutJson(result),
    exitCode: result.exitCode ?? null,
    signal: result.signal ?? null,
    timedOut: result.timedOut,
    aborted: result.aborted,
    durationMs: Math.round(result.durationMs),
  };
}

function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Short commands show no count: it would only flicker. */
const COUNT_AFTER_MS = 1_000;
const CLEAR_LINE = "\r\x1b[2K";

type LiveView = ReturnType<typeof startLiveView>;

/** Shows a person what a command prints, and below it how much that is by now. */
function startLiveView({ stdout, stderr }: Io) {
  const decoder = new TextDecoder();
  let [isAtLineStart, hasCount, hasSkipped] = [true, false, false];

  const clear = (): void => {
    if (hasCount) stderr.write(CLEAR_LINE);
    hasCount = false;
  };
  const show = (text: string): void => {
    if (text === "") return;
    stdout.write(text);
    isAtLineStart = text.endsWith("\n");
  };
  return {
    update: ({ latest, skipped, bytes: size, elapsedMs }: Progress): void => {
      clear();
      if (skipped > 0) {
        hasSkipped = true;
        show(`${isAtLineStart ? "" : "\n"}${pc.dim(`… ${bytes(skipped)} went by …`)}\n`);
      }
      show(decoder.decode(latest, { stream: true }));
      if (!isAtLineStart || elapsedMs < COUNT_AFTER_MS || stderr.isTTY !== true) return;
      const seconds = plural(Math.round(elapsedMs / 1_000), "second");
      stderr.write(pc.dim(`${bytes(size)}, ${seconds}`));
      hasCount = true;
    },
    /** Whether something went by too fast to be shown. */
    hasSkipped: () => hasSkipped,
    /** Takes the count away again. */
    stop: clear,
    /** Prints a line of talk below what was shown. */
    note(line: string): void {
      clear();
      talk({ stderr }, `${isAtLineStart ? "" : "\n"}${line}`);
      isAtLineStart = true;
    },
  };
}
