import type { Failure } from "../core/error.ts";
import type { Message } from "../core/message/message.ts";
import type { EditorParts } from "./edit.ts";
import type { Gauge } from "./measure.ts";
import { isOver } from "./over.ts";
import { emptyReport, type ModelCosts, NO_COSTS, type Prepared, type View } from "./report.ts";

/** What is to be edited. */
export interface Editable {
  readonly messages: readonly Message[];
  readonly view: View;
  readonly gauge: Gauge;
  /** Also where another process has made room meanwhile. */
  readonly force: boolean;
  readonly signal?: AbortSignal;
}

/** A step's two ends. */
export interface Editing {
  readonly unedited: (view: View, gauge: Gauge) => Prepared;
  /**
   * Edits while no other process does, and not at all where one of them has just made room, or where
   * the right to edit cannot be had; the report says why.
   */
  readonly editAlone: <T>(
    list: Editable,
    edit: (view: View) => Promise<T>,
  ) => Promise<T | Prepared>;
}

export function editing(
  { options, history, persistence, now }: Omit<EditorParts, "gauge">,
  costs: () => ModelCosts | undefined,
  viewOf: (messages: readonly Message[], gauge: Gauge) => View,
): Editing {
  const unedited = (view: View, gauge: Gauge, failures: readonly Failure[] = []): Prepared => {
    const report = emptyReport(view, gauge.budget, costs() ?? NO_COSTS);
    const durationMs = now() - view.startedAt;
    gauge.sends();
    return { messages: view.messages, report: { ...report, failures, durationMs } };
  };
  const editAlone: Editing["editAlone"] = ({ messages, view, gauge, force, signal }, edit) => {
    const [given, before] = [[...messages], held(view)];
    return persistence.alone(async (news) => {
      if (news === false) return edit(before);
      if (news !== true) return unedited(before, gauge, [news]);
      await history.ready();
      const newest = held(viewOf(given, gauge));
      const hasRoom = !force && !isOver(newest, gauge, options);
      return hasRoom ? unedited(newest, gauge) : edit(newest);
    }, signal);
  };
  return {
    unedited,
    editAlone,
  };
}

/** The caller may go on adding to its own list while an edit is being made. */
export function held(view: View): View {
  return { ...view, messages: [...view.messages], fresh: [...view.fresh] };
}
