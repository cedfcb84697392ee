import type { Message } from "../core/message/index.ts";
import type { ContextReport } from "./report.ts";

/** What `prepare` gives back. */
export interface Prepared {
  /** What to send: the same objects wherever nothing was changed. */
  readonly messages: readonly Message[];
  readonly report: ContextReport;
}
