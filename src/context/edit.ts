import type { Archive } from "../archive/archive.ts";
import { standingIn } from "./standing.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../core/summary/template.ts";
import { jsonBytes } from "../core/tokens/meter.ts";
import type { AheadSummary } from "./ahead.ts";
import { type Bookkeeper, createBookkeeper } from "./books.ts";
import type { Chain } from "./chain.ts";
import { editReport, unedited } from "./edit-report.ts";
import type { Emitter } from "./events.ts";
import type { History, HistoryView } from "./history.ts";
import { makeRecord, recordable } from "./make-record.ts";
import type { Gauge } from "./measure.ts";
import type { ContextOptions, TemplateOption } from "./options.ts";
import { keepEdit, type Persistence } from "./persistence.ts";
import type { RecallChoice } from "./recall-choice.ts";
import {
  type ArchivedPlan,
  askedOf,
  planAndArchive,
  planOptions,
  type EditWanted,
  planningFor,
  repaired,
} from "./plan-edit.ts";
import {
  type ContextReport,
  emptyReport,
  type ModelCosts,
  type Prepared,
  type View,
} from "./report.ts";
import {
  type Asked,
  type Asking,
  createAsked,
  hasWorkedSince,
  modelSummaryFor,
  prepareAhead,
} from "./ask-model.ts";
import {
  asSaid,
  earlierSummaries,
  type MadeSummary,
  protectedOutputs,
  summaryOf,
  withCarried,
} from "./write-summary.ts";
import { type ChosenTemplate, chooseTemplate } from "./templates.ts";
import { undoLast } from "./undo.ts";
import type { Ledger, NameFact } from "../core/ledger/index.ts";
import type { ContextPlan, SummaryPlan } from "../core/plan/index.ts";
import type { Digest, Message } from "../core/message/index.ts";
import type { CompactionTemplate, Words } from "../core/summary/index.ts";
import type { CountTokens } from "../core/text/clip.ts";
import type { TokenCounter } from "../core/tokens/index.ts";

/** How one edit was asked for. */
export interface EditRequest extends EditWanted {
  /** The template's override of this call. */
  readonly compactionTemplate?: TemplateOption;
  readonly signal?: AbortSignal;
}

/**
 * Makes the edits of one context. It comes with all that only an edit needs, so it is loaded when the
 * window is about half full.
 */
export interface Editor {
  /** Every step, before anything else of it. */
  passed(view: HistoryView): void;
  /** A step near an edit: takes in the messages that are new. */
  follow(view: HistoryView): void;
  /** Begins the next summary while the agent works, when the window is getting full. */
  prepareAhead(view: View): void;
  /**
   * Plans, archives, has the summary written, journals and applies one edit, in this order. Rejects
   * with the signal's reason when that aborts before the journal has the edit; nothing is changed
   * then.
   */
  edit(view: View, request: EditRequest): Promise<Prepared>;
  undo(messages: readonly Message[]): Promise<readonly Message[] | undefined>;
  /** Gives up a summary that is being prepared. */
  close(): void;
  readonly costs: ModelCosts;
}

/** What an editor works with. */
export interface EditorParts {
  readonly options: ContextOptions;
  readonly archive: Archive;
  readonly digest: Digest;
  readonly history: History;
  readonly chain: Chain;
  readonly gauge: Gauge;
  readonly persistence: Persistence;
  readonly recall: RecallChoice;
  readonly events: Emitter;
  readonly now: () => number;
}

/** What an editor keeps of its own. */
interface Desk {
  readonly books: Bookkeeper;
  readonly asked: Asked;
}

export function createEditor(parts: EditorParts): Editor {
  const { options, now } = parts;
  const desk: Desk = {
    books: createBookkeeper(options),
    asked: createAsked(options, now),
  };
  const { books, asked } = desk;
  return {
    passed: (view) => books.passed(view),
    follow(view) {
      if (books.follow(view)) followKeys(parts.history, view);
    },
    get costs() {
      return costsOf(asked);
    },
    close: () => asked.ahead.drop(),
    prepareAhead: (view) => beginAhead(parts, desk, view),
    edit: (view, request) => edit(parts, desk, view, request),
    undo(messages) {
      asked.ahead.drop();
      return undoLast(messages, parts);
    },
  };
}

/** The keys of a list that grows, so that an edit has only those of the newest messages to make. */
function followKeys(history: History, { messages, lead }: HistoryView): void {
  try {
    history.keyOf(messages.length - lead);
  } catch {
    // It holds something that is no JSON, of which only an edit has to say so.
  }
}

async function edit(
  parts: EditorParts,
  { asked, books }: Desk,
  view: View,
  request: EditRequest,
): Promise<Prepared> {
  const { options, archive, history, gauge, persistence, now } = parts;
  const { check, ledger, lines } = books.booksOf(view);
  const told = ledger.ledger();
  const { legal, lead, repairs, unkept } = await repaired(view.messages, check.issues(), parts);
  const chosen = lazyTemplate(options, request);
  const prepared = preparedFor(asked.ahead.match(legal), chosen);
  const usual = planOptions(view, gauge, parts);
  const asks = askedOf(view, request, parts);
  const { planning, unloaded } = planningFor(usual, legal, asks);
  const said = await asSaid(legal, history.recordsOf, archive);
  const planned = await planAndArchive(said, {
    archive,
    options: planning,
    lines: said === view.messages ? lines : undefined,
    preparedTail: prepared?.tailStart,
  });
  const { plan } = planned;
  const { template, failures: leftOut } = plan.compaction === undefined ? NO_SUMMARY : chosen();
  const failures = [...planned.failures, ...unkept, ...leftOut];
  const warnings = [...view.warnings, ...unloaded];
  const none = { ...emptyReport(view, gauge.budget, costsOf(asked)), warnings, failures };
  const timed = (report: ContextReport) => ({ ...report, durationMs: now() - view.startedAt });
  const isLost = persistence.isRequired && (!planned.isArchived || unkept.length > 0);
  const isFull = !isLost && (!asks.force || gauge.isOver(view.measured));
  const mended = isFull ? { messages: legal, repairs } : { messages: view.messages, repairs: [] };
  const pass = (told = failures): Prepared =>
    unedited(mended, timed({ ...none, failures: told }), gauge.tokens());
  if (plan.action === "none" || isLost) return pass();
  const known = { ...told, names: namesOfHead(legal, plan, books) };
  const { end, facts } = recordable(known, view, legal, plan);
  const model = await modelSummaryFor(askingOf(parts, asked), {
    messages: said,
    plan,
    planOptions: planning,
    template,
    ahead: prepared,
    hasWorked: hasWorkedSince(view.records, view.fresh),
    signal: request.signal,
  });
  request.signal?.throwIfAborted();
  const wanted = { ...planned, facts, words: model.words, template };
  const { recorded, sections, ...consumed } = summaryFor(parts, books, wanted);
  const tokens = gauge.tokens();
  const decided = { messages: legal, lead, end, ...consumed, summary: recorded };
  const { record, messages, base } = makeRecord(view, decided, { ...parts, tokens });
  const unsaved = await keepEdit(parts, record, base);
  const failed = [...failures, model.failure, ...unsaved].filter((one) => one !== undefined);
  if (!history.journal.includes(record)) return pass(failed);
  const done = { planned, record, messages, model, sections, tokens, policy: options.continuation };
  const changed = editReport({ ...done, ledger: books.factsOf(history.records).ledger() }, none);
  const made = { ...changed, ...costsOf(asked), warnings: [...warnings, ...repairs] };
  return { messages, report: timed({ ...none, ...made, failures: failed }) };
}

/** Chosen when it is asked for, and once. */
function lazyTemplate(options: ContextOptions, request: EditRequest): () => ChosenTemplate {
  let chosen: ChosenTemplate | undefined;
  return () => (chosen ??= chooseTemplate(options, request.compactionTemplate));
}

/** For a plan that writes no summary. */
const NO_SUMMARY: ChosenTemplate = { template: DEFAULT_COMPACTION_TEMPLATE, failures: [] };

/** A summary that was prepared, if it has the sections that are wanted now. */
function preparedFor(
  prepared: AheadSummary | undefined,
  chosen: () => ChosenTemplate,
): AheadSummary | undefined {
  if (prepared === undefined) return undefined;
  const [had, wanted] = [prepared.template, chosen().template];
  return JSON.stringify(had) === JSON.stringify(wanted) ? prepared : undefined;
}

/** The names of what a plan compacts: the rest of the view keeps its own. */
function namesOfHead(
  messages: readonly Message[],
  { compaction }: ContextPlan,
  { names }: Bookkeeper,
): readonly NameFact[] | undefined {
  if (compaction === undefined) return undefined;
  return names.namesIn(messages.slice(compaction.system, compaction.tailStart));
}

/** A plan that wants a summary, and what there is to write it from. */
interface WantedSummary extends ArchivedPlan {
  /** The facts of the messages that its record consumes. */
  readonly facts: Ledger;
  /** What a model wrote, if one did. */
  readonly words: Words | undefined;
  readonly template: CompactionTemplate;
}

/** T12: what fulfils a plan's request for a summary. */
function summaryFor(
  {
    history,
    gauge,
    options,
    digest,
    recall,
  }: Pick<EditorParts, "history" | "gauge" | "options" | "digest" | "recall">,
  books: Bookkeeper,
  wanted: WantedSummary,
): MadeSummary {
  const { messages, plan, isArchived, facts, words, template } = wanted;
  const { compaction } = plan;
  if (compaction === undefined) return { recorded: {}, sections: {}, facts, plan };
  const { cwd, constraints } = options;
  const { records } = history;
  const { counter } = gauge.tokens();
  const head = messages.slice(compaction.system, compaction.tailStart);
  const earlier = earlierSummaries(head, history.recordsOf, template, records);
  const consumed = withCarried(wanted, earlier.carried, cwd);
  const made = summaryOf({
    head,
    headHandle: isArchived ? compaction.handle : undefined,
    earlier,
    records,
    index: books.factsOf(records, consumed.facts),
    words,
    cap: compaction.summary.cap,
    count: summaryCount(compaction.summary, counter),
    template,
    constraints,
    cwd,
    recall: recall.hasTool(),
    protectedOutputs: protectedOutputs({ messages, plan: consumed.plan }, records, digest),
    standing: standingIn(messages, plan, { names: books.names, toolKinds: options.toolKinds }),
  });
  return { ...made, ...consumed };
}

/** Counts what counts towards the cap: tokens, or bytes where a limit on them is nearer. */
function summaryCount({ cap, maxBytes }: SummaryPlan, counter: TokenCounter): CountTokens {
  if (maxBytes === undefined) return (text) => counter.count(text);
  return (text) => Math.max(counter.count(text), Math.ceil((jsonBytes(text) * cap) / maxBytes));
}

/** After a look at what a summary would be about, so much of usable must come before the next one. */
const NEXT_LOOK = 0.03;

function beginAhead(parts: EditorParts, { asked, books }: Desk, view: View): void {
  const { gauge, options } = parts;
  const { usable } = gauge.budget;
  if (asked.summarizer === undefined || !hasWorkedSince(view.records, view.fresh)) return;
  prepareAhead(askingOf(parts, asked), {
    messages: view.messages,
    tokens: view.measured.most,
    limit: usable * asked.aheadShare,
    step: usable * NEXT_LOOK,
    template: () => chooseTemplate(options).template,
    planOptions() {
      const isLegal = books.booksOf(view).check.issues().length === 0;
      return isLegal ? planOptions(view, gauge, parts) : undefined;
    },
  });
}

function askingOf({ gauge, options, history, events, now }: EditorParts, asked: Asked): Asking {
  const { counter, meter } = gauge.tokens();
  return { ...asked, counter, meter, now, options, beside: gauge.beside, history, events };
}

function costsOf({ ahead, spending }: Asked): ModelCosts {
  return { discardedSummaries: ahead.discarded, modelUsage: spending.total };
}
