import type { Archive } from "../../archive/archive.ts";
import { errorMessage } from "../../core/error.ts";
import { messageText, type Message } from "../../core/message/message.ts";
import {
  type Context,
  type ContextOptions,
  type ContextReport,
  createContext,
} from "../../context/index.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { keepObjects } from "../../hooks/follow-natives.ts";
import {
  type NativeContext,
  nativeContextOn,
  type NativePrepareOptions,
} from "../../hooks/native-context.ts";
import type { Limits, OutputMeta } from "../../core/truncate/index.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import { hasSeam, SEAM } from "./seam.ts";

/** The messages of an agent, and how they are read and written. */
export interface AgentFormat<Native> {
  /** The agent's name, e.g. `pi`; the ids of its sessions stand behind it in the archive. */
  readonly agent: string;
  readonly dialect: Dialect<readonly Native[], Native>;
  /** A message of the person that says this, as the agent has it in its list. */
  readonly userMessage: (text: string, like: readonly Native[]) => Native;
}

/** The model of a session, as its agent knows it. */
export interface AgentModel {
  readonly id?: string;
  /** In tokens. */
  readonly window?: number;
  /** The most that a request may have so that the agent itself does not compact, where it says that. */
  readonly usable?: number;
}

/** One session of an agent, inside of the agent's own process. Nothing here rejects. */
export interface Session<Native> {
  readonly archive: Archive;
  /** The list to send; the very one that was given, where nothing had to be done or something failed. */
  prepare(list: readonly Native[], sent?: NativePrepareOptions): Promise<readonly Native[]>;
  /**
   * Takes in why the provider refused the newest request. An overflow is edited away, so that the
   * next request is smaller; a limit that it names holds from then on.
   */
  learn(error: unknown): Promise<void>;
  /** A tool's result within the limits of T15; the very value where it is. */
  truncate<Value>(value: Value, meta: OutputMeta): Promise<Value>;
  /** A summary of messages that the agent itself is about to summarize; asks no model. */
  summarize(head: readonly Native[]): Promise<string | undefined>;
  /** The summary that a list begins with, for agents whose own compactions leave it out. @default the newest list */
  earlierSummary(list?: readonly Native[]): readonly Native[];
  /** The list that was sent last, and how full the window was with it. */
  latest(): Latest | undefined;
  close(): Promise<void>;
}

/** The newest request of a session. */
export interface Latest {
  readonly messages: readonly Message[];
  readonly report: ContextReport;
}

/** Options of a session. */
export interface SessionSetup<Native> {
  readonly id: string;
  readonly format: AgentFormat<Native>;
  readonly model: AgentModel;
  /** Settings of the person; what the agent knows of its model is not among them. */
  readonly settings: ContextOptions & { readonly archive: Archive };
  /** The limits of one output. @default as everywhere else */
  readonly limits?: Partial<Limits>;
  /** Hears of everything that is worth a line in a log. */
  readonly log: (line: string) => void;
}

/** Opens the session of an agent; its journal is in the archive, so that edits outlive the process. */
export function openSession<Native extends object>(setup: SessionSetup<Native>): Session<Native> {
  const { format, limits, log } = setup;
  const options = contextOptions(setup);
  const open = (): NativeContext<readonly Native[]> =>
    nativeContextOn(heard(createContext(options), log), format);
  let native = open();
  let known: readonly Native[] = [];
  let latest: Latest | undefined;
  const follow = (list: readonly Native[]): readonly Native[] => {
    // Agents make their messages anew for every request.
    known = keepObjects(list, known);
    return known;
  };
  const note = (report: ContextReport | undefined, sent: readonly Native[]): void => {
    if (report !== undefined) latest = { report, messages: format.dialect.decode(sent) };
  };
  const guarded = guardedBy(log);
  return {
    archive: native.context.archive,
    prepare: (list, sent) =>
      guarded(async () => {
        const given = follow(seamed(list, format));
        const { conversation, report } = await native.prepare(given, sent);
        note(report, conversation);
        return conversation === given ? list : conversation;
      }, list),
    learn: (error) =>
      guarded(async () => {
        const recovered = await native.recover(known, error);
        if (recovered !== undefined) note(recovered.report, recovered.conversation);
      }, undefined),
    truncate: (value, meta) =>
      guarded(
        async () =>
          (await truncateValue(value, { ...limits, ...meta }, native.context.truncation)) as never,
        value,
      ),
    summarize: (head) =>
      guarded(async () => {
        const summary = await summaryOf(seamed(head, format), options, format);
        log(`summary: ${head.length} messages of a compaction of ${format.agent}`);
        // The list goes on from there: what is known of the one before says nothing about it.
        native = open();
        return summary;
      }, undefined),
    earlierSummary: (list = known) => summaryIn(list, format),
    latest: () => latest,
    close: () => guarded(() => native.context.close(), undefined),
  };
}

/** The agent has the tools to get back what left its window: they come with the plugin. */
function contextOptions<Native>({
  id,
  format,
  model,
  settings,
}: SessionSetup<Native>): ContextOptions & { readonly archive: Archive } {
  const { window, usable } = model;
  return {
    traits: format.dialect.traits,
    recall: true,
    model: model.id,
    window,
    // The agent has kept free what an answer needs.
    ...(usable !== undefined && { maxInput: usable, reserved: 0 }),
    ...settings,
    conversation: `${format.agent}-${id}`,
  };
}

/**
 * A list that begins with such a summary, as its edit left it: so the edit is found in the journal,
 * and the facts of all before it with it. The very list where it begins otherwise.
 */
function seamed<Native>(list: readonly Native[], format: AgentFormat<Native>): readonly Native[] {
  const leading = summaryIn(list, format);
  if (!hasSeam(format.dialect.decode(leading)[0])) return list;
  return [...leading, format.userMessage(SEAM, list), ...list.slice(leading.length)];
}

/**
 * The recorded facts of all these messages. A context keeps the newest of them as a tail; here that
 * is a message that nobody said, so that every other one is in the summary. The edit is in the
 * session's journal, so that the next summary knows whose words this one is.
 */
async function summaryOf<Native extends object>(
  head: readonly Native[],
  options: ContextOptions,
  { dialect, userMessage }: AgentFormat<Native>,
): Promise<string | undefined> {
  if (head.length === 0) return undefined;
  const smallest = { tailTokens: 1, tailShare: undefined, tailUnits: 1, pinnedTokens: 0 };
  const context = createContext({ ...options, ...smallest, continuation: "never" });
  const list = [...head, userMessage(SEAM, head)];
  const { messages } = await context.prepare(dialect.decode(list), { force: true });
  await context.close();
  const summary = messages.find(({ kind }) => kind === "summary");
  return summary && messageText(summary);
}

/**
 * One piece of work after the other: what a refusal teaches holds for the compaction that it causes.
 * No failure reaches the agent: it goes on with `otherwise`, and the log says why.
 */
function guardedBy(
  log: (line: string) => void,
): <Value>(work: () => Promise<Value>, otherwise: Value) => Promise<Value> {
  let queue: Promise<unknown> = Promise.resolve();
  return (work, otherwise) => {
    const turn = queue.then(work).catch((error: unknown) => {
      log(errorMessage(error));
      return otherwise;
    });
    queue = turn;
    return turn;
  };
}

/** The messages up to the summary, if nothing that says anything stands before it. */
function summaryIn<Native>(
  list: readonly Native[],
  { dialect }: AgentFormat<Native>,
): readonly Native[] {
  const first = list.findIndex((native) => dialect.decode([native]).length > 0);
  const leading = list.slice(0, first + 1);
  return dialect.decode(leading)[0]?.kind === "summary" ? leading : [];
}

function heard(context: Context, log: (line: string) => void): Context {
  context.on("failed", ({ code, message }) => log(`${code}: ${message}`));
  context.on("prepared", ({ action, tokens, messages }) => {
    if (action === "none") return;
    const sizes = `${tokens.before} to ${tokens.after} tokens`;
    log(`${action}: ${sizes}, ${messages.before} to ${messages.after} messages`);
  });
  return context;
}
