import type { Archive } from "../archive/archive.ts";
import { archiveAt, ownArchive } from "#own-archive";
import { ContextError, type Failure, failureOf, isFailure } from "../core/error.ts";
import type { Message } from "../core/message/index.ts";
import { limitsWithin } from "../core/truncate/limits.ts";
import type { OutputMeta } from "../core/truncate/index.ts";
import type { TruncatedOutput, TruncationOptions } from "../tools/index.ts";
import { createChain } from "./chain.ts";
import { checkOptions } from "./check-options.ts";
import type { EditorParts } from "./edit.ts";
import { type ContextEventName, type ContextListener, createEmitter } from "./events.ts";
import { createHistory } from "./history.ts";
import type { JournalRecord } from "./journal.ts";
import { type ContextOptions, withoutConversation, withPlugins } from "./options.ts";
import { createPersistence } from "./persistence.ts";
import { createRecallChoice } from "./recall-choice.ts";
import type { Prepared } from "./report.ts";
import { createSteps, type PrepareOptions } from "./steps.ts";

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
   * learned. If the provider could not load a link, that image or file is described by text, or all
   * linked ones where the error names none. `undefined` for any other error, and for a second one in
   * a row: pass that on. For an answer that is empty or cut off, pass its end, `{ usage, finish }`:
   * it may be an overflow, too (see `recogniseOverflow`).
   */
  recover(history: readonly Message[], refused: unknown): Promise<Prepared | undefined>;
  /**
   * Call it with every tool output on arrival (T15). One above the limits goes to the archive as
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
   * Every edit that stands, oldest first; plain JSON, to be passed as `journal` another time. While
   * none fits the list of now, those of the list before it, or those that were stored.
   */
  journal(): readonly JournalRecord[];
  readonly archive: Archive;
  /**
   * Takes the newest edit back, and returns the list to go on with; `undefined` if there is none.
   * `history` is what the next `prepare` would get: the whole history, or the returned list and what
   * came since; what was compacted then comes back from the archive. If the window is as full as it
   * was, the next `prepare` will edit again. Rejects with `unknown-handle` or `archive-failed`, and
   * changes nothing then.
   */
  undo(history: readonly Message[]): Promise<readonly Message[] | undefined>;
  /**
   * A context for a sub-agent's own conversation: its own budget and journal, and this one's archive
   * and settings where `options` names no others. The rules of this conversation (its `constraints`
   * and what the person has typed so far, word for word) stand in every summary of the sub-agent.
   */
  subAgent(options?: ContextOptions): Context;
  /**
   * Waits until what is under way is done, gives up a summary that is being prepared, and stores what
   * could not be stored before; a `failed` event says what still cannot. The context can be used
   * again afterwards.
   */
  close(): Promise<void>;
}

/**
 * Creates the context of one conversation. Throws `ContextError` code `invalid-options` for options
 * that make no sense, and for names that there are not.
 * @example
 * import { createContext, type Message } from "longhaul";
 *
 * const context = createContext({ window: 200_000 });
 * const history: Message[] = [{ role: "user", parts: [{ type: "text", text: "Fix the build." }] }];
 * // Before every request:
 * const { messages, report } = await context.prepare(history);
 * console.log(report.action); // none
 * console.log(messages === history); // true
 */
export function createContext(options: ContextOptions = {}): Context {
  checkOptions(options);
  const parts = openParts(withPlugins(options));
  const { archive, events, history, persistence, recall } = parts;
  const steps = createSteps(parts);
  const truncation = truncationOf(parts);
  // Calls on one conversation are answered one after the other: two edits made at once would rest
  // on the same view, and the second would undo the first.
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const turn = queue
      .then(() => persistence.load())
      .then(tell)
      .then(task);
    queue = turn.catch(() => undefined);
    return turn;
  };
  const announced = (prepared: Prepared): Prepared => {
    for (const failure of prepared.report.failures) events.emit("failed", failure);
    events.emit("prepared", prepared.report);
    return prepared;
  };
  const tell = (failure: Failure | undefined): void => {
    if (failure !== undefined) events.emit("failed", failure);
  };
  const context: Context & HookSide = {
    archive,
    truncation,
    async truncate(output, meta) {
      const { truncateAndArchive } = await import("../tools/truncate-and-archive.ts");
      return truncateAndArchive(output, meta, truncation);
    },
    journal: () => history.journal,
    recall: (handle) => archive.get(handle),
    subAgent: (own = {}) => createContext(subAgentOptions(parts, steps.rules(), own)),
    on: (name, listener) => events.on(name, listener),
    prepare: (messages, asked) =>
      inTurn(async () => announced(await steps.prepare(messages, asked))),
    recover: (messages, error) =>
      inTurn(async () => {
        const prepared = await steps.recover(messages, error);
        return prepared && announced(prepared);
      }),
    undo: (messages) => inTurn(() => steps.undo(messages)),
    async close() {
      steps.close();
      await inTurn(async () => tell(await persistence.flush()));
    },
    [TELL]: tell,
    [NOTE]: (tools) => recall.note(tools),
  };
  return context;
}

interface ContextParts extends Omit<EditorParts, "gauge"> {
  readonly options: ContextOptions;
}

function openParts(options: ContextOptions): ContextParts {
  const { now = Date.now, journal = [], plugins = [] } = options;
  const archive = archiveOf(options);
  const events = createEmitter();
  // The listeners of plugins hear everything.
  for (const { onEvent } of plugins) if (onEvent !== undefined) events.onAny(onEvent);
  const chain = createChain();
  const history = createHistory(journal, chain);
  const store = options.conversation === undefined ? undefined : archive.journal;
  const persistence = createPersistence(store, history);
  const recall = createRecallChoice(options);
  return { options, archive, events, chain, history, persistence, recall, now };
}

/** The archive, or the part of it that belongs to the conversation. */
function archiveOf({ archive: given, conversation }: ContextOptions): Archive {
  const archive = typeof given === "string" ? archiveAt(given) : given;
  if (conversation === undefined) return archive ?? ownArchive();
  const own = archive?.conversation?.(conversation);
  if (own?.journal !== undefined) return own;
  const problem =
    archive === undefined
      ? "There is no archive, so nothing of a conversation would be kept"
      : `The archive "${archive.name}" keeps no journals`;
  throw new ContextError(
    "invalid-options",
    `${problem}; with the option conversation, pass archive: directoryArchive(folder).`,
    { details: { option: "conversation", value: conversation } },
  );
}

/** T15 with the archive, the limits and the listeners of a context. */
function truncationOf({ archive, options, events, recall }: ContextParts): TruncationOptions {
  return {
    archive,
    toolLimits: limitsWithin(options.window, options.toolLimits),
    toolKinds: options.toolKinds,
    recall: recall.hasTool,
    onTruncated(event) {
      events.emit("truncated", event);
      if (event.failure !== undefined) events.emit("failed", event.failure);
    },
  };
}

/** The settings of a sub-agent's context: those of its parent, but nothing of its conversation. */
function subAgentOptions(
  { archive, options }: ContextParts,
  rules: readonly string[],
  own: ContextOptions,
): ContextOptions {
  const constraints = [...new Set([...rules, ...(own.constraints ?? [])])];
  const { window, maxInput, tokenFactor } = options;
  // Sizes of the parent's model say nothing about another one.
  const sizes = own.model === undefined ? { window, maxInput, tokenFactor } : UNKNOWN_SIZES;
  return { ...withoutConversation(options), archive, ...sizes, ...own, constraints };
}

const UNKNOWN_SIZES = { window: undefined, maxInput: undefined, tokenFactor: undefined };

/** The way to a context for hooks; no part of what users see. */
const TELL: unique symbol = Symbol("longhaul.failed");
const NOTE: unique symbol = Symbol("longhaul.tools");

interface HookSide {
  readonly [TELL]: (failure: Failure) => void;
  readonly [NOTE]: (tools: unknown) => void;
}

/**
 * For hooks: tells the listeners of a context that something failed and that the work goes on without
 * it. Takes whatever was thrown, or the failure of another context as it is.
 */
export function reportFailure(context: object, error: unknown): Failure {
  const failure = isFailure(error) ? error : failureOf(error, "unexpected");
  (context as Partial<HookSide>)[TELL]?.(failure);
  return failure;
}

/** For hooks: the tools of the request that comes next, before anything for it is truncated. */
export function noteTools(context: object, tools: unknown): void {
  (context as Partial<HookSide>)[NOTE]?.(tools);
}

/**
 * Compacts a conversation once, whether it overflows or not: the head becomes a summary, the tail
 * stays verbatim, and every original goes to `options.archive`. For an agent that runs on, keep a
 * {@link createContext} instead, which acts only when there is need and remembers what it did.
 * Rejects with `ContextError` code `irreducible` when what may not be removed does not fit.
 * @example
 * import { compact, type Message } from "longhaul";
 *
 * const log = "all is well, nothing to report today\n".repeat(400);
 * const messages: Message[] = ["Read the logs.", log, "And the next one?", log, "Go on."].map(
 *   (text, at) => ({ role: at % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text }] }),
 * );
 * const { report } = await compact(messages, { window: 16_000 });
 * console.log(report.action); // compact
 */
export function compact(
  messages: readonly Message[],
  options: ContextOptions = {},
): Promise<Prepared> {
  return createContext(options).prepare(messages, { force: true });
}
