import { type Ledger, mergeLedgers } from "../../core/ledger/index.ts";
import type { Session } from "../session.ts";
import { withRelativePaths } from "./relative-paths.ts";

/** The facts of all of a conversation, the newest given, with paths as its summaries name them. */
export function knownFacts(session: Session, newest: Ledger): Ledger {
  const { tracker, options } = session;
  const earlier = session.recordedFacts(tracker.records);
  return withRelativePaths(mergeLedgers(earlier, newest, options), options.cwd);
}
