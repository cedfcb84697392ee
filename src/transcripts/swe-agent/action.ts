/** The tool and the arguments that an action in the text of a reply amounts to. */
export interface ActionCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const OPEN = /^open\s+("[^"]+"|\S+)(?:\s+(\d+))?\s*$/;
const CREATE = /^create\s+("[^"]+"|\S+)\s*$/;
const EDIT = /^edit\s+(\d+):(\d+)[ \t]*\r?\n([\s\S]*?)\n?end_of_edit$/;
/** Pseudo-actions that the agent writes itself when it stops: `exit_cost`, `exit_context`, … */
const EXIT = /^exit_\w+$/;

/**
 * Actions of SWE-agent 0.x are lines for a shell that knows some editor commands. Those that name
 * or change a file get the tool name and arguments that 1.x gives them; all others are shell
 * commands: `bash` with `command`. An `edit` names no file, it means the one that is open.
 */
export function actionCall(action: string, openFile: string | undefined): ActionCall {
  const created = CREATE.exec(action);
  if (created?.[1] !== undefined) {
    return { toolName: "create", input: { filename: unquoted(created[1]) } };
  }
  const opened = OPEN.exec(action);
  if (opened?.[1] !== undefined) {
    const line = opened[2] === undefined ? {} : { line_number: Number(opened[2]) };
    return { toolName: "open", input: { path: unquoted(opened[1]), ...line } };
  }
  const edited = EDIT.exec(action);
  if (edited !== null) return { toolName: "edit", input: editInput(edited, openFile) };
  if (EXIT.test(action)) return { toolName: action, input: {} };
  return { toolName: "bash", input: { command: action } };
}

function editInput(match: RegExpExecArray, openFile: string | undefined): ActionCall["input"] {
  const range = { start_line: Number(match[1]), end_line: Number(match[2]), text: match[3] ?? "" };
  return openFile === undefined ? range : { path: openFile, ...range };
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text;
}
