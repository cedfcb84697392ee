import { countLines } from "../text/index.ts";
import type { EditReason, Handle } from "../message/index.ts";

/** What a placeholder says about the output it stands for. */
export interface PlaceholderFacts {
  readonly tool: string;
  /** One short line: the path, command or pattern of the call. */
  readonly input: string;
  readonly text: string;
  readonly tokens: number;
  readonly isFailed: boolean;
  readonly exitCode?: number;
  readonly reason: EditReason;
  readonly handle: Handle;
}

const ELEMENT = "tool-output-compacted";

/** How much of a failed output stays: its lines that look like errors. */
const MAX_ERROR_LINES = 8;
const MAX_ERROR_LINE_UNITS = 200;
const ERROR_LINE =
  /\b(?:error|errors|fail|failed|failure|fatal|panic|exception|traceback|denied|cannot|not found|no such|undefined|assert\w*|exit(?:ed)?(?: with)?(?: code)? \d+)\b|^E\s/i;

/**
 * The one element that stands for a pruned output. It says what there was and how to get it back
 * and nothing about the content; a failed output keeps its error lines.
 */
export function placeholder(facts: PlaceholderFacts): string {
  const attributes = [
    ["tool", facts.tool],
    ["input", facts.input],
    ["lines", String(countLines(facts.text))],
    ["tokens", String(facts.tokens)],
    ["status", status(facts)],
    ...(facts.reason === "pruned" ? [] : [["reason", facts.reason]]),
    ["recall", facts.handle],
  ];
  const open = `<${ELEMENT} ${attributes.map(([name, value]) => `${name}="${attribute(value ?? "")}"`).join(" ")}`;
  const errors = facts.isFailed ? errorLines(facts.text) : [];
  if (errors.length === 0) return `${open} />`;
  return `${open}>\n${errors.map(content).join("\n")}\n</${ELEMENT}>`;
}

/** Only what the agent recorded: that a command ended says nothing about how well. */
function status({ isFailed, exitCode }: PlaceholderFacts): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return isFailed ? "error" : "returned";
}

/** What stands in a call's input for a large field that was pruned. */
export function inputPlaceholder(text: string, handle: Handle | undefined): string {
  const recall = handle === undefined ? "the original was not kept" : `recall ${handle}`;
  return `[${countLines(text)} lines compacted; ${recall}]`;
}

/** The lines of a failed output that say what went wrong; its last lines if none looks like it. */
function errorLines(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.filter((line) => ERROR_LINE.test(line.slice(0, 1_000)));
  const chosen = telling.length > 0 ? telling.slice(0, MAX_ERROR_LINES) : lines.slice(-3);
  return chosen.map((line) => wholeSlice(line.trimEnd(), MAX_ERROR_LINE_UNITS));
}

function wholeSlice(text: string, units: number): string {
  if (text.length <= units) return text;
  const cut = (text.charCodeAt(units - 1) & 0xfc00) === 0xd800 ? units - 1 : units;
  return `${text.slice(0, cut)}…`;
}

/** Control characters have no place in an element; a line break becomes a space. */
const CONTROL = /\p{Cc}+/gu;

function attribute(value: string): string {
  return content(value.replace(/\s+/g, () => " ")).replaceAll('"', "&quot;");
}

function content(value: string): string {
  return value
    .replace(CONTROL, () => " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
