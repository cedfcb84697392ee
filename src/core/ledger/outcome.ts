import { resultText, type ToolCallPart, type ToolResultPart } from "../message/message.ts";
import { bareName } from "../calls/tool-kind.ts";
import type { CallFacts } from "../calls/index.ts";

/** The end of a tool call. */
export interface Outcome {
  readonly outcome: "ok" | "failed" | "unknown";
  readonly exitCode?: number;
}

/** Tools whose results are marked when a command fails, so that no mark means success. */
const MARKS_FAILURES = /^(Bash|PowerShell|run_commands)$/;

/** The editors of SWE-agent and OpenHands, Anthropic's and Codex' patches set no error mark … */
const EDITORS = /^(?:edit|insert|create|applypatch|strreplace[a-z]*)$/;
/** … when they did nothing, and begin so. */
const REFUSED_EDIT =
  /^(?:Your proposed edit has introduced|apply_patch verification failed|No replacement was performed|ERROR:)/;

/**
 * The end of a call, by the fields of its result: the text of an output or of a file says nothing
 * about it. Readers of transcripts set the fields from where each agent writes them. Only some
 * editors, which have no such field, are known by name and by how their own word begins.
 */
export function outcomeOf(call: ToolCallPart, facts: CallFacts, result: ToolResultPart): Outcome {
  const { exitCode } = result;
  const known = exitCode === undefined ? {} : { exitCode };
  if (result.isError === true) return { outcome: "failed", ...known };
  if (exitCode !== undefined) return { outcome: exitCode === 0 ? "ok" : "failed", exitCode };
  if (facts.kind !== "command") {
    return { outcome: isRefused(call, facts, result) ? "failed" : "ok" };
  }
  const tells = result.isError === false || MARKS_FAILURES.test(call.toolName);
  return { outcome: tells ? "ok" : "unknown" };
}

function isRefused(
  { toolName }: ToolCallPart,
  { kind }: CallFacts,
  result: ToolResultPart,
): boolean {
  if (kind === "read" || result.isError === false || !EDITORS.test(bareName(toolName)))
    return false;
  return REFUSED_EDIT.test(resultText(result));
}

const HEAD_UNITS = 400;

const FOLDER_LISTING =
  /^(?:<path>[^\n]*<\/path>\n<type>directory<\/type>|Here's the files and directories up to \d+ levels deep)/;

/**
 * A reading tool was given a folder and listed it (opencode, Anthropic's editor). A message
 * has no field for that, so the text is believed: a file that begins like a listing is left out of the
 * files that were read, which is all that it can bring about.
 */
export function isFolderListing(result: ToolResultPart): boolean {
  return FOLDER_LISTING.test(resultText(result).slice(0, HEAD_UNITS));
}

/** Writing tools of Claude Code, Gemini CLI and Anthropic's editor begin so. */
const CREATED = /^(?:File created successfully at|Successfully created and wrote to new file)/;
const OVERWRITTEN = /^(?:The file \S[^\n]* has been updated|Successfully overwrote file)/;

/**
 * A writing tool's word about its file: new, or there before; `undefined` when it does not say. It is
 * read from the text: only some agents record it elsewhere, and a message has no field for it. A tool
 * that lies changes one word of a label; that the file was written rests on the call.
 */
export function madeBy(result: ToolResultPart): "created" | "modified" | undefined {
  const text = resultText(result).slice(0, HEAD_UNITS);
  if (CREATED.test(text)) return "created";
  return OVERWRITTEN.test(text) ? "modified" : undefined;
}
