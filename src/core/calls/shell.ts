import type { FileAccess } from "./file-access.ts";
import { joinPath } from "./path.ts";
import { lexShell } from "./shell-lexer.ts";
import type { ShellRedirect, ShellToken, ShellWord } from "./shell-lexer.ts";
import { isFilePath } from "./shell-arguments.ts";
import type { Argument } from "./shell-arguments.ts";
import { programFiles } from "./shell-programs.ts";
import { splitPipelines } from "./shell-statements.ts";
import type { Statement } from "./shell-statements.ts";
import { expandWord, referencedNames } from "./shell-words.ts";
import type { Variables } from "./shell-words.ts";

interface Reader {
  folder: string | undefined;
  /** Folders outside of the subshells that are open. */
  readonly folders: (string | undefined)[];
  readonly variables: Map<string, readonly string[] | undefined>;
  /** Whether a `for` was seen, so that variables can have several values. */
  loops: boolean;
  /** How many `if` are open. */
  conditions: number;
  readonly depth: number;
  /** False inside `$(…)`: what is read there does not reach the conversation. */
  readonly visible: boolean;
  readonly files: FileAccess[];
}

/** `bash -c` inside `eval` inside …: deeper than this nobody writes by hand. */
const MAX_DEPTH = 8;

/**
 * The files a command line reads, writes, edits or deletes, as far as its text tells. It would
 * rather say nothing than something wrong: globs, unknown variables, folders, devices, reads that
 * may have failed unseen (`cat x || …`, inside `if`) and reads whose output went to a file are left out.
 * @param text The command line.
 * @param folder Where it runs, if the call says so; relative paths are joined to it.
 */
export function shellFiles(text: string, folder?: string): FileAccess[] {
  const reader: Reader = {
    folder,
    folders: [],
    variables: new Map([["HOME", ["~"]]]),
    loops: false,
    conditions: 0,
    depth: 0,
    visible: true,
    files: [],
  };
  readTokens(lexShell(text), reader);
  return reader.files;
}

function readTokens(tokens: readonly ShellToken[], reader: Reader): void {
  const pipelines = splitPipelines(tokens);
  for (const [index, pipeline] of pipelines.entries()) {
    const from = reader.files.length;
    readPipeline(pipeline, reader);
    if (index < pipelines.length - 1) markEarly(reader.files, from);
  }
}

function markEarly(files: FileAccess[], from: number): void {
  for (let i = from; i < files.length; i++) files[i] = { ...(files[i] as FileAccess), early: true };
}

function readPipeline(pipeline: readonly Statement[], reader: Reader): void {
  const from = reader.files.length;
  for (const statement of pipeline) readStatement(statement, reader);
  const shown = reader.visible && reader.conditions === 0 && pipeline.at(-1)?.after !== "||";
  const stored = pipeline.some(({ redirects }) => redirects.some(isStdoutToFile));
  if (shown && !stored) return;
  const kept = reader.files.splice(from).filter(({ op }) => op !== "read");
  reader.files.push(...kept);
}

function isStdoutToFile({ operator, descriptor }: ShellRedirect): boolean {
  return /^(>|>>|>\||&>|&>>)$/.test(operator) && (descriptor === "" || descriptor === "1");
}

function readStatement(statement: Statement, reader: Reader): void {
  const { words, redirects, before, after } = statement;
  for (const word of words) for (const nested of word.nested) readNested(nested, reader);
  // What stands behind `||` ran only if something failed, which nobody knows.
  if (before !== "||")
    forEachValue(statement, reader, () => {
      for (const redirect of redirects) readRedirect(redirect, reader);
      readCommand(words, redirects, reader);
    });
  if (after === "(") reader.folders.push(reader.folder);
  if (after === ")") reader.folder = reader.folders.pop();
}

/** In the body of `for name in a b c` a statement that uses `$name` runs for each value. */
function forEachValue(statement: Statement, reader: Reader, read: () => void): void {
  const { variables } = reader;
  const name = reader.loops ? severalValued(statement, variables) : undefined;
  const values = name === undefined ? undefined : variables.get(name);
  if (name === undefined || values === undefined) return read();
  for (const value of values) {
    variables.set(name, [value]);
    read();
  }
  variables.set(name, values);
}

function severalValued({ words, redirects }: Statement, variables: Variables): string | undefined {
  const texts = [...words, ...redirects.map(({ target }) => target)].map(({ text }) => text);
  const names = texts.flatMap(referencedNames);
  return names.find((name) => (variables.get(name)?.length ?? 0) > 1);
}

function readNested(tokens: readonly ShellToken[], reader: Reader): void {
  const inner: Reader = {
    ...reader,
    folders: [],
    files: [],
    visible: false,
  };
  readTokens(tokens, inner);
  reader.files.push(...inner.files);
}

function readRedirect(redirect: ShellRedirect, reader: Reader): void {
  const { operator, target } = redirect;
  for (const nested of target.nested) readNested(nested, reader);
  if (operator.startsWith("<") || (operator === ">&" && /^(\d+|-)$/.test(target.text))) return;
  const [path, ...others] = expandWord(target, reader.variables) ?? [];
  if (path === undefined || others.length > 0 || !isFilePath(path)) return;
  addFile(reader, { path, op: operator.includes(">>") ? "edit" : "write" });
}

function addFile(reader: Reader, file: FileAccess): void {
  reader.files.push({ ...file, path: joinPath(reader.folder, file.path) });
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const OPENING = new Set(["then", "do", "else", "{", "!", "time"]);
const CONDITION = new Set(["if", "elif", "while", "until"]);
/** Programs that run the rest of their arguments, and their options that take a value. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["sudo", "ugpCh"],
  ["doas", "u"],
  ["env", "uC"],
  ["command", ""],
  ["builtin", ""],
  ["exec", "a"],
  ["nohup", ""],
  ["nice", "n"],
  ["time", ""],
  ["stdbuf", "ioe"],
  ["timeout", "ks"],
]);

function readCommand(
  words: readonly ShellWord[],
  redirects: readonly ShellRedirect[],
  reader: Reader,
): void {
  const rest = withoutKeywords(words, reader);
  const first = rest[0];
  if (first === undefined) return;
  if (first.text === "for" || first.text === "select") return setLoopVariable(rest, reader);
  const commandAt = rest.findIndex((word) => !ASSIGNMENT.test(word.text));
  if (commandAt < 0) return assign(rest, reader);
  const args: Argument[] = [];
  for (let at = commandAt; at < rest.length; at++) {
    addArguments(args, rest[at] as ShellWord, reader.variables);
  }
  run(withoutPrefixes(args), heredocOf(redirects), reader);
}

/** A word's values; one that cannot be resolved is still known to be an option. */
function addArguments(args: Argument[], word: ShellWord, variables: Variables): void {
  const values = expandWord(word, variables);
  if (values !== undefined) args.push(...values);
  else args.push(word.text.startsWith("-") ? word.text : undefined);
}

function heredocOf(redirects: readonly ShellRedirect[]): string | undefined {
  const input = redirects.findLast(({ operator }) => operator.startsWith("<<"));
  return input?.operator === "<<<" ? input.target.text : input?.heredoc;
}

function withoutKeywords(words: readonly ShellWord[], reader: Reader): readonly ShellWord[] {
  let at = 0;
  for (; at < words.length; at++) {
    const { text = "", quoted = false } = words[at] ?? {};
    if (quoted) break;
    if (text === "if") reader.conditions++;
    if (text === "fi") reader.conditions = Math.max(0, reader.conditions - 1);
    if (!OPENING.has(text) && !CONDITION.has(text) && !/^(fi|done|esac|\})$/.test(text)) break;
  }
  return at === 0 ? words : words.slice(at);
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
  return at === 0 ? args : args.slice(at);
}

/** Longer lists in a `for` are not followed. */
const MAX_LOOPS = 64;

/** `for name in a b c`: the loop's body runs for all of them. */
function setLoopVariable(words: readonly ShellWord[], reader: Reader): void {
  const name = words[1]?.text ?? "";
  const list = words.slice(3, 3 + MAX_LOOPS + 1);
  const values = list.flatMap((word) => expandWord(word, reader.variables) ?? [undefined]);
  const known = values.filter((value) => value !== undefined);
  const isWhole = known.length === values.length && known.length <= MAX_LOOPS;
  reader.variables.set(name, isWhole ? known : undefined);
  reader.loops = true;
}

function assign(words: readonly ShellWord[], reader: Reader): void {
  for (const word of words) {
    const at = word.text.indexOf("=");
    const value = expandWord(
      { ...word, text: word.text.slice(at + 1), quoted: true },
      reader.variables,
    );
    reader.variables.set(word.text.slice(0, at), value);
  }
}

const SHELLS = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;

function run(args: readonly Argument[], input: string | undefined, reader: Reader): void {
  const [program, ...rest] = args;
  if (program === undefined) return;
  if (program === "cd" || program === "pushd") return changeFolder(rest, reader);
  if (program === "popd") reader.folder = undefined;
  if (/^(export|local|declare|readonly)$/.test(program)) return exportAll(rest, reader);
  const script =
    program === "eval" ? rest.join(" ") : SHELLS.test(program) ? scriptOf(rest, input) : undefined;
  if (script !== undefined) return runScript(script, reader);
  for (const file of programFiles(
    input === undefined ? { program, args: rest } : { program, args: rest, input },
  )) {
    addFile(reader, file);
  }
}

function exportAll(args: readonly Argument[], reader: Reader): void {
  for (const arg of args) {
    const at = arg?.indexOf("=") ?? -1;
    if (arg !== undefined && at > 0) reader.variables.set(arg.slice(0, at), [arg.slice(at + 1)]);
  }
}

function changeFolder(args: readonly Argument[], reader: Reader): void {
  const target = args.length === 0 ? "~" : args[args[0] === "--" ? 1 : 0];
  reader.folder =
    target === undefined || target === "-" ? undefined : joinPath(reader.folder, target);
}

/** The text behind `bash -c`, or what a shell reads from its input. */
function scriptOf(args: readonly Argument[], input: string | undefined): string | undefined {
  const at = args.findIndex((arg) => arg !== undefined && /^-[a-z]*c$/.test(arg));
  if (at >= 0) return args[at + 1];
  return args.every((arg) => arg?.startsWith("-") ?? false) ? input : undefined;
}

function runScript(script: string, reader: Reader): void {
  if (reader.depth >= MAX_DEPTH) return;
  const inner: Reader = { ...reader, folders: [], files: [], depth: reader.depth + 1 };
  readTokens(lexShell(script), inner);
  reader.files.push(...inner.files);
}
