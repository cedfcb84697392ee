import type { ToolCallPart } from "../message/index.ts";
import { clipLine } from "../text/clip.ts";
import { fieldsOf, type Fields } from "../text/json.ts";
import { largeFields, movedFile, namedFiles, textField } from "./call-input.ts";
import { type FileAccess, type LineRange, patchFiles } from "./file-access.ts";
import { looksLikeFile, normalizePath } from "./path.ts";
import { shellFiles } from "./shell.ts";
import { bareName, toolKind, type ToolKind, type ToolKinds } from "./tool-kind.ts";
import { words } from "../text/words.ts";

/** The deed of one tool call, as far as its name and its input tell. */
export interface CallFacts {
  readonly kind: ToolKind;
  /** One line of at most 120 characters: the path, the command, the pattern. */
  readonly subject: string;
  /** The files it touches if it succeeds, in order. */
  readonly files: readonly FileAccess[];
  /** The command lines it runs, without a `bash -lc` around them. */
  readonly commands: readonly string[];
  /** The lines of a file that it reads a part of. */
  readonly range?: LineRange;
  /** Names of the input fields that hold large content of files (writing and editing calls). */
  readonly largeInput: readonly string[];
}

const SUBJECT_UNITS = 120;

/**
 * The deed of a tool call, without a model and without its result.
 * @param kinds Kinds of tools that the caller knows better, by exact name.
 */
export function describeCall(call: ToolCallPart, kinds?: ToolKinds): CallFacts {
  const { toolName, input } = call;
  const known = DESCRIBED.get(call);
  const isSame = known?.input === input && known?.toolName === toolName;
  if (known !== undefined && isSame && known.kinds === kinds) return known.facts;
  const facts = factsOf(call, kinds);
  DESCRIBED.set(call, { toolName, input, kinds, facts });
  return facts;
}

/** A call is asked about when it comes, and again by every plan of an edit. */
const DESCRIBED = new WeakMap<ToolCallPart, Described>();

interface Described extends Pick<ToolCallPart, "toolName" | "input"> {
  readonly kinds: ToolKinds | undefined;
  readonly facts: CallFacts;
}

function factsOf(call: ToolCallPart, kinds: ToolKinds | undefined): CallFacts {
  const { toolName, input } = call;
  const fields = fieldsOf(input);
  const kind = kindOfCall(call, fields, kinds);
  if (kind === "command") return describeCommand({ toolName, input, fields, kind });
  const parsed: ParsedCall = { toolName, input, fields, kind };
  const files = filesOf(parsed);
  const subject = clipLine(subjectOf(parsed, files));
  const largeInput = changesFiles(kind) ? largeFields(fields) : NONE;
  const range = files.length === 1 ? files[0]?.range : undefined;
  const facts = { kind, subject, files, commands: NONE, largeInput };
  return range === undefined ? facts : { ...facts, range };
}

const NONE: readonly string[] = [];

/** The shell is read when somebody asks for the files: a placeholder needs only the subject. */
function describeCommand(call: ParsedCall): CallFacts {
  const commands = commandsOf(call.toolName, call.input);
  let files: readonly FileAccess[] | undefined;
  return {
    kind: "command",
    subject: clipLine(commands.join("; ") || textSubject(call)),
    get files(): readonly FileAccess[] {
      return (files ??= commandFiles(call, commands));
    },
    commands,
    largeInput: NONE,
  };
}

interface ParsedCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly fields: Fields;
  readonly kind: ToolKind;
}

export function changesFiles(kind: ToolKind): kind is "write" | "edit" | "delete" {
  return kind === "write" || kind === "edit" || kind === "delete";
}

/** Tools that do several things and say in their input which. */
function kindOfCall(call: ToolCallPart, fields: Fields, kinds: ToolKinds | undefined): ToolKind {
  const kind = toolKind(call.toolName, kinds);
  if (kind !== "edit" || (kinds !== undefined && Object.hasOwn(kinds, call.toolName))) return kind;
  const action = fields["command"];
  if (action === "view") return "read";
  if (action === "create") return "write";
  // Cline's editor makes a new file when it is not told what to replace.
  const isNew = bareName(call.toolName) === "editor" && typeof fields["new_text"] === "string";
  return isNew && !fields["old_text"] && fields["insert_line"] === undefined ? "write" : kind;
}

function filesOf(call: ParsedCall): readonly FileAccess[] {
  const { fields, input, kind } = call;
  if (kind !== "read" && !changesFiles(kind)) return [];
  const patch = kind === "read" ? undefined : patchOf(input, fields);
  const patched = patch === undefined ? [] : patchFiles(patch);
  if (patched.length > 0) return patched.map(normalized);
  const moved = kind === "edit" ? movedFile(fields) : [];
  return moved.length > 0 ? moved.map(normalized) : namedAccesses(fields, kind);
}

function commandFiles(
  { toolName, fields }: ParsedCall,
  commands: readonly string[],
): readonly FileAccess[] {
  // PowerShell and Python are other languages.
  if (/powershell|pwsh|python|cell|codeexecution/i.test(bareName(toolName))) return [];
  const folder = textField(withAction(fields), FOLDER_FIELDS);
  return commands.flatMap((command) => shellFiles(command, folder));
}

function namedAccesses(fields: Fields, op: "read" | "write" | "edit" | "delete"): FileAccess[] {
  return namedFiles(fields).flatMap(({ path, range }) => {
    if (/[*?\n]|^\w+:\/\//.test(path) || path.endsWith("/")) return [];
    const file: FileAccess = { path: normalizePath(path), op };
    if (op === "delete" && !looksLikeFile(path)) return [{ ...file, recursive: true }];
    return [op === "read" && range !== undefined ? { ...file, range } : file];
  });
}

function normalized(file: FileAccess): FileAccess {
  return { ...file, path: normalizePath(file.path) };
}

/** The text of a patch: the whole input, or the field that holds it. */
function patchOf(input: unknown, fields: Fields): string | undefined {
  if (typeof input === "string") return input;
  return textField(fields, ["patchText", "patch", "patch_text", "input", "diff"]);
}

function subjectOf(call: ParsedCall, files: readonly FileAccess[]): string {
  const { fields, kind } = call;
  if (kind === "search" || kind === "list") return searchSubject(fields) ?? textSubject(call);
  if (kind === "todo") return todoSubject(fields) ?? textSubject(call);
  if (files.length > 0) return filesSubject(files);
  return textField(fields, SUBJECT_FIELDS) ?? textSubject(call);
}

const SUBJECT_FIELDS = words("url query skill skill_name description name path title");

function filesSubject(files: readonly FileAccess[]): string {
  const [first] = files;
  if (first === undefined) return "";
  if (files.length > 1) return `${first.path} and ${files.length - 1} more`;
  const { range } = first;
  if (range === undefined) return first.path;
  return `${first.path}:${range.from}-${range.to === Infinity ? "" : range.to}`;
}

function searchSubject(fields: Fields): string | undefined {
  const listed = fields["patterns"];
  const pattern =
    textField(fields, words("pattern regex query search_term file_name search glob")) ??
    (Array.isArray(listed)
      ? listed.filter((item) => typeof item === "string").join(", ")
      : undefined);
  const folder = textField(fields, ["path", "dir_path", "dir", "directory", "folder"]);
  if (pattern === undefined) return folder;
  return folder === undefined ? pattern : `${pattern} in ${folder}`;
}

function todoSubject(fields: Fields): string | undefined {
  const items = [fields["todos"], fields["plan"], fields["items"]].find(Array.isArray);
  return items === undefined ? textField(fields, ["subject"]) : `${items.length} items`;
}

/** The first short scalar fields, or the beginning of free text. */
function textSubject({ input, fields }: ParsedCall): string {
  if (typeof input === "string") return input.slice(0, 4 * SUBJECT_UNITS);
  const shown: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (shown.length >= 4) break;
    if (typeof value === "string") shown.push(`${name}: ${value.slice(0, SUBJECT_UNITS)}`);
    else if (typeof value === "number" || typeof value === "boolean")
      shown.push(`${name}: ${value}`);
  }
  return shown.join(", ");
}

const COMMAND_FIELDS = ["command", "cmd", "script", "code", "commands", "input", "CommandLine"];
const FOLDER_FIELDS = ["workdir", "cwd", "working_directory", "dir_path", "directory", "Cwd"];
/** A shell that runs the text behind it: `bash -lc TEXT`. */
const SHELL = /^(?:\S*\/)?(?:ba|z|da|k)?sh$/;
const SHELL_FLAGS = /^-[a-z]*c$/;
const WRAPPED = /^(?:\S*\/)?(?:ba|z)?sh\s+-[a-z]*c\s+(?:'([^']*)'|"([^"\\$`]*)")\s*$/;

/** The command lines of a call, verbatim, without a shell around them. */
function commandsOf(toolName: string, input: unknown): string[] {
  if (bareName(toolName) === "writestdin") return [];
  if (typeof input === "string") return nonEmpty([unwrap(input)]);
  if (Array.isArray(input)) return nonEmpty(commandLinesIn(input, false));
  const fields = withAction(fieldsOf(input));
  const name = COMMAND_FIELDS.find((field) => hasCommand(fields[field]));
  const value = name === undefined ? undefined : fields[name];
  if (typeof value === "string") return nonEmpty([unwrap(value)]);
  return Array.isArray(value) ? nonEmpty(commandLinesIn(value, name === "commands")) : [];
}

/** Codex wraps a local shell call's arguments in `action`. */
function withAction(fields: Fields): Fields {
  return fields["action"] === undefined ? fields : { ...fieldsOf(fields["action"]), ...fields };
}

function hasCommand(value: unknown): boolean {
  return typeof value === "string" ? value !== "" : Array.isArray(value) && value.length > 0;
}

/** A list is either one command line in words, or (`separate`) several command lines. */
function commandLinesIn(items: readonly unknown[], separate: boolean): string[] {
  if (separate) {
    return items.map((item) =>
      typeof item === "string" ? unwrap(item) : (textField(fieldsOf(item), COMMAND_FIELDS) ?? ""),
    );
  }
  const words = items.filter((item) => typeof item === "string");
  const [program = "", flags = "", script] = words;
  const isWrapped = words.length === 3 && SHELL.test(program) && SHELL_FLAGS.test(flags);
  if (isWrapped && script !== undefined) return [script];
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
