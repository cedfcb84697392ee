/** The kind of a text in another encoding that does not say which. */
export const UNKNOWN_TEXT = "text that is not in UTF-8";

/** The sample of an end; git looks at 8,000 bytes. */
const SAMPLE_UNITS = 4_096;
/** So few characters that no text has say nothing. */
const LEAST_JUNK = 8;
/** Random bytes have a half of such characters, programs a third, NULs between names of files 2 to 8 %. */
const JUNK_SHARE = 0.1;
/** Western text in another encoding has up to 20 % of unknown characters and can be read; Cyrillic cannot. */
const UNREADABLE_SHARE = 0.3;

// oxlint-disable no-control-regex
const CONTROL = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]/;
const JUNK = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd\ufffe\uffff]|\p{Cs}/gu;
// oxlint-enable no-control-regex

/** The kind of an end of an output that is no text; `undefined` for text. */
export function binaryKind(text: string, end: "head" | "tail"): string | undefined {
  const sample = end === "head" ? text.slice(0, SAMPLE_UNITS) : text.slice(-SAMPLE_UNITS);
  const junk = sample.match(JUNK)?.length ?? 0;
  if (junk < LEAST_JUNK) return undefined;
  const hasControls = CONTROL.test(sample);
  if (junk < sample.length * (hasControls ? JUNK_SHARE : UNREADABLE_SHARE)) return undefined;
  return hasControls ? "binary data" : UNKNOWN_TEXT;
}

export function isBinaryText(text: string): boolean {
  return binaryKind(text, "head") !== undefined;
}
