import type { FileAccess } from "./file-access.ts";
import { joinPath } from "./path.ts";
import { type Argument, isFilePath, programFiles } from "./shell-programs.ts";
import { shellStatements, type Statement } from "./shell-text.ts";

/** The state of a shell, and the files that it touched so far. */
interface Shell {
  folder: string | undefined;
  /** Folders outside of the subshells that are open. */
  readonly folders: (string | undefined)[];
  readonly variables: Map<string, string>;
  /** The number of open `if`s. */
  conditions: number;
  readonly loops: Loop[];
  /** So much text may still be read: loops and shells read it again. */
  readonly budget: { units: number };
  readonly files: FileAccess[];
}

/** A loop that is open: its variable, the values of the rounds to come, its first statement. */
interface Loop {
  readonly variable: string;
  readonly values: Argument[];
  readonly at: number;
}

/** The price of a `bash -c`, so that they are few, and not deep in each other. */
const SCRIPT_UNITS = 1_000;
/** Twice the longest line: loops are read that much further. */
const MAX_UNITS = 400_000;
/** More files than this no command line names; further ones are left out. */
const MAX_FILES = 10_000;
/** Longer values are texts and no paths. */
const MAX_VALUE = 1_024;
/** Variables in longer words are left unknown. */
const MAX_WORD = 4_096;

/**
 * The files a command line reads, writes, edits or deletes, as far as its text tells. It would
 * rather say nothing than something wrong: globs, unknown variables, folders, devices, substitutions,
 * reads that may have failed unseen (`cat x || …`, inside `if`) and reads whose output went to a
 * file are left out. Linear time.
 * @param text The command line.
 * @param folder The folder in which it runs, if the call says so; relative paths are joined to it.
 */
export function shellFiles(text: string, folder?: string): FileAccess[] {
  const files: FileAccess[] = [];
  const variables = new Map([["HOME", "~"]]);
  const budget = { units: MAX_UNITS };
  readLine(text, { folder, folders: [], variables, conditions: 0, loops: [], budget, files });
  return files;
}

function readLine(line: string, shell: Shell): void {
  const { files, budget } = shell;
  const statements = shellStatements(line);
  const start = files.length;
  /** The first file of the pipeline, and of the last one that was read. */
  let from = start;
  let lastFrom = start;
  let isStored = false;
  for (let at = 0; at < statements.length && budget.units > 0; at++) {
    const statement = statements[at] as Statement;
    const { words, redirects, operator, to } = statement;
    const before = statements[at - 1];
    budget.units -= to - (before?.to ?? 0) + 1;
    const first = words[0] === "done" ? nextRound(shell) : undefined;
    if (first !== undefined) {
      at = first;
      continue;
    }
    // A command behind `||` ran only if something failed, which nobody knows.
    if (before?.operator !== "||") readStatement(statement, shell, at);
    if (words.length + redirects.length > 0) lastFrom = from;
    isStored ||= redirects.some(({ sign }) => /^(?:1?>[>|]?|&>>?)$/.test(sign));
    if (operator === "(") shell.folders.push(shell.folder);
    if (operator === ")" && shell.folders.length > 0) shell.folder = shell.folders.pop();
    if (operator === "|" || operator === "|&") continue;
    if (isStored || operator === "||" || shell.conditions > 0)
      files.push(...files.splice(from).filter(({ op }) => op !== "read"));
    from = files.length;
    isStored = false;
  }
  for (let at = start; at < lastFrom; at++)
    files[at] = { ...(files[at] as FileAccess), early: true };
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const KEYWORD = /^(?:if|elif|then|else|fi|while|until|do|done|esac|time|export|[!{}])$/;

function readStatement({ words, redirects, input }: Statement, shell: Shell, at: number): void {
  // In `[[ a > b ]]` the sign compares.
  for (const { sign, target } of words.includes("[[") ? [] : redirects) {
    const path = sign.includes(">") ? argumentOf(target, shell) : undefined;
    if (isFilePath(path)) addFile(shell, { path, op: sign.includes(">>") ? "edit" : "write" });
  }
  let skip = 0;
  for (; KEYWORD.test(words[skip] ?? ""); skip++) {
    if (words[skip] === "if") shell.conditions++;
    if (words[skip] === "fi") shell.conditions = Math.max(0, shell.conditions - 1);
    if (words[skip] === "done") shell.loops.pop();
    if (/^(?:while|until)$/.test(words[skip] ?? ""))
      shell.loops.push({ variable: "", values: [], at });
  }
  if (words[skip] === "for") {
    const values = words.slice(skip + 3).flatMap((word) => argumentsOf(word, shell));
    assign(words[skip + 1] ?? "", values.shift(), shell);
    shell.loops.push({ variable: words[skip + 1] ?? "", values, at });
    return;
  }
  const rest = words.slice(skip);
  const isAssigning = rest.every((word) => ASSIGNMENT.test(word));
  const args = isAssigning ? [] : rest.flatMap((word) => argumentsOf(word, shell));
  if (!isAssigning) return run(args, input, shell);
  for (const word of rest) {
    const [name = ""] = word.split("=", 1);
    assign(name, argumentOf(word.slice(name.length + 1), shell), shell);
  }
}

/** The first statement of the innermost loop, if there is another round. */
function nextRound(shell: Shell): number | undefined {
  const loop = shell.loops.at(-1);
  if (loop === undefined || loop.values.length === 0) return undefined;
  assign(loop.variable, loop.values.shift(), shell);
  return loop.at;
}

function assign(name: string, value: Argument, { variables }: Shell): void {
  if (value === undefined || value.length > MAX_VALUE) variables.delete(name);
  else variables.set(name, value);
}

function addFile({ folder, files }: Shell, file: FileAccess): void {
  if (files.length < MAX_FILES) files.push({ ...file, path: joinPath(folder, file.path) });
}

const DOUBLE = String.raw`"((?:[^"\\]|\\[^])*)"?`;
const VARIABLE = String.raw`\$(?:\{(\w+)\}|(\w+))?`;
/**
 * Quotes, escapes, variables, and signs that only a shell can resolve. `[` is no glob here: file
 * names of the form `[id].tsx` are far more common in agents' work.
 */
const PIECE = new RegExp(
  `'([^']*)'?|${DOUBLE}|\\\\([^])|${VARIABLE}|[*?\`]|\\{(?=[^{}]*,)|[(<>]`,
  "g",
);
const IN_DOUBLE = new RegExp(`\\\\([$\`"\\\\\\n])|${VARIABLE}|\``, "g");

/** Signs without which a word is what it says. */
const SPECIAL = /['"\\$*?`{(<>]/;

/** A word as the shell hands it on; one that is not known may still be an option. */
function argumentOf(word: string, { variables }: Shell): Argument {
  if (!SPECIAL.test(word)) return word;
  let isKnown = true;
  const valueOf = (name: string | undefined): string => {
    const value = name === undefined || word.length > MAX_WORD ? undefined : variables.get(name);
    isKnown &&= value !== undefined;
    return value ?? "";
  };
  const inDouble = (_: string, escaped?: string, braced?: string, name?: string): string =>
    escaped?.trim() ?? valueOf(braced ?? name);
  const text = word.replace(
    PIECE,
    (_: string, ...[single, double, escaped, braced, name]: (string | undefined)[]) => {
      if (double !== undefined) return double.replace(IN_DOUBLE, inDouble);
      return single ?? escaped?.replace("\n", "") ?? valueOf(braced ?? name);
    },
  );
  if (isKnown) return text;
  return word.startsWith("-") ? word : undefined;
}

/** An unquoted variable is several words. */
function argumentsOf(word: string, shell: Shell): Argument[] {
  if (!SPECIAL.test(word)) return [word];
  const text = argumentOf(word, shell);
  return text === undefined || /['"\\]/.test(word) ? [text] : text.split(/[ \t\n]+/);
}

/** Programs that run the rest of their arguments. */
const PREFIX = /^(?:sudo|env|command|exec|nohup|nice|time|stdbuf|timeout)$/;
/** Their options, and the values of these. */
const OPTION = /^-|^[\d.]+[smhd]?$|^[A-Za-z_]\w*=/;
const SHELLS = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;

function run(args: readonly Argument[], input: string | undefined, shell: Shell): void {
  let at = args.findIndex((arg) => !ASSIGNMENT.test(arg ?? ""));
  while (PREFIX.test(args[at] ?? "")) {
    do at += /^-[ugCas]$/.test(args[at] ?? "") ? 2 : 1;
    while (OPTION.test(args[at] ?? ""));
  }
  const program = args[at];
  const rest = args.slice(at + 1);
  if (program === undefined) return;
  if (program === "cd" || program === "pushd") {
    const folder = rest.length === 0 ? "~" : rest[0];
    shell.folder =
      folder === undefined || folder === "-" ? undefined : joinPath(shell.folder, folder);
  } else if (program === "popd") shell.folder = undefined;
  else if (SHELLS.test(program)) runScript(rest, input, shell);
  else for (const file of programFiles(program, rest, input)) addFile(shell, file);
}

/** The text behind `bash -c`, or what a shell reads from its input. */
function runScript(args: readonly Argument[], input: string | undefined, shell: Shell): void {
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg ?? ""));
  const isInput = args.every((arg) => arg?.startsWith("-") ?? false);
  const script = at >= 0 ? args[at + 1] : isInput ? input : undefined;
  if (script === undefined) return;
  shell.budget.units -= script.length + SCRIPT_UNITS;
  if (shell.budget.units < 0) return;
  readLine(script, { ...shell, folders: [], loops: [] });
}
