import { existsSync } from "node:fs";
import path from "node:path";
import { unbroken } from "./columns.ts";
import { cmdWord, shellWord } from "../core/text/shell.ts";

/*
 * Differences between the systems that the command line runs on. Everything that it starts, or prints for
 * somebody to type, goes through here.
 */

type Platform = NodeJS.Platform;

/** Arguments of `spawn` and `execFile`. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly shell?: true };
}

/**
 * The call of a program that npm may have installed. On Windows that is a `.cmd` beside it, which
 * only a shell finds and runs; everywhere else no shell comes between.
 */
export function programCall(
  program: string,
  args: readonly string[],
  platform: Platform = process.platform,
): ProgramCall {
  if (platform !== "win32") return { file: program, args, options: {} };
  return { file: [program, ...args].map(cmdWord).join(" "), args: [], options: { shell: true } };
}

/** Variables of the environment. */
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Whether Windows finds no such program. Its shell does not say so in a way that can be told from a
 * failure of the program; elsewhere `spawn` does, so nothing is looked for.
 */
export function isMissing(
  program: string,
  env: Variables,
  platform: Platform = process.platform,
): boolean {
  if (platform !== "win32") return false;
  const { PATH: folders = env["Path"] ?? "", PATHEXT: endings = ".COM;.EXE;.BAT;.CMD" } = env;
  const names = endings.split(";").flatMap((end) => [program + end, program + end.toLowerCase()]);
  return !folders
    .split(path.win32.delimiter)
    .some((folder) => names.some((name) => existsSync(path.join(folder, name))));
}

/** The call that opens an address in the person's browser. */
export function browserCall(url: string, platform: Platform = process.platform): ProgramCall {
  if (platform === "darwin") return { file: "open", args: [url], options: {} };
  if (platform !== "win32") return { file: "xdg-open", args: [url], options: {} };
  return { file: "rundll32", args: ["url.dll,FileProtocolHandler", url], options: {} };
}

/** The command that shows a text file from a line on; Windows has no `less`. */
export function viewWords(
  file: string,
  line: number,
  platform: Platform = process.platform,
): readonly string[] {
  return [platform === "win32" ? "more" : "less", `+${line}`, file];
}

/** Words as a command that a person can type, on one line in whatever is printed. */
export function typedCommand(
  words: readonly string[],
  platform: Platform = process.platform,
): string {
  return unbroken(words.map((word) => shellWord(word, platform === "win32")).join(" "));
}

/**
 * Commands to type one after another, in a folder if one is given. The shells of Windows have no
 * common word for "and then", so each stands on a line of its own; `pushd` changes the drive in both.
 */
export function typedCommands(
  commands: readonly (readonly string[])[],
  cwd?: string,
  platform: Platform = process.platform,
): readonly string[] {
  const isWindows = platform === "win32";
  const go = cwd === undefined ? [] : [[isWindows ? "pushd" : "cd", cwd]];
  const lines = [...go, ...commands].map((words) => typedCommand(words, platform));
  return isWindows ? lines : [unbroken(lines.join(" && "))];
}
