import { countLines, utf8Length } from "../../../src/core/text/utf8.ts";
import { type Limits, type Truncation } from "../../../src/core/truncate/index.ts";

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Cs}/u;

/** What is wrong with a truncation, whatever the output was; empty when nothing is. */
export function truncationFaults(truncation: Truncation, limits: Limits): string[] {
  const { text, total, kept, omitted, isTruncated } = truncation;
  const bytes = Buffer.byteLength(text);
  const lines = countLines(text);
  const faults = [
    isTruncated && bytes > limits.maxBytes && `${bytes} bytes`,
    isTruncated && lines > limits.maxLines && `${lines} lines`,
    utf8Length(text) !== bytes && "utf8Length is wrong",
    isTruncated && CONTROL.test(text) && "control characters or half a pair",
    total.bytes > 0 && text === "" && "nothing to see",
    kept.bytes > bytes && "more kept than there is",
    // A last line of nothing but escape sequences is kept and cannot be seen.
    total.lines !== undefined && kept.lines > total.lines && "more lines kept than there were",
    kept.lines > lines + 1 && "more lines kept than there are",
    omitted !== undefined && omitted.bytes > total.bytes && "more omitted than there was",
    omitted?.toLine !== undefined && omitted.toLine < (omitted.fromLine ?? 1) && "an empty range",
  ];
  return faults.filter((fault) => fault !== false);
}
