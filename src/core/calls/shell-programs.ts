import { type FileAccess, patchFiles } from "./file-access.ts";
import { baseName, looksLikeFile, normalizePath } from "./path.ts";

/** An argument of a command; `undefined` is one that nobody but a shell can resolve. */
export type Argument = string | undefined;

/** The files one simple command touches by its arguments and its heredoc, redirections aside. */
export function programFiles(path: string, args: readonly Argument[], input = ""): FileAccess[] {
  const at = args.findIndex((arg, i) => arg?.startsWith("-") === false && args[i - 1] !== "-c");
  const isGit = baseName(path) === "git" && at >= 0;
  const name = isGit ? `git ${args[at]}` : baseName(path);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const rest = isGit ? args.slice(at + 1) : args;
  if (typeof program === "function") return program(rest, input);
  return program === undefined ? [] : operandFiles(program, rest);
}

type Reader = (args: readonly Argument[], input: string) => FileAccess[];

/** A program whose operands are files. */
interface Program {
  readonly op: FileAccess["op"];
  /** The letters of its options that take a value. */
  readonly values?: string;
  /** The first operand is a pattern or a script, unless one of these options gave it. */
  readonly script?: RegExp;
  /** Options with which it changes the files. */
  readonly edits?: RegExp;
  /** Options with which only operands that look like files are any; an empty one stands for always. */
  readonly folders?: RegExp;
  /** An option without which it does nothing to files, and one with which. */
  readonly needs?: RegExp;
  readonly not?: RegExp;
}

const READS: Program = { op: "read" };
const GREPS: Program = { op: "read", values: "ABCmefdDgtTjMrE", script: /^-\w*[ef]|^--regexp/ };

const PROGRAMS: Readonly<Record<string, Program | Reader>> = {
  cat: READS,
  less: READS,
  more: READS,
  wc: READS,
  head: { op: "read", values: "nc" },
  tail: { op: "read", values: "nc" },
  nl: { op: "read", values: "bdfhilnpsvw" },
  sort: { op: "read", values: "ktoST" },
  uniq: { op: "read", values: "fsw" },
  cut: { op: "read", values: "dfcb" },
  awk: { op: "read", values: "Fvf", script: /^-\w*f/ },
  jq: { op: "read", values: "fL", script: /^-\w*f/ },
  grep: { ...GREPS, values: "ABCmefdD", folders: /^-\w*[rR]|^--recursive/ },
  egrep: { ...GREPS, values: "ABCmefdD", folders: /^-\w*[rR]|^--recursive/ },
  rg: { ...GREPS, folders: /(?:)/ },
  sed: { op: "read", values: "ef", script: /^-\w*[ef]|^--exp/, edits: /^-[nErsuz]*i|^--in-place/ },
  perl: { op: "read", values: "eEIMm", needs: /^-(?![IMm])\w*[npi]/, edits: /^-(?![IMm])\w*i/ },
  tee: { op: "write", edits: /^-\w*a/ },
  touch: { op: "write", values: "tdr" },
  rm: { op: "delete" },
  unlink: { op: "delete" },
  "git rm": { op: "delete", not: /^--cached/ },
  "git restore": { op: "edit", values: "s", folders: /(?:)/, not: /^--staged/ },
  // Without `--` its operand may be a branch.
  "git checkout": { op: "edit", folders: /(?:)/, needs: /^--$/ },
  "git apply": patched,
  patch: patched,
  apply_patch: patched,
  applypatch: patched,
  cp: (args) => transferred(args, "copy"),
  mv: (args) => transferred(args, "move"),
  "git mv": (args) => transferred(args, "move"),
  curl: (args) => downloaded(args, /^-\w*o$/),
  wget: (args) => downloaded(args, /^-\w*O$/),
  dd(args) {
    const outputs = args.map((arg) => /^of=(.*)/.exec(arg ?? "")?.[1]);
    return accesses(outputs, "write");
  },
  python: ran,
  python3: ran,
  node: ran,
  bun: ran,
};

/** The values of an option that names where a program writes to. */
function downloaded(args: readonly Argument[], option: RegExp): FileAccess[] {
  const targets = args.filter((_, at) => option.test(args[at - 1] ?? ""));
  return accesses(targets, "write");
}

function operandFiles(program: Program, args: readonly Argument[]): FileAccess[] {
  const { op, values, script, edits, folders, needs, not } = program;
  const { flags, operands } = split(args, values);
  const has = (option?: RegExp): boolean => flags.some((flag) => option?.test(flag));
  if ((needs !== undefined && !has(needs)) || has(not)) return [];
  // BSD sed wants the suffix of the backup as a word of its own: `sed -i '' …`.
  if (has(edits) && operands[0] === "") operands.shift();
  if (script !== undefined && !has(script)) operands.shift();
  const mayBeFolders = has(folders) || folders?.test("") === true;
  const recursive = (op === "delete" && has(/^-\w*[rR]|^--recursive/)) || undefined;
  return accesses(operands, has(edits) ? "edit" : op)
    .filter(({ path }) => !mayBeFolders || looksLikeFile(path))
    .map((file) => ({ ...file, recursive }));
}

function transferred(args: readonly Argument[], way: "copy" | "move"): FileAccess[] {
  const { flags, operands } = split(args);
  const target = operands.pop() ?? "";
  // With `-t FOLDER` the folder is not the last operand.
  if (target === "" || flags.some((flag) => /^-\w*[tS]|^--target/.test(flag))) return [];
  const recursive = flags.some((flag) => /^-\w*[raR]/.test(flag));
  return operands.filter(isFilePath).flatMap((from): FileAccess[] => {
    const isFile = looksLikeFile(from);
    const name = baseName(from);
    const into = operands.length > 1 || isFolder(target, name);
    const to = accesses([normalizePath(into ? `${target}/${name}` : target)], "write");
    if (way === "copy") return isFile || !recursive ? to : [];
    return isFile
      ? [{ path: from, op: "delete" }, ...to]
      : [{ path: from, op: "delete", recursive: true }];
  });
}

function isFolder(target: string, name: string): boolean {
  if (/(^|\/)\.{0,2}$/.test(target)) return true;
  const stem = name.replace(/\.[^.]*$/, "");
  return looksLikeFile(name) && !looksLikeFile(target) && baseName(target) !== stem;
}

function patched(args: readonly Argument[], input: string): FileAccess[] {
  const text = input === "" ? args.find((arg) => arg?.includes("\n") ?? false) : input;
  return patchFiles(text ?? "").filter(({ path }) => isFilePath(path));
}

const LONG_VALUE = /^--(?:lines|bytes|i?glob|type|max-count|context|expression|source)$/;
const LONG_PAIR = /^--(?:arg|argjson|slurpfile|rawfile)$/;

/** Options and operands; values of options (`values`: letters) are neither. */
function split(args: readonly Argument[], values = ""): { flags: string[]; operands: Argument[] } {
  const flags: string[] = [];
  const operands: Argument[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (flags.at(-1) === "--" || arg === undefined || !/^-./.test(arg)) operands.push(arg);
    else {
      flags.push(arg);
      // In `-rnA3` the letter takes the rest.
      const valueAt = arg.startsWith("--") ? -1 : [...arg].findIndex((one) => values.includes(one));
      if (valueAt === arg.length - 1 || LONG_VALUE.test(arg)) i++;
      if (LONG_PAIR.test(arg)) i += 2;
    }
  }
  return { flags, operands };
}

function accesses(operands: readonly Argument[], op: FileAccess["op"]): FileAccess[] {
  return operands.filter(isFilePath).map((path) => ({ path, op }));
}

/** True of a resolved word that can be the name of a file: no device, URL or free text. */
export function isFilePath(text: Argument): text is string {
  if (text === undefined || /^(?:-|\.{0,2})$/.test(text) || text.length > 1_024) return false;
  return !text.startsWith("/dev/") && !/\n|:\/\//.test(text);
}

/** Python and JavaScript: a text behind `-c` or `-e`, or one that comes by heredoc. */
function ran(args: readonly Argument[], input: string): FileAccess[] {
  const at = args.findIndex((arg) => /^-(?:[a-zA-Z]*c|e|pe?|-eval|-print)$/.test(arg ?? ""));
  if (at >= 0) return scriptFiles(args[at + 1] ?? "", args.slice(at + 2));
  // With another name than `-` a file is run, and the input is its data.
  const operands = args.filter((arg) => arg === undefined || !/^-./.test(arg));
  const isScript = operands.length === 0 || operands[0] === "-";
  return isScript ? scriptFiles(input, operands.slice(1)) : [];
}

/** A quoted text without escapes, a name, or an argument of the program. */
const TARGET = String.raw`\s*("[^"\\\n]*"|'[^'\\\n]*'|[A-Za-z_]\w*|sys\.argv\[\d\])\s*`;
const MODE = String.raw`,\s*(?:mode\s*=\s*)?["']`;
const OF_PATH = String.raw`\b(?:Path\()?${TARGET}\)?\.`;
const DEEDS = [
  [String.raw`\bopen\(${TARGET}${MODE}[wx]`, "write"],
  [String.raw`\bopen\(${TARGET}${MODE}(?:a|r\+)`, "edit"],
  [String.raw`${OF_PATH}write_(?:text|bytes)\(`, "write"],
  [String.raw`\bwriteFile(?:Sync)?\(${TARGET},`, "write"],
  [String.raw`\bappendFile(?:Sync)?\(${TARGET},`, "edit"],
  [String.raw`\b(?:remove|unlink|unlinkSync|rmSync)\(${TARGET}[,)]`, "delete"],
] as const;
const READ = [
  String.raw`\bopen\(${TARGET}(?:\)|,\s*(?:["']r|encoding))`,
  String.raw`${OF_PATH}read_`,
  String.raw`\breadFile(?:Sync)?\(${TARGET}`,
].join("|");
const ASSIGNED = String.raw`\b([A-Za-z_]\w*)\s*=(?:\s*(?:pathlib\.)?Path\()?${TARGET}\)?(?:[;\n]|$)`;

/**
 * The files that a small text writes or removes. Only paths that stand in it as they are count,
 * directly or by a name for nothing else: `p = "a.ts"; open(p, "w")`. Its reads do not reach the
 * conversation.
 */
function scriptFiles(text: string, args: readonly Argument[]): FileAccess[] {
  const found = (source: string): RegExpExecArray[] => [...text.matchAll(new RegExp(source, "g"))];
  const named = new Map<string, Argument>(args.map((arg, i) => [`sys.argv[${i + 1}]`, arg]));
  const pathOf = (target = ""): Argument =>
    /^["']/.test(target) ? target.slice(1, -1) : named.get(target);
  for (const [, name = "", value] of found(ASSIGNED))
    named.set(name, named.has(name) ? undefined : pathOf(value));
  const read = new Set(found(READ).map(([, ...targets]) => pathOf(targets.find(Boolean))));
  const files = new Map<string, FileAccess>();
  for (const [source, op] of DEEDS) {
    for (const [, target] of found(source)) {
      const path = pathOf(target);
      if (!isFilePath(path) || /[*?{}$%<>|]/.test(path)) continue;
      // A file that the same program reads was there before.
      files.set(path, { path, op: op === "write" && read.has(path) ? "edit" : op });
    }
  }
  return [...files.values()];
}
