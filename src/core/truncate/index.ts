export { isBinaryText } from "./binary.ts";
export { checkedDirection, completeLimits, DEFAULT_LIMITS, windowBytes } from "./limits.ts";
export type { Direction, Limits } from "./limits.ts";
export { findTruncation, isTruncated } from "./marker.ts";
export type { EarlierTruncation, TruncatedBy } from "./marker.ts";
export { NOTICE_LIMITS, truncationNotice, withNotice } from "./notice.ts";
export type { NoticeTarget } from "./notice.ts";
export { checkToolLimits, commandDirection, toolLimits } from "./tool-limits.ts";
export type {
  ToolCallFacts,
  ToolLimitOptions,
  ToolLimitOverrides,
  ToolLimits,
} from "./tool-limits.ts";
export { outputLimits, truncateOutput } from "./truncate-output.ts";
export type { OutputMeta, TruncatedText, TruncateOutputMeta } from "./truncate-output.ts";
export { truncateEnds, truncateText } from "./truncate-text.ts";
export type { OutputEnds, TruncateOptions } from "./truncate-text.ts";
export type { Omitted, Truncation } from "./truncation.ts";
