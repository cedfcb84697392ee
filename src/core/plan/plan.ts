import type { RunState } from "../continuation/index.ts";
import type { Edit, Handle, Message } from "../message/index.ts";

/**
 * The edits of a list of messages, as plain JSON. It names messages by their index in the
 * list it was made for, so it is small, can be stored, and always gives the same result.
 */
export interface ContextPlan {
  readonly version: 1;
  readonly action: "none" | "prune" | "compact";
  /** The number of messages in the list. */
  readonly length: number;
  /** Changes to single parts, in order of place. */
  readonly edits: readonly Edit[];
  readonly compaction?: CompactionPlan;
  /** Without a compaction: the reasoning that goes, because it is bound to what was edited. */
  readonly reasoning?: ReasoningPlan;
}

export interface ReasoningPlan {
  /** The messages that lose their reasoning. */
  readonly messages: readonly number[];
  /** The handle of those messages as they were; absent where the archive takes nothing. */
  readonly handle?: Handle;
  /** The text in the first of them that says so; absent where the archive takes nothing. */
  readonly note?: string;
}

/** The messages that leave the window with a head. */
export type HeadSplit = Pick<CompactionPlan, "system" | "tailStart" | "withoutReasoning">;

export interface CompactionPlan {
  /** The number of leading system messages, which stay as they are. */
  readonly system: number;
  /** The start of the tail; the head is everything between the system messages and here. */
  readonly tailStart: number;
  /** Messages of the head that stay verbatim, between summary and tail. */
  readonly pinned: readonly number[];
  /** Protected results of the head that have no room, newest first: their originals are archived. */
  readonly unpinned?: readonly UnpinnedResult[];
  /** Kept assistant messages whose reasoning goes, because it is bound to what was changed. */
  readonly withoutReasoning: readonly number[];
  /** A user message whose media were replaced by text, to be marked. */
  readonly hadMedia?: number;
  /**
   * The handle of the archived head: its messages, then those of `withoutReasoning`. Absent where the
   * archive takes nothing.
   */
  readonly handle?: Handle;
  readonly summary: SummaryPlan;
  readonly state: RunState;
  /** The run would not go on by itself, whatever the policy of continuations says. */
  readonly needed?: true;
  /** The message to add at the end. */
  readonly continuation?: Message;
}

/** A protected result that a summary has to name. */
export interface UnpinnedResult {
  readonly message: number;
  readonly part: number;
  readonly tool: string;
  /** One line: the skill's name, or what the call was about. */
  readonly subject: string;
  readonly isSkill: boolean;
  /** Absent where the archive takes nothing. */
  readonly handle?: Handle;
}

export interface SummaryPlan {
  readonly role: "system" | "user";
  /** The most tokens the summary may have. */
  readonly cap: number;
  /** The most bytes of JSON it may have, where a request has a limit on them. */
  readonly maxBytes?: number;
}

/** The answer to a plan's request for a summary; a plan without a compaction needs none. */
export interface PlanEffects {
  /** The text of the summary. It is framed, with the plan's handle, unless it is a frame already. */
  readonly summary?: string;
}

/** The same plan for a list with so many messages more at its beginning, or fewer. */
export function movedPlan(plan: ContextPlan, by: number): ContextPlan {
  if (by === 0) return plan;
  const moved = (indices: readonly number[]): number[] => indices.map((index) => index + by);
  const { compaction, reasoning } = plan;
  return {
    ...plan,
    length: plan.length + by,
    edits: plan.edits.map((edit) => ({ ...edit, message: edit.message + by })),
    compaction: compaction && {
      ...compaction,
      system: compaction.system + by,
      tailStart: compaction.tailStart + by,
      pinned: moved(compaction.pinned),
      unpinned: compaction.unpinned?.map((one) => ({ ...one, message: one.message + by })),
      withoutReasoning: moved(compaction.withoutReasoning),
      hadMedia: compaction.hadMedia === undefined ? undefined : compaction.hadMedia + by,
    },
    reasoning: reasoning && { ...reasoning, messages: moved(reasoning.messages) },
  };
}
