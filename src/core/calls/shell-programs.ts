import type { FileAccess } from "./file-access.ts";
import { baseName, looksLikeFile, normalizePath } from "./path.ts";
import { patchFiles } from "./patch.ts";
import { scriptFiles } from "./script-files.ts";
import { hasFlag, isFilePath, paths, splitArguments } from "./shell-arguments.ts";
import type { Argument, ReaderSpec } from "./shell-arguments.ts";

/** One simple command, resolved as far as it can be. */
export interface SimpleCommand {
  readonly program: string;
  readonly args: readonly Argument[];
  /** Heredoc or here-string. */
  readonly input?: string;
}

type Program = (command: SimpleCommand) => FileAccess[];

const GREP: ReaderSpec = { values: "ABCmefdD", scriptUnless: "ef" };
const RIPGREP: ReaderSpec = {
  values: "ABCmefgtTjMrE",
  longValues: ["--glob", "--iglob", "--type", "--max-count", "--context", "--max-depth", "--sort"],
  scriptUnless: "ef",
  searchesFolders: true,
};
const AWK: ReaderSpec = { values: "Fvf", scriptUnless: "f" };

const READERS: Readonly<Record<string, ReaderSpec>> = {
  cat: {},
  bat: { values: "lrHm" },
  batcat: { values: "lrHm" },
  head: { values: "nc", longValues: ["--lines", "--bytes"] },
  tail: { values: "nc", longValues: ["--lines", "--bytes"] },
  less: {},
  more: {},
  nl: { values: "bdfhilnpsvw" },
  wc: {},
  tac: {},
  rev: {},
  od: { values: "AjNStw" },
  xxd: { values: "lscog" },
  hexdump: { values: "ens" },
  strings: { values: "n" },
  sort: { values: "ktoST" },
  uniq: { values: "fsw" },
  cut: { values: "dfcb" },
  column: { values: "cst" },
  awk: AWK,
  gawk: AWK,
  jq: {
    values: "fL",
    scriptUnless: "f",
    longPairs: ["--arg", "--argjson", "--slurpfile", "--rawfile"],
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  zgrep: GREP,
  rg: RIPGREP,
  ag: RIPGREP,
  ack: RIPGREP,
};

function read(spec: ReaderSpec): Program {
  return ({ args }) => {
    const { flags, operands } = splitArguments(args, spec);
    if (flags.includes("--files")) return [];
    const skipsFirst =
      spec.scriptUnless !== undefined && !hasFlag(flags, spec.scriptUnless, "--regexp");
    const folders = spec.searchesFolders ?? (spec === GREP && hasFlag(flags, "rR", "--recursive"));
    return paths(skipsFirst ? operands.slice(1) : operands)
      .filter((path) => !folders || looksLikeFile(path))
      .map((path) => ({ path, op: "read" }));
  };
}

const sed: Program = ({ args }) => {
  const { flags, operands } = splitArguments(args, {
    values: "ef",
    longValues: ["--expression", "--file"],
  });
  const inPlace = flags.some((flag) => /^-[nErsuz]*i/.test(flag) || flag.startsWith("--in-place"));
  // BSD sed wants the suffix of the backup as a word of its own: `sed -i '' …`.
  const rest = inPlace && operands[0] === "" ? operands.slice(1) : operands;
  const given = flags.some((flag) => /^-[nErsuz]*[ef]|^--(expression|file)/.test(flag));
  return paths(given ? rest : rest.slice(1)).map((path) => ({
    path,
    op: inPlace ? "edit" : "read",
  }));
};

const perl: Program = ({ args }) => {
  const { flags, operands } = splitArguments(args, { values: "eEIMm" });
  const clusters = flags.filter((flag) => !flag.startsWith("--") && !/^-[IMm]/.test(flag));
  const oneLiner = clusters.some((flag) => /[eE]$/.test(flag));
  if (!oneLiner) return [];
  const inPlace = clusters.some((flag) => /^-[\w]*i/.test(flag));
  const loops = clusters.some((flag) => /[np]/.test(flag));
  if (!inPlace && !loops) return [];
  return paths(operands).map((path) => ({ path, op: inPlace ? "edit" : "read" }));
};

const tee: Program = ({ args }) => {
  const { flags, operands } = splitArguments(args);
  const op = hasFlag(flags, "a", "--append") ? "edit" : "write";
  return paths(operands).map((path) => ({ path, op }));
};

const touch: Program = ({ args }) =>
  paths(splitArguments(args, { values: "tdr" }).operands).map((path) => ({ path, op: "write" }));

const rm: Program = ({ args }) => {
  const { flags, operands } = splitArguments(args);
  const recursive = hasFlag(flags, "rR", "--recursive");
  return paths(operands).map((path) => remove(path, recursive));
};

function remove(path: string, recursive: boolean): FileAccess {
  return recursive ? { path, op: "delete", recursive } : { path, op: "delete" };
}

const cp: Program = ({ args }) => {
  const { flags, operands } = splitArguments(args, { values: "tS" });
  const { sources, target } = transfer(operands, flags);
  const recursive = hasFlag(flags, "raR", "--recursive");
  const files = sources.filter((path) => !recursive || looksLikeFile(path));
  return files.flatMap((path) => destination(path, target, sources.length));
};

const mv: Program = ({ args }) => {
  const { flags, operands } = splitArguments(args, { values: "tS" });
  const { sources, target } = transfer(operands, flags);
  return sources.flatMap((path) => [
    remove(path, !looksLikeFile(path)),
    ...(looksLikeFile(path) ? destination(path, target, sources.length) : []),
  ]);
};

/** With `-t FOLDER` the folder is an option's value and unknown here; nothing is said then. */
function transfer(
  operands: readonly Argument[],
  flags: readonly string[],
): { sources: string[]; target: Argument } {
  if (hasFlag(flags, "t", "--target-directory")) return { sources: [], target: undefined };
  return { sources: paths(operands.slice(0, -1)), target: operands.at(-1) };
}

function destination(source: string, target: Argument, sources: number): FileAccess[] {
  if (target === undefined || target === "") return [];
  const name = baseName(source);
  const path = sources > 1 || isFolder(target, name) ? `${target}/${name}` : target;
  return isFilePath(path) ? [{ path: normalizePath(path), op: "write" }] : [];
}

function isFolder(target: string, name: string): boolean {
  if (/(^|\/)\.{0,2}$/.test(target)) return true;
  const stem = name.replace(/\.[^.]*$/, "");
  return looksLikeFile(name) && !looksLikeFile(target) && baseName(target) !== stem;
}

const git: Program = (command) => {
  const { args } = command;
  const at = args.findIndex(
    (arg, i) => arg !== undefined && !arg.startsWith("-") && args[i - 1] !== "-c",
  );
  const rest = args.slice(at + 1);
  switch (at < 0 ? undefined : args[at]) {
    case "mv":
      return mv({ program: "mv", args: rest });
    case "rm":
      return rest.includes("--cached") ? [] : rm({ program: "rm", args: rest });
    case "checkout":
      return gitCheckout(rest);
    case "restore":
      return rest.includes("--staged") && !rest.includes("--worktree") ? [] : gitRestore(rest);
    case "apply":
      return patched(command);
    default:
      return [];
  }
};

/** Only what stands behind `--` is surely a path and not a branch. */
function gitCheckout(args: readonly Argument[]): FileAccess[] {
  const at = args.indexOf("--");
  const named = at < 0 ? [] : paths(args.slice(at + 1));
  return named.filter(looksLikeFile).map((path) => ({ path, op: "edit" }));
}

function gitRestore(args: readonly Argument[]): FileAccess[] {
  const { operands } = splitArguments(args, { values: "s", longValues: ["--source"] });
  return paths(operands)
    .filter(looksLikeFile)
    .map((path) => ({ path, op: "edit" }));
}

const patched: Program = ({ args, input }) => {
  const text = input ?? args.find((arg) => arg?.includes("\n") ?? false);
  return text === undefined ? [] : patchFiles(text).filter(({ path }) => isFilePath(path));
};

const dd: Program = ({ args }) =>
  paths(args.map((arg) => (arg?.startsWith("of=") === true ? arg.slice(3) : undefined))).map(
    (path) => ({ path, op: "write" }),
  );

/** `curl -o FILE`, `wget -O FILE`. */
function download(short: string, long: string): Program {
  return ({ args }) => {
    const at = args.findIndex(
      (arg) => arg === long || (arg !== undefined && isCluster(arg, short)),
    );
    return at < 0 ? [] : paths(args.slice(at + 1, at + 2)).map((path) => ({ path, op: "write" }));
  };
}

function isCluster(arg: string, letter: string): boolean {
  return /^-[A-Za-z]+$/.test(arg) && arg.endsWith(letter);
}

/** A text behind `-c` or `-e`, or one that comes by heredoc. */
function interpreter(flag: RegExp): Program {
  return ({ args, input }) => {
    const at = args.findIndex((arg) => arg !== undefined && flag.test(arg));
    if (at >= 0) return textFiles(args[at + 1], args.slice(at + 2));
    const first = args.findIndex((arg) => arg === undefined || !/^-./.test(arg));
    // `python3 - ARGS <<EOF`: with a name instead of `-` a file is run and the input is its data.
    if (first >= 0 && args[first] !== "-") return [];
    return textFiles(input, first < 0 ? [] : args.slice(first + 1));
  };
}

function textFiles(text: Argument, args: readonly Argument[]): FileAccess[] {
  return text === undefined ? [] : scriptFiles(text, args);
}

const python = interpreter(/^-[a-zA-Z]*c$/);
const javascript = interpreter(/^(?:-e|-p|-pe|--eval|--print)$/);

const OTHERS: Readonly<Record<string, Program>> = {
  sed,
  gsed: sed,
  perl,
  tee,
  touch,
  rm,
  unlink: rm,
  cp,
  mv,
  git,
  patch: patched,
  apply_patch: patched,
  applypatch: patched,
  dd,
  curl: download("o", "--output"),
  wget: download("O", "--output-document"),
  python,
  python3: python,
  node: javascript,
  bun: javascript,
};

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ...Object.entries(READERS).map(([name, spec]): [string, Program] => [name, read(spec)]),
  ...Object.entries(OTHERS),
]);

/** The files one simple command touches by its arguments and its input, redirections aside. */
export function programFiles(command: SimpleCommand): FileAccess[] {
  return PROGRAMS.get(baseName(command.program))?.(command) ?? [];
}
