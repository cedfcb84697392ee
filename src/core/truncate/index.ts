export {
  commandDirection,
  DEFAULT_LIMITS,
  outputLimits,
  toolLimits,
  windowBytes,
} from "./limits.ts";
export type {
  Direction,
  Limits,
  OutputMeta,
  ToolCallFacts,
  ToolLimitOptions,
  ToolLimitOverrides,
  ToolLimits,
} from "./limits.ts";
export { findTruncation, isTruncated } from "./marker.ts";
export type { EarlierTruncation, TruncatedBy } from "./marker.ts";
export { NOTICE_LIMITS, truncationNotice, withNotice } from "./notice.ts";
export type { NoticeTarget } from "./notice.ts";
export { truncateEnds, truncateOutput, truncateText } from "./truncate-output.ts";
export type {
  OutputEnds,
  TruncatedText,
  TruncateOptions,
  TruncateOutputMeta,
} from "./truncate-output.ts";
export type { Omitted, Truncation } from "./truncation.ts";
