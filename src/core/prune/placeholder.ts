import { patchHeaders } from "../calls/file-access.ts";
import { clip } from "../text/clip.ts";
import { countLines } from "../text/utf8.ts";
import { failureLines, toldLines } from "../text/errors.ts";
import { oneLine } from "../text/clean.ts";
import { openTag, tagText } from "../text/markup.ts";
import { namedOriginal, originalAttribute } from "../message/handle.ts";
import { mediaNames } from "../message/media-names.ts";
import { outputText } from "../message/message.ts";
import type { EditReason, Handle, OutputPart } from "../message/index.ts";

/** Everything a placeholder says about the output it stands for. */
export interface PlaceholderFacts {
  readonly tool: string;
  /** One short line: the path, command or pattern of the call. */
  readonly input: string;
  readonly output: readonly OutputPart[];
  readonly tokens: number;
  readonly isFailed: boolean;
  readonly exitCode?: number;
  readonly reason: EditReason;
  /** Absent for a reader that cannot recall. */
  readonly handle: Handle | undefined;
  /** @default "tool" */
  readonly recall?: boolean;
}

const ELEMENT = "tool-output-compacted";

/** The part of a failed output that stays: its lines that look like errors. */
const MAX_ERROR_LINES = 8;
const MAX_ERROR_LINE_UNITS = 200;
/**
 * The one element that stands for a pruned output. It says what there was and how to get it back
 * and nothing about the content; a failed output keeps its error lines.
 */
export function placeholder(facts: PlaceholderFacts): string {
  const text = outputText(facts.output);
  const { named } = mediaNames(facts.output);
  const open = openTag(ELEMENT, {
    tool: facts.tool,
    input: oneLine(facts.input),
    // An image has no lines.
    lines: text === "" && named !== "" ? undefined : countLines(text),
    media: named || undefined,
    tokens: facts.tokens,
    status: status(facts),
    reason: facts.reason === "pruned" ? undefined : facts.reason,
    ...originalAttribute(facts.handle, facts.recall),
  });
  const errors = facts.isFailed ? errorLines(text) : [];
  if (errors.length === 0) return `${open} />`;
  return `${open}>\n${errors.map(tagText).join("\n")}\n</${ELEMENT}>`;
}

/** Only what the agent recorded: that a command ended says nothing about how well. */
function status({ isFailed, exitCode }: PlaceholderFacts): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return isFailed ? "error" : "returned";
}

/**
 * The text in a call's input for a large field that was pruned; `where` tells of the original. A
 * patch goes on naming its files.
 */
export function inputPlaceholder(
  text: string,
  where: Handle | "not kept" | undefined,
  recall?: boolean,
): string {
  const isKept = where !== undefined && where !== "not kept";
  const note = isKept ? namedOriginal(where, recall) : "the original was not kept";
  const mark = `[${countLines(text)} lines compacted${where === undefined ? "" : `; ${note}`}]`;
  return [...patchHeaders(text), mark].join("\n");
}

/** The lines of a failed output that say what went wrong; its last lines if none looks like it. */
function errorLines(text: string): readonly string[] {
  const telling = failureLines(text, MAX_ERROR_LINES, MAX_ERROR_LINE_UNITS);
  if (telling.length > 0) return telling;
  const last = toldLines(text).slice(-3);
  return last.map((line) => clip(line, { length: MAX_ERROR_LINE_UNITS }));
}
