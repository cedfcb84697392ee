import { type FileAccess, patchFiles } from "./file-access.ts";
import { baseName, looksLikeFile, normalizePath } from "./path.ts";
import { scriptFiles } from "./script-files.ts";

/** An argument of a command; `undefined` is one that nobody but a shell can resolve. */
export type Argument = string | undefined;

/** One simple command, resolved as far as it can be. */
export interface SimpleCommand {
  readonly program: string;
  readonly args: readonly Argument[];
  /** Heredoc or here-string. */
  readonly input: string | undefined;
}

/** The files one simple command touches by its arguments and its input, redirections aside. */
export function programFiles(command: SimpleCommand): FileAccess[] {
  const name = baseName(command.program);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return program?.(command) ?? [];
}

type Program = (command: SimpleCommand) => FileAccess[];

/** Programs that show files: the letters of their options that take a value. */
const READERS: Readonly<Record<string, string>> = {
  cat: "",
  bat: "lrHm",
  head: "nc",
  tail: "nc",
  less: "",
  more: "",
  nl: "bdfhilnpsvw",
  wc: "",
  tac: "",
  od: "AjNStw",
  xxd: "lscog",
  hexdump: "ens",
  strings: "n",
  sort: "ktoST",
  uniq: "fsw",
  cut: "dfcb",
};

/** Programs whose first operand is a pattern or a script, unless an option gave it. */
const SEARCHERS: Readonly<Record<string, { readonly values: string; readonly unless: string }>> = {
  awk: { values: "Fvf", unless: "f" },
  gawk: { values: "Fvf", unless: "f" },
  jq: { values: "fL", unless: "f" },
  grep: { values: "ABCmefdD", unless: "ef" },
  egrep: { values: "ABCmefdD", unless: "ef" },
  rg: { values: "ABCmefgtTjMrE", unless: "ef" },
};

/** Long options with separate values, of all programs: how many values. */
const LONG_VALUES: Readonly<Record<string, number>> = {
  "--lines": 1,
  "--bytes": 1,
  "--glob": 1,
  "--iglob": 1,
  "--type": 1,
  "--max-count": 1,
  "--context": 1,
  "--expression": 1,
  "--source": 1,
  "--arg": 2,
  "--argjson": 2,
  "--slurpfile": 2,
  "--rawfile": 2,
};

function reads(values: string): Program {
  return ({ args }) => accesses(split(args, values).operands, "read");
}

function searches(values: string, unless: string): Program {
  return ({ program, args }) => {
    const { flags, operands } = split(args, values);
    if (flags.includes("--files")) return [];
    const files = hasFlag(flags, unless, "--regexp") ? operands : operands.slice(1);
    const inFolders =
      program === "rg" || hasFlag(program.endsWith("grep") ? flags : [], "rR", "--recursive");
    return accesses(files, "read").filter(({ path }) => !inFolders || looksLikeFile(path));
  };
}

const sed: Program = ({ args }) => {
  const { flags, operands } = split(args, "ef");
  const inPlace = flags.some((flag) => /^-[nErsuz]*i/.test(flag) || flag.startsWith("--in-place"));
  // BSD sed wants the suffix of the backup as a word of its own: `sed -i '' …`.
  const rest = inPlace && operands[0] === "" ? operands.slice(1) : operands;
  const given = flags.some((flag) => /^-[nErsuz]*[ef]|^--expression/.test(flag));
  return accesses(given ? rest : rest.slice(1), inPlace ? "edit" : "read");
};

const perl: Program = ({ args }) => {
  const { flags, operands } = split(args, "eEIMm");
  const letters = flags.filter((flag) => !/^-[-IMm]/.test(flag));
  const inPlace = letters.some((flag) => /^-\w*i/.test(flag));
  const isOneLiner = letters.some((flag) => /[eE]$/.test(flag));
  if (!isOneLiner || !(inPlace || letters.some((flag) => /[np]/.test(flag)))) return [];
  return accesses(operands, inPlace ? "edit" : "read");
};

const tee: Program = ({ args }) => {
  const { flags, operands } = split(args);
  return accesses(operands, hasFlag(flags, "a", "--append") ? "edit" : "write");
};

const rm: Program = ({ args }) => {
  const { flags, operands } = split(args);
  const recursive = hasFlag(flags, "rR", "--recursive") || undefined;
  return accesses(operands, "delete").map((file) => ({ ...file, recursive }));
};

const cp: Program = ({ args }) => {
  const { flags, operands } = split(args, "tS");
  const recursive = hasFlag(flags, "raR", "--recursive");
  return transfers(flags, operands)
    .filter(({ from }) => !recursive || looksLikeFile(from))
    .flatMap(({ to }) => accesses([to], "write"));
};

const mv: Program = ({ args }) => {
  const { flags, operands } = split(args, "tS");
  return transfers(flags, operands).flatMap(({ from, to }) => {
    const isFile = looksLikeFile(from);
    const recursive = isFile ? undefined : true;
    return [{ path: from, op: "delete", recursive }, ...accesses(isFile ? [to] : [], "write")];
  });
};

/** With `-t FOLDER` the folder is an option's value and unknown here; nothing is said then. */
function transfers(
  flags: readonly string[],
  operands: readonly Argument[],
): { from: string; to: Argument }[] {
  const sources = hasFlag(flags, "t", "--target-directory") ? [] : operands.slice(0, -1);
  const target = operands.at(-1);
  return sources.filter(isFilePath).map((from) => {
    const name = baseName(from);
    if (target === undefined || target === "") return { from, to: undefined };
    const into = sources.length > 1 || isFolder(target, name);
    return { from, to: normalizePath(into ? `${target}/${name}` : target) };
  });
}

function isFolder(target: string, name: string): boolean {
  if (/(^|\/)\.{0,2}$/.test(target)) return true;
  const stem = name.replace(/\.[^.]*$/, "");
  return looksLikeFile(name) && !looksLikeFile(target) && baseName(target) !== stem;
}

const git: Program = (command) => {
  const { args } = command;
  const at = args.findIndex((arg, i) => arg?.startsWith("-") === false && args[i - 1] !== "-c");
  const rest = { ...command, args: args.slice(at + 1) };
  switch (at < 0 ? undefined : args[at]) {
    case "mv":
      return mv(rest);
    case "rm":
      return rest.args.includes("--cached") ? [] : rm(rest);
    case "checkout":
      // Only the arguments behind `--` are surely paths and not a branch.
      return rest.args.includes("--") ? restored(rest.args.slice(rest.args.indexOf("--"))) : [];
    case "restore":
      return rest.args.includes("--staged") ? [] : restored(rest.args);
    case "apply":
      return patched(rest);
    default:
      return [];
  }
};

function restored(args: readonly Argument[]): FileAccess[] {
  return accesses(split(args, "s").operands, "edit").filter(({ path }) => looksLikeFile(path));
}

const patched: Program = ({ args, input }) => {
  const text = input ?? args.find((arg) => arg?.includes("\n") ?? false);
  return text === undefined ? [] : patchFiles(text).filter(({ path }) => isFilePath(path));
};

/** `curl -o FILE`, `wget -O FILE`. */
function downloads(option: RegExp): Program {
  return ({ args }) => {
    const at = args.findIndex((arg) => option.test(arg ?? ""));
    return at < 0 ? [] : accesses(args.slice(at + 1, at + 2), "write");
  };
}

/** A text behind `-c` or `-e`, or one that comes by heredoc. */
function runs(flag: RegExp): Program {
  return ({ args, input = "" }) => {
    const at = args.findIndex((arg) => flag.test(arg ?? ""));
    if (at >= 0) return scriptFiles(args[at + 1] ?? "", args.slice(at + 2));
    // `python3 - ARGS <<EOF`: with a name instead of `-` a file is run and the input is its data.
    const first = args.findIndex((arg) => arg === undefined || !/^-./.test(arg));
    if (first < 0) return scriptFiles(input);
    return args[first] === "-" ? scriptFiles(input, args.slice(first + 1)) : [];
  };
}

const python = runs(/^-[a-zA-Z]*c$/);
const javascript = runs(/^(?:-e|-p|-pe|--eval|--print)$/);

const PROGRAMS: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(Object.entries(READERS).map(([name, values]) => [name, reads(values)])),
  ...Object.fromEntries(
    Object.entries(SEARCHERS).map(([name, { values, unless }]) => [name, searches(values, unless)]),
  ),
  sed,
  gsed: sed,
  perl,
  tee,
  touch: ({ args }) => accesses(split(args, "tdr").operands, "write"),
  rm,
  unlink: rm,
  cp,
  mv,
  git,
  patch: patched,
  apply_patch: patched,
  applypatch: patched,
  dd: ({ args }) =>
    accesses(
      args.map((arg) => /^of=(.*)/.exec(arg ?? "")?.[1]),
      "write",
    ),
  curl: downloads(/^(?:-[A-Za-z]*o|--output)$/),
  wget: downloads(/^(?:-[A-Za-z]*O|--output-document)$/),
  python,
  python3: python,
  node: javascript,
  bun: javascript,
};

/** Splits arguments into options and operands; values of options (`values`: letters) are neither. */
function split(args: readonly Argument[], values = ""): { flags: string[]; operands: Argument[] } {
  const flags: string[] = [];
  const operands: Argument[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") return { flags, operands: [...operands, ...args.slice(i + 1)] };
    if (arg === undefined || arg === "-" || !arg.startsWith("-")) {
      operands.push(arg);
    } else {
      flags.push(arg);
      i += valuesOf(arg, values);
    }
  }
  return { flags, operands };
}

/** How many of the following arguments belong to a flag: in `-rnA3` the letter takes the rest. */
function valuesOf(flag: string, values: string): number {
  if (flag.startsWith("--")) return LONG_VALUES[flag] ?? 0;
  const at = [...flag].findIndex((letter) => values.includes(letter));
  return at > 0 && at === flag.length - 1 ? 1 : 0;
}

function hasFlag(flags: readonly string[], letters: string, long: string): boolean {
  return flags.some((flag) =>
    flag.startsWith("--")
      ? flag.split("=")[0] === long
      : [...letters].some((one) => flag.includes(one)),
  );
}

function accesses(operands: readonly Argument[], op: FileAccess["op"]): FileAccess[] {
  return operands.filter(isFilePath).map((path) => ({ path, op }));
}

/** True of a resolved word that can be the name of a file: no device, URL or free text. */
export function isFilePath(text: Argument): text is string {
  if (text === undefined || /^(?:-|\.{0,2})$/.test(text) || text.length > 1_024) return false;
  return !text.startsWith("/dev/") && !/\n|:\/\//.test(text);
}
