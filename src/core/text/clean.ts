/**
 * One escape sequence: CSI (7 and 8 bit), a string (OSC, DCS, SOS, PM, APC) with its end, or two
 * characters. Nothing here crosses a line end, and no class holds what begins a sequence, so that
 * a search takes linear time.
 */
// oxlint-disable no-control-regex -- they are made of control characters
export const ESCAPE: RegExp =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;

/** Control characters but for tabs, line ends and carriage returns. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
/** Nearly every text is clean as it is; that is seen in one look. */
const CLEAN = /^[\t\n -~]*$/;
/** Without any of these there is nothing to clean; halves of pairs are mostly whole pairs. */
const SUSPECT = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/;
/** Characters that some readers take for the end of a line. */
const LINE_END = /\r\n?|[\x85\u2028\u2029]/g;
/** Characters that show all that follows in another order. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;
// oxlint-enable no-control-regex
const LONE_SURROGATE = /\p{Cs}/gu;
/** Most texts on one line are clean as they are. */
const ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** A text without colours, cursor movements, titles and links. */
export function withoutEscapes(text: string): string {
  return text.includes("\x1b") || text.includes("\x9b") ? text.replace(ESCAPE, "") : text;
}

/**
 * A text as it may stand in a document: without terminal sequences and control characters (tabs and
 * line breaks stay), with `\n` line breaks, in the order in which it is read, well-formed, without blank lines around it.
 */
export function cleanText(text: string): string {
  const clean = CLEAN.test(text) || !SUSPECT.test(text) ? text : withoutControls(text);
  return clean.replace(/^\n+/, "").trimEnd();
}

function withoutControls(text: string): string {
  const lines = withoutEscapes(text).replace(LINE_END, "\n");
  return wellFormed(lines.replace(CONTROL, "").replace(BIDI, ""));
}

/** A text on one line, clean, with single spaces and none around it. */
export function oneLine(text: string): string {
  if (ONE_LINE.test(text)) return text;
  return wellFormed(
    withoutEscapes(text)
      .replace(/[\s\p{Cc}]+/gu, " ")
      .replace(BIDI, "")
      .trim(),
  );
}

/** A text whose control characters are shown by their pictures; tabs and line ends stay. */
export function showControls(text: string, onEach?: () => void): string {
  return text.replace(CONTROL, (control) => {
    onEach?.();
    return picture(control);
  });
}

/** U+2400 and up are pictures of the control characters; those above 0x7f have none. */
function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/** A text whose halves of surrogate pairs are U+FFFD: no provider and no store takes them. */
export function wellFormed(text: string, onEach?: () => void): string {
  return text.replace(LONE_SURROGATE, () => {
    onEach?.();
    return "\ufffd";
  });
}
