import { checkNames, type OptionNames } from "../core/options.ts";
import { messageText, type Message } from "../core/message/message.ts";
import type { Editor, EditorParts, EditRequest } from "./edit.ts";
import type { EarlyPrune } from "./plan-edit.ts";
import type { History } from "./history.ts";
import { sameObjects } from "./track.ts";
import type { Gauge, Measured, SentBeside } from "./measure.ts";
import type { Doubt } from "./provider-reports.ts";
import type { ContextOptions, TemplateOption } from "./options.ts";
import { emptyReport, NO_COSTS, type Prepared, type View } from "./report.ts";
import { checkTemplates } from "./templates.ts";
import type { ContextBudget } from "../core/overflow/index.ts";
import type { Failure } from "../core/error.ts";
import type { ProviderOverflow } from "../core/overflow/provider-error.ts";

/** Options of one call. `instructions` and `tools` hold for the calls after it, too. */
export interface PrepareOptions extends SentBeside {
  /** Compact even though there is room. @default false */
  readonly force?: boolean;
  /** Prune as far as the target, and summarize nothing, although it may not fit then. @default false */
  readonly pruneOnly?: boolean;
  /** While there is room: asked about all that may be pruned, which goes if this says so. @default none is */
  readonly pays?: (prune: EarlyPrune) => boolean;
  /** The template's override for a summary that this call needs; it wins over all others. */
  readonly compactionTemplate?: TemplateOption;
  /** Gives up: `prepare` rejects with the signal's reason, and nothing is changed. */
  readonly signal?: AbortSignal;
}

/** The calls on one conversation. */
export interface Steps {
  prepare(messages: readonly Message[], options?: PrepareOptions): Promise<Prepared>;
  recover(messages: readonly Message[], refused: unknown): Promise<Prepared | undefined>;
  undo(messages: readonly Message[]): Promise<readonly Message[] | undefined>;
  /** The rules of a sub-agent: the constraints, then what the person typed, each once. */
  rules(): readonly string[];
  close(): void;
}

/** The state between two calls: the code that the first ones loaded, and the newest view. */
interface Conversation {
  readonly parts: Omit<EditorParts, "gauge">;
  gauge?: Gauge;
  editor?: Editor;
  latest?: View;
  hasRecovered: boolean;
}

interface Ready extends Conversation {
  readonly gauge: Gauge;
}

const PREPARE_OPTIONS: OptionNames<PrepareOptions> = {
  instructions: true,
  tools: true,
  boundReasoning: true,
  maxOutput: true,
  force: true,
  pruneOnly: true,
  pays: true,
  compactionTemplate: true,
  signal: true,
};

function checkAsked(asked: PrepareOptions, options: ContextOptions): void {
  checkNames(asked, PREPARE_OPTIONS);
  const { compactionTemplate } = asked;
  if (compactionTemplate !== undefined) checkTemplates(options, compactionTemplate);
}

export function createSteps(parts: Omit<EditorParts, "gauge">): Steps {
  const { options, events, history, recall } = parts;
  const conversation: Conversation = { parts, hasRecovered: false };
  return {
    async prepare(messages, asked = {}) {
      checkAsked(asked, options);
      const { force = false, pays, signal } = asked;
      conversation.hasRecovered = false;
      signal?.throwIfAborted();
      const open = await ready(conversation);
      open.gauge.note(asked);
      recall.note(asked.tools);
      const view = viewOf(open, messages);
      if (force || pays !== undefined || open.gauge.isOver(view)) {
        const request = { ...asked, force };
        return editAlone(open, { messages, view, request, isForced: force });
      }
      if (isFilling(view, open.gauge, options)) await nearEdit(open, view);
      return unedited(open, view);
    },
    async recover(messages, refused) {
      if (messages.length === 0 || conversation.hasRecovered) return undefined;
      conversation.hasRecovered = true;
      const open = await ready(conversation);
      const { gauge } = open;
      const { overflow, unreachable } = await refusalOf(refused, gauge.budget);
      if (overflow === undefined && unreachable === undefined) return undefined;
      viewOf(open, messages);
      if (overflow !== undefined) gauge.refuse(overflow);
      const view = viewOf(open, messages);
      try {
        const request = { force: overflow !== undefined, unreachable };
        const list = { messages, view, request, isForced: false };
        const prepared = await editAlone(open, list);
        const { action, failures } = prepared.report;
        // Another process may have made the room that was missing.
        const same = sameObjects(prepared.messages, view.messages);
        const isOther = same < view.messages.length && failures.length === 0;
        if (action !== "none" || isOther) return prepared;
        for (const failure of failures) events.emit("failed", failure);
        return undefined;
      } finally {
        gauge.window.settle();
      }
    },
    async undo(messages) {
      const open = await ready(conversation);
      const editor = await editorOf(open);
      const left = await editor.undo(viewOf(open, messages), messages);
      return left && viewOf(open, left).messages;
    },
    rules: () => rulesOf(options, history, conversation.latest),
    close: () => conversation.editor?.close(),
  };
}

/** Loads what every call needs. The weights of the estimator come only where it counts. */
async function ready(conversation: Conversation): Promise<Ready> {
  const { options, history } = conversation.parts;
  if (conversation.gauge === undefined) {
    const [{ createGauge }, counter] = await Promise.all([
      import("./measure.ts"),
      options.counter ?? import("../core/tokens/estimator.ts").then((it) => it.estimator),
    ]);
    conversation.gauge = createGauge(options, counter);
  }
  await history.ready();
  const { window } = history.journal.findLast((record) => record.window !== undefined) ?? {};
  conversation.gauge.window.restore(window);
  return conversation as Ready;
}

/** Loads what an edit needs; another import of it would ask the runtime for longer than a step. */
async function editorOf(open: Ready): Promise<Editor> {
  if (open.editor === undefined) {
    const { createEditor } = await import("./edit.ts");
    open.editor = createEditor({ ...open.parts, gauge: open.gauge });
  }
  return open.editor;
}

/** The caller's list with the edits that fit it, measured from where it differs from the one before. */
function viewOf(open: Ready, messages: readonly Message[]): View {
  const { parts, gauge, editor } = open;
  const startedAt = parts.now();
  const recognised = parts.history.recognise(messages);
  recognised.changed.forEach(gauge.forget);
  editor?.passed(recognised);
  const { from, base, dropped, messages: list } = recognised;
  // A report about a request with edits says nothing about one without them.
  const since = dropped > 0 ? list.length : base.length;
  const measured = gauge.measure({ messages: list, from, since });
  const warnings = warningsOf(dropped, gauge.budget, measured);
  open.latest = { ...recognised, measured, warnings, startedAt };
  return open.latest;
}

/** The list goes out as it is. */
function unedited(
  { parts, gauge, editor }: Ready,
  view: View,
  failures: readonly Failure[] = [],
): Prepared {
  const report = emptyReport(view, gauge.budget, editor?.costs ?? NO_COSTS);
  const durationMs = parts.now() - view.startedAt;
  gauge.sends();
  return { messages: view.messages, report: { ...report, failures, durationMs } };
}

/** A list that is to be edited. */
interface Editable {
  readonly messages: readonly Message[];
  readonly view: View;
  readonly request: EditRequest;
  /** Also where another process has made room meanwhile. */
  readonly isForced: boolean;
}

/**
 * Edits while no other process does, and not at all where one of them has just made room, or where
 * the right to edit cannot be had; the report says why.
 */
async function editAlone(
  open: Ready,
  { messages, view, request, isForced }: Editable,
): Promise<Prepared> {
  const { gauge, parts } = open;
  const editor = await editorOf(open);
  const [given, before] = [[...messages], held(view)];
  return parts.persistence.alone(async (news) => {
    if (typeof news !== "boolean") return unedited(open, before, [news]);
    if (news) await parts.history.ready();
    const newest = news ? held(viewOf(open, given)) : before;
    if (news && !isForced && !gauge.isOver(newest)) return unedited(open, newest);
    const prepared = await editor.edit(newest, request);
    gauge.sends(prepared.messages);
    return prepared;
  }, request.signal);
}

/** The caller may go on adding to its own list while an edit is being made. */
function held(view: View): View {
  return { ...view, messages: [...view.messages], fresh: [...view.fresh] };
}

/** Keeps what an edit needs up to date while one is near; begins a summary if it may. */
async function nearEdit(open: Ready, view: View): Promise<void> {
  // The caller may go on with its list while the code is loaded.
  const seen = open.editor === undefined ? held(view) : view;
  const editor = open.editor ?? (await editorOf(open));
  editor.follow(seen);
  if (!open.parts.persistence.isShared) editor.prepareAhead(seen);
}

/** The share of usable from which on what an edit needs is loaded and kept up to date. */
const EDIT_IS_NEAR = 0.5;

function isFilling(
  { measured }: View,
  { budget }: Gauge,
  { summarizeAhead }: ContextOptions,
): boolean {
  const share = typeof summarizeAhead === "number" ? summarizeAhead : 1;
  return measured.most >= budget.usable * Math.min(EDIT_IS_NEAR, share);
}

/** The reason of a refusal that another request may avoid: at most one of both. */
async function refusalOf(
  refused: unknown,
  { isWindowKnown, window }: ContextBudget,
): Promise<{ readonly overflow?: ProviderOverflow; readonly unreachable?: string }> {
  const { recogniseOverflow } = await import("../core/overflow/provider-error.ts");
  const overflow = recogniseOverflow(refused, isWindowKnown ? window : undefined);
  if (overflow !== undefined) return { overflow };
  const { unreachableMedia } = await import("../core/overflow/unreachable-media.ts");
  return { unreachable: unreachableMedia(refused) };
}

function warningsOf(
  dropped: number,
  { isWindowKnown, window }: ContextBudget,
  { doubt }: Measured,
): readonly string[] {
  const warnings: string[] = [];
  if (dropped > 0) warnings.push(`the history changed; ${dropped} earlier edits no longer apply`);
  if (!isWindowKnown) {
    warnings.push(`the model's window is not known; ${window} tokens are assumed`);
  }
  if (doubt !== undefined) warnings.push(doubtful(doubt));
  return warnings;
}

function doubtful({ reported, estimated, meant }: Doubt): string {
  const why =
    meant === undefined
      ? `a request of about ${Math.round(estimated)} cannot hold so few or so many`
      : `it is about a list of about ${Math.round(meant)}, not about this one of ${Math.round(estimated)}`;
  return `the provider's report of ${reported} tokens is not believed: ${why}`;
}

function rulesOf(
  { constraints = [] }: ContextOptions,
  { journal, records }: History,
  latest: View | undefined,
): readonly string[] {
  const recorded = journal.flatMap(({ facts }) => facts.instructions.map(({ text }) => text));
  const typed = latest === undefined ? [] : typedIn(latest, records.at(-1)?.consumed);
  return [...new Set([...constraints, ...recorded, ...typed])];
}

/** The person's messages since the newest edit, which consumed so much of the history. */
function typedIn({ fresh, consumed }: View, recorded = 0): readonly string[] {
  return fresh
    .slice(Math.max(0, recorded - consumed))
    .filter(({ role, kind }) => role === "user" && kind === undefined)
    .map(messageText)
    .filter((text) => text.trim() !== "");
}
