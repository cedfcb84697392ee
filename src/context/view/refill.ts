import type { Message } from "../../core/message/index.ts";
import { partTokens } from "../../core/tokens/index.ts";
import type { JournalRecord } from "../journal/journal.ts";
import type { Session } from "../session.ts";
import type { View } from "./view.ts";

/** A window that is this full again … */
const FULL = 0.8;
/** … within so many steps of a compaction has a cause that compacting does not remove. */
const STEPS = 5;

/** Sees when a window fills up again right after a compaction, and says so once. */
export interface RefillWatch {
  /**
   * Names the cause: what stays in the window whatever is compacted, or the tool whose outputs fill
   * it. `undefined` when the window does not fill up again, or when that was said already.
   */
  check(session: Session, view: View): string | undefined;
}

export function createRefillWatch(): RefillWatch {
  let told: JournalRecord | undefined;
  return {
    check(session, view) {
      const last = session.tracker.records.at(-1);
      if (last?.plan.action !== "compact" || told === last) return undefined;
      const full = view.measured.tokens / session.budget.usable;
      if (full < FULL) return undefined;
      const steps = view.fresh.filter(({ role }) => role === "assistant").length;
      if (steps === 0) return undefined;
      told = last;
      if (steps > STEPS) return undefined;
      const after = steps === 1 ? "1 step" : `${steps} steps`;
      const what = `the window is ${percent(full)} full again ${after} after the last compaction`;
      return `${what}: ${cause(session, view, last.tokens.after)}`;
    },
  };
}

function cause({ budget, beside, counter }: Session, view: View, after: number): string {
  const { usable } = budget;
  if (beside.tokens > usable / 2) {
    return `system prompt and tool schemas alone take ${beside.tokens} of ${usable} tokens; give the agent fewer tools or a larger window`;
  }
  if (after > usable * 0.6) {
    return `${after} of ${usable} tokens were left after it, because the newest messages are that large; lower the limits of truncation or use a larger window`;
  }
  const [tool, tokens] = largestTool(view.fresh, (part) => partTokens(part, counter));
  if (tool === undefined) return "the newest messages are large; use a larger window";
  return `outputs of ${tool} take ${tokens} tokens of what came since; lower its limits (toolLimits) or ask for less at a time`;
}

function largestTool(
  messages: readonly Message[],
  tokensOf: (part: Message["parts"][number]) => number,
): readonly [string | undefined, number] {
  const byTool = new Map<string, number>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-result") continue;
    byTool.set(part.toolName, (byTool.get(part.toolName) ?? 0) + tokensOf(part));
  }
  const largest = [...byTool].toSorted(([, a], [, b]) => b - a)[0];
  return largest ?? [undefined, 0];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
