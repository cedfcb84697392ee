import type { Archive } from "../archive/archive.ts";
import { type Failure, failureOf, isFailure } from "../core/error.ts";
import type { Message } from "../core/message/index.ts";
import { isOverflow } from "../core/overflow/index.ts";
import type { TemplateOverride } from "../core/summary/index.ts";
import type { OutputMeta } from "../core/truncate/index.ts";
import {
  truncateAndArchive,
  type TruncatedOutput,
  type TruncationOptions,
} from "../tools/index.ts";
import type { SentBeside } from "./view/beside.ts";
import { type EditOptions, editView } from "./edit/edit-view.ts";
import type { ContextEventName, ContextListener } from "./events.ts";
import type { JournalRecord } from "./journal/journal.ts";
import type { ContextOptions } from "./options.ts";
import type { Prepared } from "./prepared.ts";
import { hasWorkedSince, prepareAhead } from "./summaries/ask-model.ts";
import { planOptions } from "./edit/plan-options.ts";
import { recoverFrom } from "./edit/recover.ts";
import { emptyReport } from "./report.ts";
import { openSession, type Session } from "./session.ts";
import { undoLast } from "./edit/undo.ts";
import { constraintsOf, subAgentOptions } from "./sub-agent.ts";
import { type View, viewOf } from "./view/view.ts";

/** Of one call. What `instructions` and `tools` say holds for the calls after it, too. */
export interface PrepareOptions extends SentBeside {
  /** Compact even though there is room. @default false */
  readonly force?: boolean;
  /** The template's override for a summary that this call needs; it wins over all others. */
  readonly compactionTemplate?: TemplateOverride;
  /** Gives up: `prepare` rejects with the signal's reason, and nothing is changed. */
  readonly signal?: AbortSignal;
}

/** Keeps one conversation inside its window. */
export interface Context {
  /**
   * Call it before every request, with the whole history or with the list it returned last and what
   * came since. Rejects with `ContextError` code `irreducible` when what may not be removed does
   * not fit; every other failure is in the report and the work goes on.
   */
  prepare(history: readonly Message[], options?: PrepareOptions): Promise<Prepared>;
  /**
   * For a request that the provider refused: if the error is an overflow, compacts the history that
   * was being sent and returns what to send instead, once; the limit that the error names is
   * learned. `undefined` for any other error, and for a second overflow in a row: pass that on.
   */
  recover(history: readonly Message[], error: unknown): Promise<Prepared | undefined>;
  /**
   * Call it with every tool output on arrival (T15). What exceeds the limits goes to the archive as
   * a whole and comes back as its kept part with a notice; anything else comes back as it is. When
   * the archive fails, the notice and `failure` say that the original was not kept.
   */
  truncate(output: string, meta?: OutputMeta): Promise<TruncatedOutput>;
  /** For `wrapTool` and `wrapTools`: tools whose outputs this context truncates. */
  readonly truncation: TruncationOptions;
  /** An original by its handle. Rejects with `ContextError` code `unknown-handle`. */
  recall(handle: string): Promise<string>;
  /** Adds a listener and returns how to remove it. */
  on<Name extends ContextEventName>(name: Name, listener: ContextListener<Name>): () => void;
  /**
   * For hooks: tells the listeners that something failed and that the work goes on without it. Takes
   * whatever was thrown, or the failure of another context as it is.
   */
  fail(error: unknown): Failure;
  /**
   * Every edit that stands, oldest first; plain JSON, to be passed as `journal` another time. While
   * none fits the list of now, those of the list before it, or those that were stored.
   */
  journal(): readonly JournalRecord[];
  readonly archive: Archive;
  /**
   * Stores what could not be stored before, for a context that was created with `conversation`.
   * Every edit is stored by itself; this is for the time after a failure, e.g. of a full disk.
   * Rejects with `archive-failed`.
   */
  save(): Promise<void>;
  /**
   * Takes the newest edit back, and returns the list to go on with; `undefined` if there is none.
   * `history` is what the next `prepare` would get: the whole history, or the returned list and what
   * came since; what was compacted then comes back from the archive. If the window is as full as it
   * was, the next `prepare` will edit again. Rejects with `unknown-handle` or `archive-failed`, and
   * changes nothing then.
   */
  undo(history: readonly Message[]): Promise<readonly Message[] | undefined>;
  /**
   * The rules of this conversation, word for word: the `constraints` it was created with, and what
   * the person has typed so far, oldest first. They belong into the prompt of a sub-agent.
   */
  constraints(): readonly string[];
  /**
   * A context for a sub-agent's own conversation: its own budget and journal, and this one's archive
   * and settings where `options` names no others. {@link constraints} are its constraints, so that
   * they stand in every summary of the sub-agent too.
   */
  subAgent(options?: ContextOptions): Context;
  /**
   * Waits until what is under way is done; a summary that is being prepared is given up. The context
   * can be used again afterwards.
   */
  close(): Promise<void>;
}

/**
 * Creates the context of one conversation. Throws `ContextError` code `invalid-options` for a
 * window, reserve, ratio or template that makes no sense.
 */
export function createContext(options: ContextOptions = {}): Context {
  const session = openSession(options);
  // Calls on one conversation are answered one after the other: two edits made at once would rest
  // on the same view, and the second would undo the first.
  let queue: Promise<unknown> = Promise.resolve();
  let hasRecovered = false;
  const loaded = async (): Promise<void> => {
    const failure = await session.persistence.load();
    if (failure !== undefined) session.events.emit("failed", failure);
  };
  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const turn = queue.then(loaded).then(task);
    queue = turn.catch(() => undefined);
    return turn;
  };
  const truncation = truncationOf(session);
  return {
    archive: session.archive,
    truncation,
    truncate: (output, meta) => truncateAndArchive(output, meta, truncation),
    journal: () => session.tracker.journal,
    recall: (handle) => session.archive.get(handle),
    fail(error) {
      const failure = isFailure(error) ? error : failureOf(error, "unexpected");
      session.events.emit("failed", failure);
      return failure;
    },
    constraints: () => constraintsOf(session),
    subAgent: (own = {}) => createContext(subAgentOptions(session, own)),
    on: (name, listener) => session.events.on(name, listener),
    prepare: (history, { force = false, instructions, tools, boundReasoning, ...rest } = {}) =>
      inTurn(async () => {
        hasRecovered = false;
        session.beside.note({ instructions, tools, boundReasoning });
        return announced(session, await prepare(session, history, { force, ...rest }));
      }),
    recover: (history, error) =>
      inTurn(async () => {
        if (hasRecovered) return undefined;
        hasRecovered = true;
        const prepared = await recoverFrom(session, history, error);
        return prepared && announced(session, prepared);
      }),
    save: () => inTurn(() => session.persistence.flush()),
    undo: (history) => inTurn(() => undoLast(session, history)),
    async close() {
      await queue;
      session.ahead.drop();
    },
  };
}

/** T15 with the archive, the limits and the listeners of a context. */
function truncationOf({ archive, options, events }: Session): TruncationOptions {
  return {
    archive,
    ...(options.toolLimits !== undefined && { toolLimits: options.toolLimits }),
    ...(options.toolKinds !== undefined && { toolKinds: options.toolKinds }),
    onTruncated(event) {
      events.emit("truncated", event);
      if (event.failure !== undefined) events.emit("failed", event.failure);
    },
  };
}

async function prepare(
  session: Session,
  history: readonly Message[],
  edit: EditOptions,
): Promise<Prepared> {
  edit.signal?.throwIfAborted();
  if (edit.compactionTemplate !== undefined) session.templateFor(edit.compactionTemplate);
  const view = viewOf(session, history);
  if (edit.force || mayOverflow(session, view)) return editView(session, held(view), edit);
  beginAhead(session, view);
  return untouched(session, view);
}

/** Begins the next summary while the agent works, when the window is getting full. */
function beginAhead(session: Session, view: View): void {
  const { summarizer, tracker, budget, aheadShare } = session;
  if (summarizer === undefined || !hasWorkedSince(tracker.records, view.fresh)) return;
  prepareAhead(session, {
    messages: view.messages,
    tokens: view.measured.tokens,
    limit: session.overflowLimit(view.measured) * aheadShare,
    step: budget.usable * NEXT_LOOK,
    template: session.templateFor(undefined),
    planOptions() {
      const isLegal = session.groundwork.booksOf(view).check.issues().length === 0;
      return isLegal ? planOptions(session, view) : undefined;
    },
  });
}

/** After a look at what a summary would be about, so much of usable must come before the next one. */
const NEXT_LOOK = 0.03;

/** The caller may go on adding to its own list while an edit is being made. */
function held(view: View): View {
  return { ...view, messages: [...view.messages], fresh: [...view.fresh] };
}

function announced(session: Session, prepared: Prepared): Prepared {
  for (const failure of prepared.report.failures) session.events.emit("failed", failure);
  session.events.emit("prepared", prepared.report);
  return prepared;
}

/** T7; bytes and images are only counted where somebody set a limit on them. */
function mayOverflow(session: Session, view: View): boolean {
  const { meter, options } = session;
  const usable = session.overflowLimit(view.measured);
  if (isOverflow(view.measured.tokens, { usable })) return true;
  const { maxBytes = Infinity, maxImages = Infinity } = options.requestLimits ?? {};
  if (maxBytes === Infinity && maxImages === Infinity) return false;
  const size = meter.totalSize(view.messages);
  return size.bytes > maxBytes || size.images > maxImages;
}

function untouched(session: Session, view: View): Prepared {
  const report = emptyReport(session, view);
  return {
    messages: view.messages,
    report: { ...report, durationMs: session.now() - view.startedAt },
  };
}
