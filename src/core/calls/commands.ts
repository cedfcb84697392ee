import { fieldsOf, type Fields } from "../text/index.ts";
import { textField } from "./call-input.ts";
import { bareName } from "./tool-kind.ts";

const COMMAND_FIELDS = ["command", "cmd", "script", "code", "commands", "input", "CommandLine"];
const FOLDER_FIELDS = ["workdir", "cwd", "working_directory", "dir_path", "directory", "Cwd"];
/** A shell that runs the text behind it: `bash -lc TEXT`. */
const SHELL = /^(?:\S*\/)?(?:ba|z|da|k)?sh$/;
const SHELL_FLAGS = /^-[a-z]*c$/;
const WRAPPED = /^(?:\S*\/)?(?:ba|z)?sh\s+-[a-z]*c\s+(?:'([^']*)'|"([^"\\$`]*)")\s*$/;

/** The command lines of a call, verbatim, without a shell around them. */
export function commandsOf(toolName: string, input: unknown): string[] {
  if (bareName(toolName) === "writestdin") return [];
  if (typeof input === "string") return nonEmpty([unwrap(input)]);
  if (Array.isArray(input)) return nonEmpty(commandLines(input, false));
  const fields = withAction(fieldsOf(input));
  const name = COMMAND_FIELDS.find((field) => hasCommand(fields[field]));
  const value = name === undefined ? undefined : fields[name];
  if (typeof value === "string") return nonEmpty([unwrap(value)]);
  return Array.isArray(value) ? nonEmpty(commandLines(value, name === "commands")) : [];
}

/** Codex wraps a local shell call's arguments in `action`. */
function withAction(fields: Fields): Fields {
  return fields["action"] === undefined ? fields : { ...fieldsOf(fields["action"]), ...fields };
}

function hasCommand(value: unknown): boolean {
  return typeof value === "string" ? value !== "" : Array.isArray(value) && value.length > 0;
}

/** A list is either one command line in words, or (`separate`) several command lines. */
function commandLines(items: readonly unknown[], separate: boolean): string[] {
  if (separate) {
    return items.map((item) =>
      typeof item === "string" ? unwrap(item) : (textField(fieldsOf(item), COMMAND_FIELDS) ?? ""),
    );
  }
  const words = items.filter((item) => typeof item === "string");
  const [program = "", flags = "", script] = words;
  if (
    words.length === 3 &&
    script !== undefined &&
    SHELL.test(program) &&
    SHELL_FLAGS.test(flags)
  ) {
    return [script];
  }
  return [words.map(quoteWord).join(" ")];
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `bash -lc 'TEXT'` is TEXT, when nothing in it needs the outer shell. */
function unwrap(command: string): string {
  const found = WRAPPED.exec(command);
  return found === null ? command : (found[1] ?? found[2] ?? command);
}

function nonEmpty(commands: readonly string[]): string[] {
  return commands.filter((command) => command.trim() !== "");
}

/** Where a call says that its commands run. */
export function commandFolder(fields: Fields): string | undefined {
  return textField(withAction(fields), FOLDER_FIELDS);
}
