export { safeEnd, safeStart } from "./boundary.ts";
export { cleanText, oneLine, withoutEscapes } from "./clean.ts";
export { terminalText } from "./terminal.ts";
export type { Cleaning } from "./terminal.ts";
export { clip, clipLine, headWithin, tailWithin } from "./clip.ts";
export type { ClipOptions, CountTokens, TextSize } from "./clip.ts";
export { failureLines, findErrorLines, toldLines } from "./errors.ts";
export type { ErrorLine, ErrorLines } from "./errors.ts";
export { toJson } from "./json.ts";
export type { Fields } from "./json.ts";
export { attributeIn, openTag } from "./markup.ts";
export {
  countLineEnds,
  countLines,
  decodeUtf8,
  dropPartialEnd,
  isWellFormed,
  skipPartialStart,
  utf8Length,
} from "./utf8.ts";
export type { Decoded } from "./utf8.ts";
