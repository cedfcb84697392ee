/** Counts the tokens of a text; an integer >= 0. */
export type CountTokens = (text: string) => number;

/** Terminal sequences: CSI, OSC (ended by BEL or ST, never past its line), and the short ones. */
// oxlint-disable no-control-regex -- they are made of control characters
const ANSI =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-Z^-~]/g;
// oxlint-enable no-control-regex
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
const LONE_SURROGATE = /\p{Cs}/gu;
/** What may not be separated from the character before it. */
const EXTENDS = /^(?:\p{M}|\p{Emoji_Modifier}|[\u200d\u{e0020}-\u{e007f}])/u;
const REGIONAL_INDICATOR = /^[\u{1f1e6}-\u{1f1ff}]/u;
/** No character that people write is longer; a run of marks beyond it may be cut. */
const LONGEST_CHARACTER = 32;

/**
 * A text as it may stand in a summary: without terminal sequences and control characters (tabs and
 * line breaks stay), with `\n` line breaks, well-formed, without blank lines around it.
 */
export function cleanText(text: string): string {
  const clean = CLEAN.test(text) || !SUSPECT.test(text) ? text : withoutControls(text);
  return clean.replace(/^\n+/, "").trimEnd();
}

/** Nearly every text is clean as it is; that is seen in one look. */
const CLEAN = /^[\t\n -~]*$/;

/** Without any of these there is nothing to clean; halves of pairs are mostly whole pairs. */
// oxlint-disable-next-line no-control-regex -- they are looked for
const SUSPECT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/;

function withoutControls(text: string): string {
  return text
    .replace(ANSI, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROLS, "")
    .replace(LONE_SURROGATE, "\ufffd");
}

/** A text on one line, clean, with single spaces. */
export function oneLine(text: string): string {
  return ONE_LINE.test(text) ? text : cleanText(text).replace(/\s+/g, " ").trim();
}

/** Most texts on one line are clean as they are. */
const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** The start of a text, at most `length` UTF-16 units with the mark `…`. */
export function clipStart(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, safeCut(text, length - 1)).trimEnd()}…`;
}

/**
 * The longest start of a text with at most this many tokens, as its length in UTF-16 units; never
 * inside a character.
 */
export function lengthWithin(text: string, tokens: number, count: CountTokens): number {
  const fits = (length: number): boolean => count(text.slice(0, length)) <= tokens;
  let low = 0;
  let high = 64;
  while (high < text.length && fits(high)) [low, high] = [high, high * 2];
  high = Math.min(high, text.length);
  if (fits(high)) return safeCut(text, high);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return safeCut(text, low);
}

/** The last place at or before `at` where a text may be cut without splitting a character. */
export function safeCut(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  let cut = at;
  while (cut > 0 && at - cut < LONGEST_CHARACTER && !isBoundary(text, cut)) cut--;
  if (cut === 0 || isBoundary(text, cut)) return cut;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function isBoundary(text: string, at: number): boolean {
  if (isLowSurrogate(text, at)) return false;
  const next = text.slice(at, at + 2);
  if (EXTENDS.test(next) || text[at - 1] === "\u200d") return false;
  return !REGIONAL_INDICATOR.test(next) || regionalIndicatorsBefore(text, at) % 2 === 0;
}

function regionalIndicatorsBefore(text: string, at: number): number {
  let flags = 0;
  while (flags < LONGEST_CHARACTER && REGIONAL_INDICATOR.test(text.slice(at - 2, at))) {
    flags++;
    at -= 2;
  }
  return flags;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** One line of text as inline code, fenced with more backticks than it has in a row. */
export function codeSpan(text: string): string {
  if (!text.includes("`")) return `\`${text}\``;
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  const padding = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** What a line that starts with inline code says: the code and the rest of the line. */
export function leadingSpan(line: string): { text: string; rest: string } | undefined {
  const fence = /^`+/.exec(line)?.[0];
  if (fence === undefined) return undefined;
  for (const run of line.slice(fence.length).matchAll(/`+/g)) {
    if (run[0] !== fence) continue;
    const end = fence.length + run.index;
    return { text: spanText(line.slice(fence.length, end)), rest: line.slice(end + fence.length) };
  }
  return undefined;
}

/** The texts of all inline code in a line. */
export function codeSpans(line: string): readonly string[] {
  const spans: string[] = [];
  for (let at = line.indexOf("`"); at >= 0; at = line.indexOf("`")) {
    const span = leadingSpan(line.slice(at));
    if (span === undefined) break;
    spans.push(span.text);
    line = span.rest;
  }
  return spans;
}

/** Undoes the padding of {@link codeSpan}, which only code that starts or ends with a backtick has. */
function spanText(code: string): string {
  const padded =
    code.startsWith(" ") && code.endsWith(" ") && (code[1] === "`" || code.at(-2) === "`");
  return padded ? code.slice(1, -1) : code;
}
