import type { Archive } from "../archive/archive.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../core/summary/template.ts";
import type { NameFact } from "../core/ledger/index.ts";
import type { Message } from "../core/message/index.ts";
import { requestTokens } from "../core/plan/size.ts";
import type { ContextPlan } from "../core/plan/index.ts";
import type { CompactionTemplate } from "../core/summary/index.ts";
import type { AheadSummary } from "./ahead.ts";
import {
  type Asked,
  type Asking,
  createAsked,
  modelSummaryFor,
  prepareAhead,
} from "./ask-model.ts";
import { type Bookkeeper, createBookkeeper } from "./books.ts";
import type { Chain } from "./chain.ts";
import { withoutFalseSummaries } from "./earlier-summaries.ts";
import type { Emitter } from "./events.ts";
import type { History, HistoryView } from "./history.ts";
import { editReport, makeRecord, recordable, unedited } from "./make-record.ts";
import type { Gauge } from "./measure.ts";
import type { ContextOptions, TemplateOption } from "./options.ts";
import { keepEdit, type Persistence } from "./persistence.ts";
import {
  editOptions,
  type EditWanted,
  planAndArchive,
  planOptions,
  repaired,
} from "./plan-edit.ts";
import type { RecallChoice } from "./recall-choice.ts";
import { emptyReport, type ModelCosts, type Prepared, usageOf, type View } from "./report.ts";
import { type ChosenTemplate, chooseTemplate } from "./templates.ts";
import { undoLast } from "./undo.ts";
import { summaryFor } from "./write-summary.ts";

export interface EditRequest extends EditWanted {
  /** The override of this call. */
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
  /** See {@link undoLast}. */
  undo(view: View, messages: readonly Message[]): Promise<readonly Message[] | undefined>;
  /** Gives up a summary that is being prepared. */
  close(): void;
  readonly costs: ModelCosts;
}

/** The parts of a context that its edits need. */
export interface EditorParts {
  readonly options: ContextOptions;
  readonly archive: Archive;
  readonly history: History;
  readonly chain: Chain;
  readonly gauge: Gauge;
  readonly persistence: Persistence;
  readonly recall: RecallChoice;
  readonly events: Emitter;
  readonly now: () => number;
}

export function createEditor(parts: EditorParts): Editor {
  const { options, history, gauge, now } = parts;
  const books = createBookkeeper(options);
  const asked = createAsked(options, now);
  const { ahead } = asked;
  return {
    passed: (view) => books.passed(view),
    follow(view) {
      if (books.follow(view)) followKeys(history, view);
    },
    get costs() {
      return costsOf(asked);
    },
    close: () => ahead.drop(),
    prepareAhead(view) {
      if (asked.summarizer === undefined) return;
      const isLegal = (): boolean => books.booksOf(view).check.issues().length === 0;
      prepareAhead(askingOf(parts, asked), view, {
        usable: gauge.budget.usable,
        planning: () => (isLegal() ? planOptions(view, parts) : undefined),
      });
    },
    edit: (view, request) => edit({ ...parts, books, asked }, view, request),
    undo(view, messages) {
      ahead.drop();
      return undoLast(view, messages, parts);
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

interface Editing extends EditorParts {
  readonly books: Bookkeeper;
  readonly asked: Asked;
}

async function edit(parts: Editing, view: View, request: EditRequest): Promise<Prepared> {
  const { options, archive, asked, books, history, gauge, persistence, now } = parts;
  const { check, ledger, lines } = books.booksOf(view);
  const facts = ledger.ledger();
  const { legal, lead, repairs, unkept } = await repaired(view.messages, check.issues(), parts);
  const chosen = lazyTemplate(options, request);
  const ahead = preparedFor(asked.ahead.match(legal), chosen);
  const { planning, unloaded } = editOptions(view, legal, request, parts);
  const genuine = await withoutFalseSummaries(legal, history.recordsOf, archive);
  const planned = await planAndArchive(genuine, {
    archive,
    options: planning,
    lines: genuine === view.messages ? lines : undefined,
    preparedTail: ahead?.tailStart,
  });
  const { plan, isArchived } = planned;
  const { template, failures: leftOut } = plan.compaction === undefined ? NO_SUMMARY : chosen();
  const failures = [...planned.failures, ...unkept, ...leftOut];
  const warnings = [...view.warnings, ...unloaded];
  const none = { ...emptyReport(view, gauge.budget, costsOf(asked)), warnings, failures };
  const durationMs = (): number => now() - view.startedAt;
  const isLost = persistence.isRequired && (!isArchived || unkept.length > 0);
  const isFull = !isLost && (planning.force !== true || gauge.isOver(view));
  const mended = isFull ? { messages: legal, repairs } : { messages: view.messages, repairs: [] };
  const pass = (told = failures): Prepared =>
    unedited(mended, { ...none, failures: told, durationMs: durationMs() }, gauge.tokens());
  if (plan.action === "none" || isLost) return pass();
  const head = gauge.isOver(view) ? undefined : keyOfHead(legal, plan, { ...parts, template });
  if (head !== undefined && asked.tooShort.has(head)) return pass();
  const known = { ...facts, names: namesOfHead(legal, plan, books) };
  const recorded = recordable(known, view, legal, plan);
  const model = await modelSummaryFor(askingOf(parts, asked), {
    view,
    messages: genuine,
    plan,
    planOptions: planning,
    template,
    ahead,
    signal: request.signal,
  });
  request.signal?.throwIfAborted();
  const tokens = gauge.tokens();
  const wanted = { ...planned, facts: recorded.facts, words: model.words, template };
  const summary = summaryFor(wanted, { ...parts, counter: tokens.counter });
  const decided = { ...recorded, ...summary, messages: legal, lead };
  const { record, messages, base } = makeRecord(view, decided, { ...parts, tokens });
  const told = [...failures, model.failure].filter((one) => one !== undefined);
  if (head !== undefined && record.tokens.after >= requestTokens(legal, tokens)) {
    asked.tooShort.add(head);
    return pass(told);
  }
  const unsaved = await keepEdit(parts, record, base);
  const failed = [...told, ...unsaved];
  if (!history.journal.includes(record)) return pass(failed);
  const { sections } = summary;
  const done = { planned, record, messages, model, sections, tokens, policy: options.continuation };
  const changed = editReport({ ...done, ledger: books.factsOf(history.records).ledger() }, none);
  const about = { warnings: [...warnings, ...repairs], failures: failed, durationMs: durationMs() };
  return { messages, report: { ...none, ...changed, ...costsOf(asked), ...about } };
}

function lazyTemplate(options: ContextOptions, request: EditRequest): () => ChosenTemplate {
  let chosen: ChosenTemplate | undefined;
  return () => (chosen ??= chooseTemplate(options, request.compactionTemplate));
}

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

/** The key of what a plan summarizes, and of the sections that it wants. */
function keyOfHead(
  messages: readonly Message[],
  { compaction }: ContextPlan,
  { chain, template }: Pick<EditorParts, "chain"> & { readonly template: CompactionTemplate },
): string | undefined {
  if (compaction === undefined) return undefined;
  const head = messages.slice(compaction.system, compaction.tailStart);
  return JSON.stringify([chain.keyOf(head), template]);
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

function askingOf({ gauge, options, history, events, now }: EditorParts, asked: Asked): Asking {
  const { counter, meter } = gauge.tokens();
  return { ...asked, counter, meter, now, options, beside: gauge.beside, history, events };
}

function costsOf({ ahead, usages }: Asked): ModelCosts {
  return { discardedSummaries: ahead.discarded, modelUsage: usageOf(usages) };
}
