import { type Ledger, mergeAllLedgers } from "../../core/ledger/index.ts";
import type { Session } from "../session.ts";
import { withRelativePaths } from "./relative-paths.ts";

/** The facts of all of a conversation, the newest given, with paths as its summaries name them. */
export function knownFacts({ tracker, options }: Session, newest: Ledger): Ledger {
  const earlier = tracker.records.map(({ facts }) => facts);
  return withRelativePaths(mergeAllLedgers([...earlier, newest], options), options.cwd);
}
