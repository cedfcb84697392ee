import { extractLedger, type Ledger } from "../../core/ledger/index.ts";
import type { Message } from "../../core/message/index.ts";
import type { TemplateOverride } from "../../core/summary/index.ts";
import { askForSummary } from "../../models/ask-for-summary.ts";
import type { ModelSummary } from "../../models/model-summary.ts";
import type { LiveRequest } from "../../models/summarizer.ts";
import { earlierSummaries } from "./earlier-summaries.ts";
import { knownFacts } from "./known-facts.ts";
import { withRelativePaths } from "./relative-paths.ts";
import type { Session } from "../session.ts";

/** The part of a legal view that a summary is to stand for. */
export interface Stretch {
  readonly messages: readonly Message[];
  /** How many leading system messages stand before it. */
  readonly system: number;
  /** Where it ends. */
  readonly tailStart: number;
  /** The most tokens that the summary may have. */
  readonly cap: number;
}

export interface SummaryTaskOptions {
  /** The template's override of this call. */
  readonly compactionTemplate?: TemplateOverride;
  readonly signal?: AbortSignal;
}

/** Asks the session's model for a summary; `undefined` when it has none, or none that may be asked. */
export async function startSummary(
  session: Session,
  stretch: Stretch,
  { compactionTemplate, signal }: SummaryTaskOptions = {},
): Promise<ModelSummary | undefined> {
  const { summarizer, breaker, options, meter, counter, now } = session;
  if (summarizer === undefined || !breaker.allows) return undefined;
  const { messages, system, tailStart, cap } = stretch;
  const all = messages.slice(system, tailStart);
  const head = all.filter(({ kind }) => kind !== "summary" && kind !== "continuation");
  const { toolKinds, cwd } = options;
  const factsOf = (some: readonly Message[], offset = 0): Ledger =>
    extractLedger(some, { toolKinds, cwd, offset });
  const facts = factsOf(head);
  const made = await askForSummary({
    summarizer,
    input: {
      head,
      previousSummary: earlierSummaries(all, session.tracker).text,
      ledger: withRelativePaths(facts, cwd),
      known: knownFacts(session, facts),
      ledgerOf: (some, offset) => withRelativePaths(factsOf(some, offset), cwd),
      template: session.templateFor(compactionTemplate),
      cap,
    },
    replaces: meter.total(all),
    count: (text) => counter.count(text),
    timeoutMs: session.summarizerTimeoutMs,
    now,
    ...(signal !== undefined && { signal }),
    ...(summarizer.reusesPrompt === true && { live: liveRequest(session, stretch) }),
  });
  for (const call of made.calls) {
    session.spending.add(call);
    session.events.emit("modelCalled", call);
  }
  if (signal?.aborted === true) return made;
  if (made.text === undefined) breaker.failed();
  else breaker.succeeded();
  return made;
}

/** What the agent sent up to the end of the stretch; the same bytes are in the provider's cache. */
function liveRequest({ beside }: Session, { messages, tailStart }: Stretch): LiveRequest {
  return {
    system: beside.instructions,
    tools: beside.tools,
    messages: messages.slice(0, tailStart),
  };
}
