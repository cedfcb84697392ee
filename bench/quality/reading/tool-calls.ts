/** What each agent's own tools do to files, and the command lines that they run. */
import { patchFiles } from "./patch.ts";
import type { FileAct, Operation } from "./shell-files.ts";

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

const READERS: Readonly<Record<string, Reader>> = {
  // Claude Code, opencode, pi, Gemini CLI, Cline
  ...each(["read", "Read", "read_file", "NotebookRead", "open_file"], (call) => looked(call)),
  ...each(["read_files", "read_many_files"], (call) => readMany(call)),
  ...each(["write", "Write", "write_file", "write_to_file", "create_file"], (call) => wrote(call)),
  ...each(["edit", "Edit", "MultiEdit", "NotebookEdit", "replace", "multiedit"], edited),
  ...each(["apply_patch", "patch"], (call) => patched(call)),
  ...each(["glob", "Glob", "grep", "Grep", "ls", "LS", "list", "grep_search"], (call) =>
    maybe(call),
  ),
  ...each(["search_file_content", "list_directory", "Skill", "skill"], (call) => maybe(call)),
  ...each(["bash", "Bash", "exec_command", "shell", "run_shell_command", "execute_bash"], (call) =>
    ran(call, "posix"),
  ),
  ...each(["run_commands", "execute_command", "local_shell_call"], (call) => ran(call, "posix")),
  ...each(["PowerShell", "powershell"], (call) => ran(call, "other")),
  // OpenHands and Anthropic's own editor
  ...each(["str_replace_editor", "str_replace_based_edit_tool", "editor"], edited),
  // SWE-agent
  open: (call) => opened(call),
  create: (call) => ({ ...wrote(call), opens: pathOf(call) ?? "" }),
  insert: edited,
};

function each(names: readonly string[], reader: Reader): Record<string, Reader> {
  return Object.fromEntries(names.map((name) => [name, reader]));
}

export function readCall(call: Call, openFile: string | undefined): CallReading {
  const reader = READERS[call.tool];
  if (reader === undefined) return NOTHING;
  const reading = reader(call, openFile);
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

function pathOf({ input }: Call): string | undefined {
  for (const key of [
    "file_path",
    "filePath",
    "path",
    "filename",
    "notebook_path",
    "absolute_path",
  ]) {
    const value = input[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function onPath(call: Call, operations: readonly Operation[], certain = true): CallReading {
  const path = pathOf(call);
  return path === undefined ? NOTHING : { ...NOTHING, acts: [{ path, operations, certain }] };
}

function looked(call: Call): CallReading {
  return onPath(call, ["read"]);
}

function maybe(call: Call): CallReading {
  return onPath(call, ["read"], false);
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
  if (command === "view") return looked(call);
  if (command === "create") return wrote(call);
  if (command === "undo_edit") return onPath(call, ["modified", "deleted"]);
  const path = pathOf(call) ?? openFile;
  const old = input["old_string"] ?? input["oldString"] ?? input["old_text"] ?? input["old_str"];
  const isWhole = old === "" || old === null || (call.tool === "editor" && old === undefined);
  const operations: readonly Operation[] = isWhole ? ["created", "modified"] : ["modified"];
  return path === undefined ? NOTHING : { ...NOTHING, acts: [{ path, operations, certain: true }] };
}

function patched({ input, text }: Call): CallReading {
  const patch = [input["patchText"], input["input"], input["patch"], text].find(
    (one): one is string => typeof one === "string" && one.includes("*** "),
  );
  return { ...NOTHING, acts: patchFiles(patch ?? "") };
}

function opened(call: Call): CallReading {
  const path = pathOf(call);
  return { ...looked(call), ...(path !== undefined && { opens: path }) };
}

function ran({ input, text }: Call, shell: "posix" | "other"): CallReading {
  const given = input["command"] ?? input["cmd"] ?? input["commands"] ?? text;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isArgv = Array.isArray(input["command"]);
  const lines = list.filter((one): one is string => typeof one === "string" && one.trim() !== "");
  const directory = [input["workdir"], input["cwd"], input["dir_path"], input["directory"]].find(
    (one): one is string => typeof one === "string" && one !== "",
  );
  return {
    acts: [],
    commands: isArgv && lines.length > 0 ? [lines.at(-1) ?? ""] : lines,
    shell,
    ...(directory !== undefined && { directory }),
  };
}
