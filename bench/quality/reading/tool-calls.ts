/** What each agent's own tools do to files, and the command lines that they run. */
import { type FileAct, type Operation, patchFiles } from "./shell-files.ts";

/** One call, as its agent recorded it. */
export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input where it is free text. */
  readonly text: string;
  /** What came back; `undefined` when nothing was recorded. */
  readonly output: string | undefined;
  readonly isError: boolean;
}

/** What a call is, in plain terms. */
export interface CallReading {
  readonly acts: readonly FileAct[];
  readonly commands: readonly string[];
  /** Where the commands ran, if the call says so. */
  readonly directory?: string;
  /** The file that the tool has open from now on (SWE-agent). */
  readonly opens?: string;
  /** POSIX shells are read; of others only the command counts. */
  readonly shell: "posix" | "other" | "none";
}

const NOTHING: CallReading = { acts: [], commands: [], shell: "none" };

type Reader = (call: Call, openFile: string | undefined) => CallReading;

/** By the names of the tools of Claude Code, opencode, pi, Gemini CLI, Cline, OpenHands, SWE-agent. */
const READERS: readonly (readonly [RegExp, Reader])[] = [
  [/^(?:Read|read|read_file|NotebookRead|open_file)$/, (call) => onPath(call, ["read"])],
  [/^(?:read_files|read_many_files)$/, readMany],
  [/^(?:Write|write|write_file|write_to_file|create_file)$/, wrote],
  [/^(?:Edit|edit|MultiEdit|multiedit|NotebookEdit|replace|insert)$/, edited],
  [/^(?:str_replace_(?:based_edit_tool|editor)|editor)$/, edited],
  [/^(?:apply_patch|patch)$/, patched],
  [
    /^(?:[Gg]lob|[Gg]rep|ls|LS|list|grep_search|search_file_content|list_directory|[Ss]kill)$/,
    (call) => onPath(call, ["read"], false),
  ],
  [
    /^(?:[Bb]ash|exec_command|shell|run_shell_command|execute_bash|run_commands|execute_command|local_shell_call)$/,
    (call) => ran(call, "posix"),
  ],
  [/^[Pp]ower[Ss]hell$/, (call) => ran(call, "other")],
  [/^open$/, (call) => ({ ...onPath(call, ["read"]), opens: pathOf(call) })],
  [/^create$/, (call) => ({ ...wrote(call), opens: pathOf(call) })],
];

export function readCall(call: Call, openFile: string | undefined): CallReading {
  const reader = READERS.find(([name]) => name.test(call.tool))?.[1];
  const reading = reader?.(call, openFile) ?? NOTHING;
  if (reading.shell !== "none") return reading;
  // A tool that says that it failed did nothing; one that says nothing may have.
  if (call.isError) return NOTHING;
  const isSure = call.output !== undefined && !failedInWords(call.output);
  return {
    ...reading,
    acts: reading.acts.map((act) => ({ ...act, certain: act.certain && isSure })),
  };
}

/** Failures that come as an ordinary output. */
function failedInWords(output: string): boolean {
  const start = output.slice(0, 400);
  return /^\s*(?:ERROR|Error\b|Your proposed edit has introduced|No replacement|File not found|ENOENT)|"success":false|did not appear verbatim|introduced new syntax error|<type>directory/.test(
    start,
  );
}

function textIn({ input }: Call, names: readonly string[]): string | undefined {
  return names
    .map((name) => input[name])
    .find((one): one is string => typeof one === "string" && one !== "");
}

function pathOf(call: Call): string | undefined {
  return textIn(call, [
    "file_path",
    "filePath",
    "path",
    "filename",
    "notebook_path",
    "absolute_path",
  ]);
}

function onPath(call: Call, operations: readonly Operation[], certain = true): CallReading {
  const path = pathOf(call);
  return path === undefined ? NOTHING : { ...NOTHING, acts: [{ path, operations, certain }] };
}

function readMany({ input }: Call): CallReading {
  const list = [input["files"], input["paths"]].flatMap((one) => (Array.isArray(one) ? one : []));
  const paths = (list as readonly unknown[]).flatMap((one): string[] => {
    if (typeof one === "string") return [one];
    const path = (one as { path?: unknown } | null)?.path;
    return typeof path === "string" ? [path] : [];
  });
  return {
    ...NOTHING,
    acts: paths.map((path) => ({ path, operations: ["read"], certain: paths.length === 1 })),
  };
}

/** A whole file: what the tool says tells whether it is new. */
function wrote(call: Call): CallReading {
  const said = call.output?.slice(0, 300) ?? "";
  if (/\bcreated\b/i.test(said)) return onPath(call, ["created"]);
  if (/\b(?:overwrote|overwritten|has been updated)\b/i.test(said))
    return onPath(call, ["modified"]);
  return onPath(call, ["created", "modified"]);
}

function edited(call: Call, openFile: string | undefined): CallReading {
  const { input } = call;
  const command = input["command"];
  if (command === "view") return onPath(call, ["read"]);
  if (command === "create") return wrote(call);
  if (command === "undo_edit") return onPath(call, ["modified", "deleted"]);
  const path = pathOf(call) ?? openFile;
  const old = input["old_string"] ?? input["oldString"] ?? input["old_text"] ?? input["old_str"];
  const isWhole = old === "" || old === null || (call.tool === "editor" && old === undefined);
  const operations: readonly Operation[] = isWhole ? ["created", "modified"] : ["modified"];
  return path === undefined ? NOTHING : { ...NOTHING, acts: [{ path, operations, certain: true }] };
}

function patched(call: Call): CallReading {
  const patch = textIn(call, ["patchText", "input", "patch"]) ?? call.text;
  return { ...NOTHING, acts: patchFiles(patch) };
}

function ran(call: Call, shell: "posix" | "other"): CallReading {
  const { input, text } = call;
  const given = input["command"] ?? input["cmd"] ?? input["commands"] ?? text;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const lines = list.filter((one): one is string => typeof one === "string" && one.trim() !== "");
  const commands = Array.isArray(input["command"]) ? lines.slice(-1) : lines;
  const directory = textIn(call, ["workdir", "cwd", "dir_path", "directory"]);
  return { acts: [], commands, shell, directory };
}
