import { isHandle, type Handle } from "../message/handle.ts";
import { attributeIn } from "../text/markup.ts";

/** The element that ends a truncated output. */
export const NOTICE_ELEMENT = "tool-output-truncated";

/** The element that ends what comes out of an archive: cut again, it would go round in a circle. */
export const RESULT_ELEMENT = "archive-result";

/** The program that truncated an output before it came to us. */
export type TruncatedBy = "longhaul" | "claude-code" | "opencode" | "pi" | "codex" | "copilot-cli";

/** The account that a truncated output gives of itself. */
export interface EarlierTruncation {
  readonly by: TruncatedBy;
  /** The place that it names for the whole output. */
  readonly path?: string;
  readonly handle?: Handle;
}

/** Markers stand at the start or at the end; nothing else of a text is looked at. */
const EDGE_UNITS = 8_192;
/** Codex names what it left out in the middle of a text that has about so many characters. */
const MIDDLE_UNITS = 100_000;

/** The marker of an earlier truncation in a text; `undefined` if it has none. */
export function findTruncation(text: string): EarlierTruncation | undefined {
  const start = text.slice(0, EDGE_UNITS);
  const end = text.slice(-EDGE_UNITS);
  const own = ownNotice(end, NOTICE_ELEMENT) ?? ownNotice(end, RESULT_ELEMENT);
  return own ?? foreignMarker(start, end) ?? codexMarker(text, start);
}

/** Whether a text is what a truncation left, ours or another tool's: such a text is not cut again. */
export function isTruncated(text: string): boolean {
  return findTruncation(text) !== undefined;
}

function ownNotice(end: string, element: string): EarlierTruncation | undefined {
  const tail = `</${element}>`;
  // A search from the end takes ten times as long, and hardly any output has one.
  const close = end.includes(tail) ? end.lastIndexOf(tail) : -1;
  const open = close < 0 ? -1 : end.lastIndexOf(`<${element} `, close);
  if (open < 0) return undefined;
  const tag = end.slice(open, end.indexOf(">", open));
  const path = attributeIn(tag, "file");
  const handle = attributeIn(tag, "recall") ?? attributeIn(tag, "archived");
  return {
    by: "longhaul",
    path,
    handle: handle !== undefined && isHandle(handle) ? handle : undefined,
  };
}

interface Marker {
  readonly by: TruncatedBy;
  readonly edge: "start" | "end";
  /** The pattern of the marker; a group is the path. */
  readonly pattern: RegExp;
  /** Words of it: a pattern for any line is tried on every one, which takes much longer. */
  readonly words?: string;
}

/** As the tools write them; each pattern is a whole line or more, so that prose is not meant. */
const MARKERS: readonly Marker[] = [
  {
    by: "claude-code",
    edge: "start",
    pattern:
      /^\s*<persisted-output>\s*Output too large \([^)\n]+\)\. Full output saved to: ([^\n]+)\n/,
  },
  {
    by: "opencode",
    edge: "end",
    words: "output was truncated",
    pattern:
      /^\.\.\.\d+ (?:bytes|lines) truncated\.\.\.\n\s*The tool call succeeded but the output was truncated\. Full output saved to: ([^\n]+)/m,
  },
  {
    by: "opencode",
    edge: "start",
    pattern: /^\s*\.\.\.output truncated\.\.\.\n\s*Full output saved to: ([^\n]+)/,
  },
  {
    by: "pi",
    edge: "end",
    words: "[Showing ",
    pattern:
      /^\[Showing (?:lines \d+-\d+ of \d+|last [\d.]+ ?[KM]?B of line \d+)[^\n]*?(?:Full output: ([^\n]+)|Use offset=\d+ to continue)\.?\]\s*$/m,
  },
  {
    by: "copilot-cli",
    edge: "start",
    pattern: /^\s*Output too large to read at once \([^)\n]+\)\. Saved to: ([^\n]+)\n/,
  },
];

function foreignMarker(start: string, end: string): EarlierTruncation | undefined {
  for (const { by, edge, pattern, words = "" } of MARKERS) {
    const text = edge === "start" ? start : end;
    const found = text.includes(words) ? pattern.exec(text) : null;
    if (found === null) continue;
    return { by, path: found[1]?.trim() };
  }
  return undefined;
}

/** A header with the number of lines, and somewhere the number of tokens that are missing. */
function codexMarker(text: string, start: string): EarlierTruncation | undefined {
  if (!start.includes("Total output lines")) return undefined;
  if (!/^Total output lines: \d+$/m.test(start) || text.length > MIDDLE_UNITS) return undefined;
  return /…\d+ (?:tokens|chars) truncated…/.test(text) ? { by: "codex" } : undefined;
}
