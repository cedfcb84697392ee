import { bareName } from "../calls/tool-kind.ts";
import { resultText, type ToolCallPart, type ToolResultPart } from "../message/message.ts";
import type { CallFacts } from "../calls/index.ts";

/** How a tool call ended. */
export interface Outcome {
  readonly outcome: "ok" | "failed" | "unknown";
  readonly exitCode?: number;
}

/** The place where an agent writes an exit code into its own results; no output can fake it. */
interface ExitCodeNotice {
  /** Tool names, in lower case and without separators. */
  readonly tools: RegExp;
  /** Only results that are marked as failed carry it. */
  readonly onlyFailed?: boolean;
  /** The part of the text the program wrote itself. */
  readonly where: (text: string) => string;
  readonly pattern: RegExp;
}

const HEAD_UNITS = 400;
const TAIL_UNITS = 600;

const head = (text: string): string => text.slice(0, HEAD_UNITS);
const tail = (text: string): string => text.slice(-TAIL_UNITS);
/** Codex writes a header, then `Output:`, then what the command printed. */
const codexHeader = (text: string): string => head(text).split(/^Output:/m, 1)[0] ?? "";

const CODEX =
  /^(execcommand|shell|localshell|shellcommand|containerexec|unifiedexec|applypatch|writestdin)$/;

/** First match wins. Read off recorded sessions of these agents. */
const NOTICES: readonly ExitCodeNotice[] = [
  {
    tools: CODEX,
    where: codexHeader,
    pattern: /^(?:Process exited with code|Exit code:) (-?\d+)/m,
  },
  {
    tools: CODEX,
    where: (text) => (text.startsWith('{"output":') ? tail(text) : ""),
    pattern: /"metadata":\{"exit_code":(-?\d+)[^{}]*\}\}\s*$/,
  },
  // Claude Code.
  { tools: /^(bash|powershell)$/, onlyFailed: true, where: head, pattern: /^Exit code (-?\d+)/ },
  // pi.
  {
    tools: /^bash$/,
    onlyFailed: true,
    where: tail,
    pattern: /(?:^|\n)Command exited with code (-?\d+)\s*$/,
  },
  // Gemini CLI: the notice stands among other fields after the output.
  {
    tools: /^runshellcommand$/,
    where: tail,
    pattern:
      /(?:^|\n)Exit Code: (-?\d+)(?:\n(?:Signal|Background PIDs|Process Group PGID): .*)*\s*$/,
  },
  // OpenHands 0.x and its SDK: the last notice is the program's own.
  {
    tools: /^(executebash|run|terminal)$/,
    where: tail,
    pattern:
      /\[(?:The command completed|Command finished) with exit code (-?\d+)\.?\](?![\s\S]*with exit code)/,
  },
];

/** Tools whose results are marked when a command fails, so that no mark means success. */
const MARKS_FAILURES = /^(Bash|PowerShell|run_shell_command|run_commands)$/;

/** Edit and patch tools of these agents begin so when they did nothing and set no error mark. */
const REFUSED_EDIT =
  /^(?:Your proposed edit has introduced|apply_patch verification failed|No replacement was performed|ERROR:|<tool_use_error>)/;
/** The same for reading tools, whose output could be a file that begins with such words. */
const REFUSED_READ = /^(?:<tool_use_error>[^\n]*<\/tool_use_error>|File \S+ not found\.?)$/;

/** How a call ended, by its error mark and the exit code that its agent wrote into the result. */
export function outcomeOf(call: ToolCallPart, facts: CallFacts, result: ToolResultPart): Outcome {
  const text = resultText(result);
  const exitCode = result.exitCode ?? exitCodeOf(call.toolName, text, result.isError === true);
  const known = exitCode === undefined ? {} : { exitCode };
  if (result.isError === true) return { outcome: "failed", ...known };
  if (exitCode !== undefined) return { outcome: exitCode === 0 ? "ok" : "failed", exitCode };
  if (facts.kind !== "command") return { outcome: isRefused(facts, text) ? "failed" : "ok" };
  const tells = result.isError === false || MARKS_FAILURES.test(call.toolName);
  return { outcome: tells ? "ok" : "unknown" };
}

function exitCodeOf(toolName: string, text: string, isError: boolean): number | undefined {
  const name = bareName(toolName);
  for (const { tools, onlyFailed, where, pattern } of NOTICES) {
    if (!tools.test(name) || (onlyFailed === true && !isError)) continue;
    const found = pattern.exec(where(text));
    if (found !== null) return Number(found[1]);
  }
  return undefined;
}

function isRefused({ kind }: CallFacts, text: string): boolean {
  if (kind === "read") return text.length < HEAD_UNITS && REFUSED_READ.test(text.trim());
  return (kind === "write" || kind === "edit" || kind === "delete") && REFUSED_EDIT.test(text);
}

const FOLDER_LISTING =
  /^(?:<path>[^\n]*<\/path>\n<type>directory<\/type>|Here's the files and directories up to \d+ levels deep)/;

/** A reading tool was given a folder and listed it (opencode, Anthropic's editor). */
export function isFolderListing(result: ToolResultPart): boolean {
  return FOLDER_LISTING.test(head(resultText(result)));
}

/** Writing tools of Claude Code, Gemini CLI and Anthropic's editor begin so. */
const CREATED = /^(?:File created successfully at|Successfully created and wrote to new file)/;
const OVERWRITTEN = /^(?:The file \S[^\n]* has been updated|Successfully overwrote file)/;

/** A writing tool's word about its file: new, or there before; `undefined` when it does not say. */
export function madeBy(result: ToolResultPart): "created" | "modified" | undefined {
  const text = head(resultText(result));
  if (CREATED.test(text)) return "created";
  return OVERWRITTEN.test(text) ? "modified" : undefined;
}
