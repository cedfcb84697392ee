export { endWithin, partEnd, partStart, safeEnd, safeStart, startWithin } from "./boundary.ts";
export { cleanText, oneLine, showControls, withoutEscapes } from "./clean.ts";
export { addCleaning, isDirty, NO_CLEANING, terminalText } from "./terminal.ts";
export type { Cleaning } from "./terminal.ts";
export { clip, clipLine, headWithin, tailWithin } from "./clip.ts";
export type { ClipOptions, CountTokens, TextSize } from "./clip.ts";
export {
  ERROR_SCAN_UNITS,
  failureLines,
  findErrorLines,
  NAMED_ERRORS,
  toldLines,
} from "./errors.ts";
export type { ErrorLine, ErrorLines } from "./errors.ts";
export { fieldsOf, isRecord, toJson } from "./json.ts";
export type { Fields } from "./json.ts";
export { attributeIn, openTag, tagText, tagValue } from "./markup.ts";
export {
  countLineEnds,
  countLines,
  decodeUtf8,
  dropPartialEnd,
  isHigh,
  isWellFormed,
  lineEnds,
  skipPartialStart,
  utf8Length,
} from "./utf8.ts";
export type { Decoded } from "./utf8.ts";
