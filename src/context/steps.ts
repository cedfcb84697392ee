import { checkNames, type OptionNames } from "../core/options.ts";
import { messageText, type Message } from "../core/message/message.ts";
import type { Editor, EditorParts } from "./edit.ts";
import { isOver } from "./over.ts";
import type { EarlyPrune } from "./plan-edit.ts";
import { editing, held } from "./editing.ts";
import type { History } from "./history.ts";
import type { Gauge, Measured, SentBeside } from "./measure.ts";
import type { Doubt } from "./reports.ts";
import type { ContextOptions, TemplateOption } from "./options.ts";
import type { Prepared, View } from "./report.ts";
import { checkTemplates } from "./templates.ts";
import type { ContextBudget } from "../core/overflow/index.ts";
import type { TokenCounter } from "../core/tokens/index.ts";

/** Of one call. What `instructions` and `tools` say holds for the calls after it, too. */
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

/** What a context does with a list of messages. */
export interface Steps {
  prepare(messages: readonly Message[], options?: PrepareOptions): Promise<Prepared>;
  recover(messages: readonly Message[], refused: unknown): Promise<Prepared | undefined>;
  undo(messages: readonly Message[]): Promise<readonly Message[] | undefined>;
  /** What a sub-agent has to hold to: the constraints, then what the person typed, each once. */
  rules(): readonly string[];
  close(): void;
}

/** What is opened with the first call, and when an edit comes near. */
interface Opened {
  readonly gauge: () => Promise<Gauge>;
  readonly editor: () => Promise<Editor>;
  /** The same, if it is loaded. */
  readonly loaded: () => Editor | undefined;
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

function checked(asked: PrepareOptions, options: ContextOptions): PrepareOptions {
  checkNames(asked, PREPARE_OPTIONS);
  const { compactionTemplate } = asked;
  if (compactionTemplate !== undefined) checkTemplates(options, compactionTemplate);
  return asked;
}

export function createSteps(parts: Omit<EditorParts, "gauge">): Steps {
  const { options, history, persistence, recall } = parts;
  const opened = opening(parts);
  const views = viewing(parts, opened);
  const { viewOf } = views;
  let hasRecovered = false;
  const ready = async (): Promise<Gauge> => {
    const gauge = await opened.gauge();
    await history.ready();
    gauge.window.restore(history.journal.findLast(({ window }) => window !== undefined)?.window);
    return gauge;
  };

  const edits = editing(parts, () => opened.loaded()?.costs, viewOf);

  return {
    async prepare(messages, asked = {}) {
      const { force = false, pays, signal } = checked(asked, options);
      hasRecovered = false;
      signal?.throwIfAborted();
      const gauge = await ready();
      gauge.note(asked);
      recall.note(asked.tools);
      const view = viewOf(messages, gauge);
      if (force || pays !== undefined || isOver(view, gauge, options)) {
        const editor = await opened.editor();
        return edits.editAlone({ messages, view, gauge, force, signal }, async (newest) => {
          const prepared = await editor.edit(newest, { ...asked, force });
          gauge.sends(prepared.messages);
          return prepared;
        });
      }
      if (isFilling(view, gauge, options)) await nearEdit(view, opened, !persistence.isShared);
      return edits.unedited(view, gauge);
    },
    async recover(messages, refused) {
      if (messages.length === 0 || hasRecovered) return undefined;
      hasRecovered = true;
      const gauge = await ready();
      const { recogniseRefusal, unlessFailed } = await import("./refusal.ts");
      const { overflow, unreachable } = recogniseRefusal(refused, gauge.budget);
      const force = overflow !== undefined;
      if (!force && unreachable === undefined) return undefined;
      viewOf(messages, gauge);
      if (force) gauge.refuse(overflow);
      const editor = await opened.editor();
      const view = viewOf(messages, gauge);
      const prepared = edits.editAlone({ messages, view, gauge, force: false }, (newest) =>
        shrunk(() => editor.edit(newest, { force, unreachable }), gauge),
      );
      return unlessFailed(await prepared, parts.events);
    },
    async undo(messages) {
      const editor = await opened.editor();
      await history.ready();
      views.forget();
      return editor.undo(messages);
    },
    rules: () => rulesOf(options, history, views.latest()),
    close: () => opened.loaded()?.close(),
  };
}

/** The edit that a refused request needs, made into what is known of the window while that holds. */
async function shrunk(edit: () => Promise<Prepared>, gauge: Gauge): Promise<Prepared | undefined> {
  try {
    const prepared = await edit();
    gauge.sends(prepared.messages);
    return prepared.report.action === "none" ? undefined : prepared;
  } finally {
    gauge.window.settle();
  }
}

/** The views of a conversation, each measured from where it differs from the one before. */
interface Views {
  /** The caller's list with the edits that fit it, and how full the window is with it. */
  readonly viewOf: (messages: readonly Message[], gauge: Gauge) => View;
  readonly latest: () => View | undefined;
  /** The newest view is not what the next one goes on from. */
  forget(): void;
}

function viewing(
  { history, now }: Pick<EditorParts, "history" | "now">,
  { loaded }: Opened,
): Views {
  let latest: View | undefined;
  let isMeasured = false;
  return {
    viewOf(messages, { measure, budget, forget }) {
      const startedAt = now();
      const recognised = history.recognise(messages);
      recognised.changed.forEach(forget);
      const view = { ...recognised, from: isMeasured ? recognised.from : 0 };
      const { from, base, dropped } = view;
      loaded()?.passed(view);
      // What was reported for a request with edits says nothing about one without them.
      const since = dropped > 0 ? view.messages.length : base.length;
      const measured = measure({ messages: view.messages, from, since });
      isMeasured = true;
      latest = { ...view, measured, warnings: warningsOf(dropped, budget, measured), startedAt };
      return latest;
    },
    latest: () => latest,
    forget() {
      isMeasured = false;
    },
  };
}

/** What an edit needs is loaded, and kept up to date while one is near; a summary is begun if it may be. */
async function nearEdit(view: View, { editor, loaded }: Opened, mayAsk: boolean): Promise<void> {
  const known = loaded();
  const seen = known === undefined ? held(view) : view;
  const near = known ?? (await editor());
  near.follow(seen);
  if (mayAsk) near.prepareAhead(seen);
}

function opening(parts: Omit<EditorParts, "gauge">): Opened {
  const { options } = parts;
  let gauge: Gauge | undefined;
  let editor: Editor | undefined;
  const open = async (): Promise<Gauge> => {
    gauge ??= await openGauge(options);
    return gauge;
  };
  return {
    gauge: open,
    loaded: () => editor,
    async editor() {
      // An import that is loaded already still asks the runtime, which takes longer than a step.
      if (editor !== undefined) return editor;
      const { createEditor } = await import("./edit.ts");
      editor ??= createEditor({ ...parts, gauge: await open() });
      return editor;
    },
  };
}

/** The share of usable from which on what an edit needs is loaded and kept up to date. */
const EDIT_IS_NEAR = 0.5;

/** The gauge comes with the first measurement, and the weights of the estimator where they are needed. */
async function openGauge(options: ContextOptions): Promise<Gauge> {
  const [{ createGauge }, counter] = await Promise.all([
    import("./measure.ts"),
    options.counter ?? estimator(),
  ]);
  return createGauge(options, counter);
}

async function estimator(): Promise<TokenCounter> {
  return (await import("../core/tokens/estimator.ts")).estimator;
}

function isFilling(
  { measured }: View,
  { budget }: Gauge,
  { summarizeAhead }: ContextOptions,
): boolean {
  const share = typeof summarizeAhead === "number" ? summarizeAhead : 1;
  return measured.most >= budget.usable * Math.min(EDIT_IS_NEAR, share);
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

/** What the person has typed since the newest edit, which consumed so much of the history. */
function typedIn({ fresh, consumed }: View, recorded = 0): readonly string[] {
  return fresh
    .slice(Math.max(0, recorded - consumed))
    .filter(({ role, kind }) => role === "user" && kind === undefined)
    .map(messageText)
    .filter((text) => text.trim() !== "");
}
