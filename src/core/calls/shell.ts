import type { FileAccess } from "./file-access.ts";
import { joinPath } from "./path.ts";
import { type Argument, isFilePath, programFiles } from "./shell-programs.ts";
import { type Cursor, type ShellWord, shellTokens, withoutHeredocs } from "./shell-text.ts";

/** The state of a shell, and the files that it touched so far. */
interface Shell {
  folder: string | undefined;
  /** Folders outside of the subshells that are open. */
  readonly folders: (string | undefined)[];
  readonly variables: Map<string, string | undefined>;
  /** How many `if` are open. */
  conditions: number;
  readonly loops: Loop[];
  /** So much text may still be read again, in all loops. */
  readonly budget: { units: number };
  /** The accesses in the loops that are open: another round adds only others. */
  readonly seen: Set<string>;
  readonly depth: number;
  readonly files: FileAccess[];
}

/** A loop that is open; one that is no `for` has no values. */
interface Loop {
  readonly variable: string;
  /** Those of the rounds to come. */
  readonly values: (string | undefined)[];
  /** The place of its body in the text. */
  readonly at: number;
}

interface Redirect {
  readonly operator: string;
  readonly descriptor: string;
  target?: ShellWord;
}

/** A simple command; `before` is the operator in front of it. */
interface Statement {
  readonly words: ShellWord[];
  readonly redirects: Redirect[];
  readonly before: string;
}

/** `bash -c` inside `eval` inside …: deeper than this nobody writes by hand. */
const MAX_DEPTH = 4;
/** So much text is read again for the further rounds of loops; those beyond it are left out. */
const MAX_AGAIN = 200_000;
/** More files than this no command line names; further ones are left out. */
const MAX_FILES = 10_000;
/** Longer values are texts and no paths. */
const MAX_VALUE = 1_024;

/**
 * The files a command line reads, writes, edits or deletes, as far as its text tells. It would
 * rather say nothing than something wrong: globs, unknown variables, folders, devices, substitutions,
 * reads that may have failed unseen (`cat x || …`, inside `if`) and reads whose output went to a
 * file are left out. Linear time.
 * @param text The command line.
 * @param folder The folder in which it runs, if the call says so; relative paths are joined to it.
 */
export function shellFiles(text: string, folder?: string): FileAccess[] {
  const variables = new Map<string, string | undefined>([["HOME", "~"]]);
  const shell: Shell = {
    folder,
    folders: [],
    variables,
    conditions: 0,
    loops: [],
    budget: { units: MAX_AGAIN },
    seen: new Set(),
    depth: 0,
    files: [],
  };
  readText(text, shell);
  return shell.files;
}

function readText(line: string, shell: Shell): void {
  const { text, heredocs } = withoutHeredocs(line);
  const { files } = shell;
  const cursor = { at: 0 };
  const start = files.length;
  let statement: Statement = { words: [], redirects: [], before: "" };
  let pipeline = { from: start, isEmpty: true, isStored: false };
  let lastFrom = start;
  const end = (operator: string): void => {
    const { words, redirects, before } = statement;
    const isEmpty = words.length + redirects.length === 0;
    statement = {
      words: [],
      redirects: [],
      before: isEmpty && operator === "\n" ? before : operator,
    };
    if (!isEmpty) {
      if (words[0]?.text === "done" && nextRound(shell, cursor)) return;
      // A command behind `||` ran only if something failed, which nobody knows.
      if (before !== "||") readStatement({ words, redirects, before }, { shell, heredocs, cursor });
      pipeline.isEmpty = false;
      pipeline.isStored ||= redirects.some(isStdoutToFile);
    }
    if (operator === "(") shell.folders.push(shell.folder);
    if (operator === ")" && shell.folders.length > 0) shell.folder = shell.folders.pop();
    if (operator === "|" || operator === "|&") return;
    if (pipeline.isStored || operator === "||" || shell.conditions > 0)
      dropReads(files, pipeline.from);
    if (!pipeline.isEmpty) lastFrom = pipeline.from;
    pipeline = { from: files.length, isEmpty: true, isStored: false };
  };
  do {
    for (const token of shellTokens(text, shell.variables, cursor)) {
      const redirect = statement.redirects.at(-1);
      if (token.type === "operator") end(token.text);
      else if (token.type === "redirect") {
        statement.redirects.push({ operator: token.text, descriptor: token.descriptor });
      } else if (redirect !== undefined && redirect.target === undefined) redirect.target = token;
      else statement.words.push(token);
    }
    end("");
  } while (cursor.at < text.length);
  for (let at = start; at < lastFrom; at++)
    files[at] = { ...(files[at] as FileAccess), early: true };
}

function dropReads(files: FileAccess[], from: number): void {
  files.push(...files.splice(from).filter(({ op }) => op !== "read"));
}

function isStdoutToFile({ operator, descriptor }: Redirect): boolean {
  return /^(>|>>|>\||&>|&>>)$/.test(operator) && (descriptor === "" || descriptor === "1");
}

interface Surroundings {
  readonly shell: Shell;
  readonly heredocs: readonly string[];
  readonly cursor: Cursor;
}

function readStatement(
  { words, redirects }: Statement,
  { shell, heredocs, cursor }: Surroundings,
): void {
  // In `[[ a > b ]]` the sign compares.
  const isTest = words.some(({ text }) => text === "[[" || text === "]]");
  let input: string | undefined;
  for (const { operator, target } of redirects) {
    if (operator === "<<<") input = target?.text;
    else if (operator.startsWith("<<")) input = heredocs[Number(target?.text)];
    else if (!isTest && operator.includes(">") && target !== undefined)
      addTarget(operator, target, shell);
  }
  const rest = withoutKeywords(words, shell, cursor);
  if (rest[0]?.text === "for") return openLoop(rest, shell, cursor);
  const commandAt = rest.findIndex(({ text }) => !ASSIGNMENT.test(text));
  if (commandAt < 0) return rest.forEach((word) => assign(word.text, word.plain, shell));
  run(withoutPrefixes(rest.slice(commandAt).flatMap(argumentsOf)), input, shell);
}

function addTarget(operator: string, target: ShellWord, shell: Shell): void {
  const [text, ...others] = argumentsOf(target);
  const isDescriptor = operator === ">&" && /^(\d+|-)$/.test(target.text);
  if (isDescriptor || others.length > 0 || !isFilePath(text)) return;
  addFile(shell, { path: text, op: operator.includes(">>") ? "edit" : "write" });
}

function addFile({ folder, loops, seen, files }: Shell, file: FileAccess): void {
  const path = joinPath(folder, file.path);
  const key = `${file.op} ${path}`;
  if (loops.length === 0) seen.clear();
  if (seen.has(key) || files.length >= MAX_FILES) return;
  seen.add(key);
  files.push({ ...file, path });
}

/** An unquoted variable is several words; a word that is not known may still be an option. */
function argumentsOf({ text, plain, quoted }: ShellWord): Argument[] {
  if (!plain || (!quoted && BRACES.test(text))) return [text.startsWith("-") ? text : undefined];
  return quoted || text.length > MAX_VALUE ? [text] : text.split(/[ \t\n]+/);
}

/** `{a,b}` stands for several words. */
const BRACES = /\{[^{}]*,/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const KEYWORDS = /^(?:if|elif|then|else|fi|while|until|do|done|esac|time|[!{}])$/;
/** Programs that run the rest of their arguments, and their options that take a value. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["sudo", "ugpCh"],
  ["env", "uC"],
  ["command", ""],
  ["exec", "a"],
  ["nohup", ""],
  ["nice", "n"],
  ["time", ""],
  ["stdbuf", "ioe"],
  ["timeout", "ks"],
]);

function withoutKeywords(
  words: readonly ShellWord[],
  shell: Shell,
  cursor: Cursor,
): readonly ShellWord[] {
  let at = 0;
  for (; at < words.length; at++) {
    const { text = "", quoted = false } = words[at] ?? {};
    if (quoted || !KEYWORDS.test(text)) break;
    if (text === "while" || text === "until") openLoop([], shell, cursor);
    if (text === "done") shell.loops.pop();
    if (text === "if") shell.conditions++;
    if (text === "fi") shell.conditions = Math.max(0, shell.conditions - 1);
  }
  return words.slice(at);
}

function withoutPrefixes(args: readonly Argument[]): readonly Argument[] {
  let at = 0;
  for (let valued = PREFIXES.get(args[at] ?? ""); valued !== undefined;) {
    const program = args[at];
    at++;
    while (args[at]?.startsWith("-") === true || ASSIGNMENT.test(args[at] ?? "")) {
      const flag = args[at] ?? "";
      at += /^-[A-Za-z]$/.test(flag) && valued.includes(flag.slice(1)) ? 2 : 1;
    }
    if (program === "timeout") at++;
    valued = PREFIXES.get(args[at] ?? "");
  }
  return args.slice(at);
}

/** `NAME=value`, or `NAME` without a value. */
function assign(text: string, isKnown: boolean, { variables }: Shell): void {
  const at = text.indexOf("=");
  const value = text.slice(at + 1);
  if (at > 0)
    variables.set(text.slice(0, at), isKnown && value.length <= MAX_VALUE ? value : undefined);
}

/** `for name in a b c`: the first round; where a value is not known, the variable has none. */
function openLoop(words: readonly ShellWord[], { loops, variables }: Shell, { at }: Cursor): void {
  const variable = words[1]?.text ?? "";
  const values = words.slice(3).flatMap(argumentsOf);
  variables.set(variable, values.shift());
  loops.push({ variable, values, at });
}

/** Goes back to where the body of the innermost loop begins, if there is another round. */
function nextRound(shell: Shell, cursor: Cursor): boolean {
  const loop = shell.loops.at(-1);
  if (loop === undefined || loop.values.length === 0) return false;
  shell.budget.units -= cursor.at - loop.at;
  if (shell.budget.units < 0) return false;
  shell.variables.set(loop.variable, loop.values.shift());
  cursor.at = loop.at;
  return true;
}

const SHELLS = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;

function run(args: readonly Argument[], input: string | undefined, shell: Shell): void {
  const [program, ...rest] = args;
  if (program === undefined) return;
  if (program === "cd" || program === "pushd") return changeFolder(rest, shell);
  if (program === "popd") shell.folder = undefined;
  if (/^(export|local|declare|readonly)$/.test(program)) {
    return rest.forEach((arg) => assign(arg ?? "", true, shell));
  }
  const script = SHELLS.test(program) ? scriptOf(rest, input) : undefined;
  if (script !== undefined) {
    if (shell.depth < MAX_DEPTH)
      readText(script, { ...shell, folders: [], loops: [], depth: shell.depth + 1 });
    return;
  }
  for (const file of programFiles({ program, args: rest, input })) addFile(shell, file);
}

function changeFolder(args: readonly Argument[], shell: Shell): void {
  const target = args.length === 0 ? "~" : args[args[0] === "--" ? 1 : 0];
  const isKnown = target !== undefined && target !== "-";
  shell.folder = isKnown ? joinPath(shell.folder, target) : undefined;
}

/** The text behind `bash -c`, or what a shell reads from its input. */
function scriptOf(args: readonly Argument[], input: string | undefined): string | undefined {
  const at = args.findIndex((arg) => arg !== undefined && /^-[a-z]*c$/.test(arg));
  if (at >= 0) return args[at + 1];
  return args.every((arg) => arg?.startsWith("-") ?? false) ? input : undefined;
}
