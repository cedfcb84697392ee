/** The kind of a text in another encoding that does not say which. */
export const UNKNOWN_TEXT = "text that is not in UTF-8";

/** So much of an end says whether it is text; git looks at 8,000 bytes. */
const SAMPLE_UNITS = 4_096;
/** Less says nothing, unless it begins like a known format. */
const LEAST_UNITS = 64;
/**
 * The share of characters that no text has. Random bytes have half, programs a third, NULs between
 * file names 2 to 5 %.
 */
const JUNK_SHARE = 0.1;
/**
 * Without control characters it is text in some encoding. In one for Western languages that is read
 * as UTF-8, 2 to 8 % are unknown, up to 20 % of short lines, and the rest can be read; of Cyrillic,
 * Greek or Asian writing next to nothing can.
 */
const UNREADABLE_SHARE = 0.3;

// oxlint-disable-next-line no-control-regex
const JUNK = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd\ufffe\uffff]|\p{Cs}/gu;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]/;

/**
 * How formats begin, in text that was made of their bytes (as UTF-8, or one unit a byte). Bytes that
 * are no UTF-8 all look the same, so there is something else in each that no text has.
 */
// oxlint-disable no-control-regex
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^[\ufffd\x89]PNG\r?\n\x1a/, "PNG image"],
  [/^[\ufffd\xff][\ufffd\xd8][\ufffd\xff][^]{1,4}(?:JFIF|Exif|http|ICC_|Adobe|C)/, "JPEG image"],
  [/^GIF8[79]a/, "GIF image"],
  [/^RIFF[^]{4}WEBP/, "WebP image"],
  [/^RIFF[^]{4,12}WAVE/, "WAV audio"],
  [/^%PDF-/, "PDF document"],
  [/^PK[\x03\x05]/, "ZIP archive (or a document of that kind)"],
  [/^\x1f[\ufffd\x8b]/, "gzip data"],
  [/^BZh[1-9]/, "bzip2 data"],
  [/^[\ufffd\xfd]7zXZ/, "xz data"],
  [/^\x28[\ufffd\xb5]\x2f[\ufffd\xfd]/, "Zstandard data"],
  [/^7z[\ufffd\xbc][\ufffd\xaf]'\x1c/, "7z archive"],
  [/^\x7fELF/, "ELF program"],
  [/^MZ[^]{1,200}This program/, "Windows program"],
  [
    /^(?:[\ufffd\xcf][\ufffd\xfa]|[\ufffd\xca][\ufffd\xfe])[\ufffd\xed\xba][^]{0,3}[\0-\x08]/,
    "Mach-O program or Java class",
  ],
  [/^\0asm/, "WebAssembly module"],
  [/^SQLite format 3\0/, "SQLite database"],
  [/^OggS/, "Ogg audio"],
  [/^ID3[\x02-\x04]/, "MP3 audio"],
  [/^\0\0[^]{1,6}ftyp/, "MP4 video"],
  [/^[^]{250,400}\0ustar/, "tar archive"],
];
// oxlint-enable no-control-regex

/** What an end of an output is if it is not text: a hint at its type. `undefined` for text. */
export function binaryKind(text: string, end: "start" | "end"): string | undefined {
  const isStart = end === "start" || text.length <= SAMPLE_UNITS;
  const sample = isStart ? text.slice(0, SAMPLE_UNITS) : text.slice(-SAMPLE_UNITS);
  const junk = sample.match(JUNK)?.length ?? 0;
  if (junk === 0) return undefined;
  const known = isStart ? SIGNATURES.find(([pattern]) => pattern.test(sample))?.[1] : undefined;
  if (known !== undefined) return known;
  const hasControls = CONTROL.test(sample);
  const most = sample.length * (hasControls ? JUNK_SHARE : UNREADABLE_SHARE);
  if (sample.length < LEAST_UNITS || junk < most) return undefined;
  if (isUtf16(sample)) return "text in UTF-16";
  return hasControls ? "binary data" : UNKNOWN_TEXT;
}

/** Whether a text begins like something that is no text at all. */
export function isBinaryText(text: string): boolean {
  return binaryKind(text, "start") !== undefined;
}

/** Every other character of Western text in UTF-16 is a NUL. */
function isUtf16(sample: string): boolean {
  let pairs = 0;
  for (let at = 3; at < sample.length; at += 2) {
    if ((sample[at] === "\0") !== (sample[at - 1] === "\0")) pairs++;
  }
  return pairs > sample.length * 0.4;
}
