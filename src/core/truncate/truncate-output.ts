import { type NoticeTarget, withNotice } from "./notice.ts";
import {
  type ToolCallFacts,
  type ToolLimitOptions,
  type ToolLimitOverrides,
  type ToolLimits,
  toolLimits,
} from "./tool-limits.ts";
import { truncateText } from "./truncate-text.ts";
import type { Truncation } from "./truncation.ts";

/** What is known of an output that is to be truncated; limits set here are above all others. */
export interface OutputMeta extends ToolCallFacts, ToolLimitOptions {
  /** The tool that printed it: decides about limits and direction where nothing else is said. */
  readonly toolName?: string;
}

export interface TruncateOutputMeta extends OutputMeta {
  /** Where the whole output is, or will be; without it the notice says that it was not kept. */
  readonly target?: NoticeTarget;
}

export interface TruncatedText {
  /** What goes to the model: the output as it is, or the kept part with its notice. */
  readonly text: string;
  readonly truncation: Truncation;
  /** The whole output, where it was truncated: store it before it is forgotten. */
  readonly original?: string;
}

/**
 * T15 for one output, without any effect: at most 2,000 lines and 50,000 bytes of UTF-8 stay (by
 * default), and a notice that says how to see the rest. An output that fits or was truncated before
 * comes back as it is. Throws `invalid-options` for limits that leave nothing.
 */
export function truncateOutput(output: string, meta: TruncateOutputMeta = {}): TruncatedText {
  const truncation = truncateText(output, outputLimits(meta));
  if (!truncation.isTruncated) return { text: output, truncation };
  return { text: withNotice(truncation, meta.target), truncation, original: output };
}

/** Limits and direction for one output: what its meta sets, else the overrides, else the tool's. */
export function outputLimits(meta: OutputMeta, overrides: ToolLimitOverrides = {}): ToolLimits {
  const { toolName = "", maxLines, maxBytes, direction } = meta;
  const own = {
    ...(Object.hasOwn(overrides, toolName) ? overrides[toolName] : overrides["*"]),
    ...(maxLines !== undefined && { maxLines }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(direction !== undefined && { direction }),
  };
  return toolLimits(toolName, { [toolName]: own }, meta);
}
