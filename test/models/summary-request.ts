import { EMPTY_LEDGER } from "../../src/core/ledger/index.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import type { SummaryRequest } from "../../src/models/index.ts";

/** A request for a summary, as a context makes it. */
export function summaryRequest(changes: Partial<SummaryRequest> = {}): SummaryRequest {
  return {
    prompt: { system: "You write summaries.", user: "Summarize: the tests are green." },
    head: [],
    ledger: EMPTY_LEDGER,
    template: DEFAULT_COMPACTION_TEMPLATE,
    cap: 2_000,
    signal: new AbortController().signal,
    ...changes,
  };
}
