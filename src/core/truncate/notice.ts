import { originalAttribute } from "../message/handle.ts";
import { openTag, tagValue } from "../text/markup.ts";
import { isWindowsPath, posixWord } from "../text/shell.ts";
import { UNKNOWN_TEXT } from "./binary.ts";
import type { Limits } from "./limits.ts";
import { NOTICE_ELEMENT } from "./marker.ts";
import type { Truncation } from "./truncation.ts";
import type { Cleaning } from "../text/terminal.ts";

/** The place of the whole output; with nothing set it was not kept. */
export interface NoticeTarget {
  /** A plain file that the agent's own tools can open. */
  readonly path?: string;
  /** The name under which an archive has it. */
  readonly handle?: string;
  /** Whether the agent has the tool `recall`. @default true */
  readonly recall?: boolean;
  /** Why it was not kept, or not all of it. */
  readonly notKept?: string;
}

/** The most that a notice adds, where a path has at most 1,000 bytes and none that must be quoted. */
export const NOTICE_LIMITS: Limits = { maxLines: 16, maxBytes: 8_000 };

/** The rest is shown in pieces of this size by the command that the notice names. */
const NEXT_LINES = 200;
const NEXT_BYTES = 20_000;
const REASON_UNITS = 300;

/**
 * The element that stands below a truncated output: it says, as an instruction, which part is
 * above, where the rest is, and what to run to see more of it. Empty for an output that was not
 * truncated. The same truncation and target give the same text.
 */
export function truncationNotice(truncation: Truncation, target: NoticeTarget = {}): string {
  if (!truncation.isTruncated) return "";
  const { total, kept } = truncation;
  const tag = openTag(NOTICE_ELEMENT, {
    lines: total.lines,
    bytes: total.bytes,
    "kept-lines": kept.lines,
    "kept-bytes": kept.bytes,
    file: target.path,
    ...originalAttribute(target.handle, target.recall),
  });
  const lines = [
    `${tag}>`,
    shownPart(truncation),
    ...cleaningLine(truncation.cleaning),
    ...errorPart(truncation),
    ...wherePart(truncation, target),
    `</${NOTICE_ELEMENT}>`,
  ];
  return lines.join("\n");
}

/** A kept text and its notice, one below the other. */
export function withNotice(truncation: Truncation, target: NoticeTarget = {}): string {
  if (!truncation.isTruncated) return truncation.text;
  const { text } = truncation;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}${truncationNotice(truncation, target)}`;
}

function content(value: string): string {
  return tagValue(value)
    .replaceAll("<tool-output", "&lt;tool-output")
    .replaceAll("</tool-output", "&lt;/tool-output");
}

function shownPart(truncation: Truncation): string {
  const { kept, total, omitted, binary } = truncation;
  if (binary !== undefined) {
    return `The output is not text (${binary}, ${size(total.bytes)}), so nothing of it is shown.`;
  }
  const sizes = `${size(kept.bytes)} of ${size(total.bytes)}`;
  if (omitted === undefined) return `The whole output is above (${sizes}).`;
  return `${partName(truncation)} (${sizes}).`;
}

function partName(truncation: Truncation): string {
  const { direction, total, kept, isLineCut } = truncation;
  const ofAll = total.lines === undefined ? "" : ` of ${total.lines}`;
  const cut = isLineCut ? ", and of a long line only a part" : "";
  if (direction === "head") {
    return `Only the start of the output is above: ${lineRange(1, kept.lines)}${ofAll}${cut}`;
  }
  if (direction === "both") {
    return `Only the start and the end of the output are above: ${lineCount(kept.lines)}${ofAll}${cut}`;
  }
  const first = total.lines === undefined ? undefined : total.lines - kept.lines + 1;
  const lines =
    first === undefined
      ? `the last ${lineCount(kept.lines)}`
      : `${lineRange(first, first + kept.lines - 1)}${ofAll}`;
  return `Only the end of the output is above: ${lines}${cut}`;
}

function lineCount(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

function lineRange(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

function cleaningLine(cleaning: Cleaning | undefined): string[] {
  if (cleaning === undefined) return [];
  const changes = [
    cleaning.escapes > 0 && "colours and other escape sequences are left out",
    cleaning.overwritten > 0 &&
      "of lines that were overwritten (\\r, \\b) only the last state is shown",
    cleaning.controls > 0 && "control characters are shown as symbols (NUL as ␀)",
    cleaning.invalid > 0 && `${cleaning.invalid} pieces that are not UTF-8 are shown as \ufffd`,
  ].filter((change) => change !== false);
  if (changes.length === 0) return [];
  return [`In the part above ${changes.join("; ")}.`];
}

function errorPart({ omitted }: Truncation): string[] {
  const errors = omitted?.errors;
  if (errors === undefined) return [];
  const count = `${errors.isPartial ? "At least " : ""}${errors.count} of the lines left out`;
  const looks = errors.count === 1 ? "looks like an error" : "look like errors";
  const named = errors.first.map(
    ({ line, text }) => `  ${line === undefined ? "" : `${line}: `}${content(text)}`,
  );
  return [`${count} ${looks}${errors.count > named.length ? "; the first" : ""}:`, ...named];
}

function wherePart(
  truncation: Truncation,
  { path, handle, recall, notKept }: NoticeTarget,
): string[] {
  const reason = notKept && content(notKept.slice(0, REASON_UNITS));
  if (path === undefined && handle === undefined) {
    const why = reason === undefined ? "" : ` (${reason})`;
    return [
      `The rest was not kept${why}. If you need it, run the tool again so that it prints less, or send its output to a file.`,
    ];
  }
  const missing = reason === undefined ? [] : [`Not all of it was kept: ${reason}.`];
  if (path === undefined) return [...missing, archivedPart(truncation, handle ?? "", recall)];
  const whole = reason === undefined ? "The whole output is" : "What was kept is";
  const orRecall = handle === undefined || recall === false ? "" : `, or recall ${handle}`;
  const how =
    truncation.binary === undefined
      ? `read or grep a part of that file${orRecall}`
      : "use a program for its type";
  return [
    ...missing,
    `${whole} in ${tagValue(path)}. Do not run the tool again to see more: ${how}. For example:`,
    ...nextCommands(truncation, tagValue(path)).map((command) => `  ${command}`),
  ];
}

/** The place of a rest that no tool of the agent can open. */
function archivedPart(truncation: Truncation, handle: string, recall = true): string {
  if (!recall) return `The rest is archived as ${handle}.`;
  const range = nextRange(truncation);
  const example = range === undefined ? "" : `, for example its lines ${range.join(" to ")}`;
  return `The rest is archived. Do not run the tool again to see more: recall ${handle}${example}.`;
}

/** The lines next to what is shown. */
function nextRange({ direction, omitted, isLineCut }: Truncation): [number, number] | undefined {
  const { fromLine, toLine } = omitted ?? {};
  if (fromLine === undefined || isLineCut) return undefined;
  if (direction !== "tail")
    return [fromLine, Math.min(toLine ?? Infinity, fromLine + NEXT_LINES - 1)];
  return toLine === undefined ? undefined : [Math.max(1, toLine - NEXT_LINES + 1), toLine];
}

/** The programs are those of the system that the path is from. */
function nextCommands(truncation: Truncation, path: string): string[] {
  return isWindowsPath(path)
    ? powershellCommands(truncation, `'${path.replaceAll("'", "''")}'`)
    : posixCommands(truncation, posixWord(path));
}

function powershellCommands(truncation: Truncation, path: string): string[] {
  const { binary, isLineCut, omitted } = truncation;
  const { fromByte = 0 } = omitted ?? {};
  const read = `Get-Content ${path}`;
  const [first = 0, last = 0] = nextRange(truncation) ?? [];
  if (binary !== undefined) return [`Format-Hex ${path}`];
  return [
    last > 0
      ? `${read} | select -Skip ${first - 1} -First ${last - first + 1}`
      : isLineCut
        ? `-join (${read} -Raw)[${fromByte}..${fromByte + NEXT_BYTES}]`
        : `${read} -Tail ${NEXT_LINES}`,
    `Select-String PATTERN ${path}`,
  ];
}

function posixCommands(truncation: Truncation, path: string): string[] {
  const { binary, omitted, cleaning, kept } = truncation;
  if (binary !== undefined) return binaryCommands(binary, path);
  const search = `grep -n PATTERN ${path}`;
  if (omitted === undefined) return [search];
  const isProgress = (cleaning?.overwritten ?? 0) > 0 && kept.lines < NEXT_LINES;
  if (isProgress) return [`tr '\\r' '\\n' < ${path} | tail -n ${NEXT_LINES}`, search];
  const range = nextRange(truncation);
  if (range !== undefined) return [`sed -n '${range[0]},${range[1]}p' ${path}`, search];
  if (truncation.isLineCut) return byteCommands(truncation, path);
  return [`tail -n ${kept.lines + NEXT_LINES} ${path} | head -n ${NEXT_LINES}`, search];
}

/** Lines are no help where one of them is longer than everything that may be shown. */
function byteCommands({ direction, omitted }: Truncation, path: string): string[] {
  const { bytes = 0, fromByte = 0 } = omitted ?? {};
  const from = direction === "tail" ? Math.max(0, bytes - NEXT_BYTES) : fromByte;
  return [
    `tail -c +${from + 1} ${path} | head -c ${NEXT_BYTES}`,
    `grep -o '.\\{0,80\\}PATTERN.\\{0,80\\}' ${path}`,
  ];
}

function binaryCommands(kind: string, path: string): string[] {
  const read = `iconv -f WINDOWS-1252 -t UTF-8 ${path} | head -n ${NEXT_LINES}`;
  return [`file ${path}`, kind === UNKNOWN_TEXT ? read : `xxd -l 256 ${path}`];
}

const KILO = 1_000;

/** A size as people write it: 812 bytes, 49.8 KB, 1.2 GB (powers of 1,000). */
function size(bytes: number): string {
  if (bytes < KILO) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / KILO;
  let unit = 0;
  while (value >= KILO && unit < units.length - 1) {
    value /= KILO;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit] ?? ""}`;
}
