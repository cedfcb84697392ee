/** An argument of a simple command; `undefined` is one that nobody but a shell can resolve. */
export type Argument = string | undefined;

/** How a program that reads files takes its arguments. */
export interface ReaderSpec {
  /** Short options that take a value, as letters. */
  readonly values?: string;
  /** Long options that take a separate value. */
  readonly longValues?: readonly string[];
  /** Long options that take two. */
  readonly longPairs?: readonly string[];
  /** The first operand is a pattern or a script, unless one of these options gave it. */
  readonly scriptUnless?: string;
  /** Operands may be folders; then only what looks like a file is one. */
  readonly searchesFolders?: boolean;
}

export interface Arguments {
  readonly flags: readonly string[];
  readonly operands: readonly Argument[];
}

/** Splits arguments into options and operands; values of options are neither. */
export function splitArguments(args: readonly Argument[], spec: ReaderSpec = {}): Arguments {
  const flags: string[] = [];
  const operands: Argument[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (arg === undefined || arg === "-" || !arg.startsWith("-")) {
      operands.push(arg);
    } else {
      flags.push(arg);
      i += valuesOf(arg, spec);
    }
  }
  return { flags, operands };
}

/** How many of the following arguments belong to a flag. */
function valuesOf(flag: string, spec: ReaderSpec): number {
  if (spec.longPairs?.includes(flag) === true) return 2;
  if (flag.startsWith("--")) return spec.longValues?.includes(flag) === true ? 1 : 0;
  // In a cluster such as `-rnA3` the first letter that takes a value takes the rest, too.
  const letters = flag.slice(1).split("");
  const first = letters.findIndex((letter) => spec.values?.includes(letter) ?? false);
  return first >= 0 && first === letters.length - 1 ? 1 : 0;
}

/** Whether a short option is among the flags, alone or in a cluster. */
export function hasFlag(flags: readonly string[], letters: string, long = ""): boolean {
  return flags.some((flag) =>
    flag.startsWith("--")
      ? long !== "" && (flag === long || flag.startsWith(`${long}=`))
      : letters.split("").some((letter) => flag.includes(letter)),
  );
}

/** The operands that are plain names of files. */
export function paths(operands: readonly Argument[]): string[] {
  return operands.filter((operand) => operand !== undefined && isFilePath(operand)) as string[];
}

/** Whether a resolved word can be the name of a file: not a device, a URL or free text. */
export function isFilePath(text: string): boolean {
  if (text === "" || text === "-" || text === "." || text === ".." || text.length > 1_024)
    return false;
  return !text.startsWith("/dev/") && !/[\n\uE000]|:\/\//.test(text);
}
