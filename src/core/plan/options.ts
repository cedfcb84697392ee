import type { HeadSplit } from "./plan.ts";
import type { ToolKinds } from "../calls/index.ts";
import type { DescribeMedia } from "../compact/index.ts";
import type { ContinuationPolicy } from "../continuation/index.ts";
import type { Digest, Original } from "../message/index.ts";
import type { ContextBudget } from "../overflow/index.ts";
import type { PruneOptions } from "../prune/index.ts";
import type { MessageMeter, TokenCounter } from "../tokens/index.ts";

/** A provider's rules as far as they concern a compaction; plain data that a dialect brings along. */
export interface DialectTraits {
  /** The role in which a summary may stand in the middle of the list. */
  readonly summaryRole: "system" | "user";
  /** Whether signed reasoning is bound to everything before it, so that an edit makes it invalid. */
  readonly boundReasoning: boolean;
  /** Whether a request may not end with an assistant message. */
  readonly endsWithInput: boolean;
}

/** A format without rules of its own. */
export const NEUTRAL_TRAITS: DialectTraits = {
  summaryRole: "system",
  boundReasoning: false,
  endsWithInput: false,
};

/** Limits of a request beside its tokens. */
export interface RequestLimits {
  /** UTF-8 bytes of the messages. @default no limit */
  readonly maxBytes?: number;
  /** @default no limit */
  readonly maxImages?: number;
}

export interface PlanOptions extends PruneOptions {
  readonly budget: ContextBudget;
  readonly counter: TokenCounter;
  /** Measures messages with that counter, each object once. */
  readonly meter: MessageMeter;
  readonly digest: Digest;
  /** Makes the original of a head of these messages; pure, as `digest` is. @default writes it out, {@link headOriginal} */
  readonly headOf?: (split: HeadSplit) => Original;
  /** The time that audit records get, in ms since the epoch. */
  readonly now: number;
  /** Tokens of what every request carries beside the messages: system prompt, tools. @default 0 */
  readonly fixedTokens?: number;
  /**
   * The size of the whole request now, if better known than by counting (reported usage), with a
   * margin for what is not known exactly; `fixedTokens` included.
   */
  readonly usedTokens?: number;
  readonly requestLimits?: RequestLimits;
  readonly traits?: DialectTraits;
  readonly toolKinds?: ToolKinds;
  /** @default "auto" */
  readonly continuation?: ContinuationPolicy;
  /**
   * False when the archive takes nothing: nothing is pruned then, and no notice promises that an
   * original can be recalled. @default true
   */
  readonly canRecall?: boolean;
  /** Whether the agent has the tool `recall`; it decides the words of notices. @default true */
  readonly recall?: boolean;
  /**
   * Share of usable by which the counter may be wrong; see `estimateLimit`.
   * @default 0.05 for the estimator, 0 for any other counter
   */
  readonly margin?: number;
  /** Compact even though there is room. @default false */
  readonly force?: boolean;
  /** Prune as far as the target, and no further where that is not enough. @default false */
  readonly pruneOnly?: boolean;
  /** With `pruneOnly`: whether to prune, by the tokens saved and the index of the first change. @default yes */
  readonly pays?: (saved: number, first: number) => boolean;
  /**
   * The start of the tail, for a summary that was written before: exactly what stands before it
   * is the head. Must be the start of a unit. @default as the tail budget says
   */
  readonly tailStart?: number;
  /**
   * The fate of images and files of a user message without a reply: described by text and
   * archived, or kept as they are. @default "describe"
   */
  readonly unansweredMedia?: "describe" | "keep";
  /** Images and files that every edit describes by text, wherever they stand. @default none */
  readonly describeMedia?: DescribeMedia;
  /** Links that the provider could not load: their files become text, even though there is room. @default none */
  readonly unloadedLinks?: readonly string[];
}
