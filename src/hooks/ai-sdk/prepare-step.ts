import { reportFailure } from "../../context/create-context.ts";
import type { Usage } from "../../core/message/index.ts";
import { aiSdkUsage } from "../../dialects/ai-sdk/usage.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import type { ConversationOf } from "../conversations.ts";
import type { NativeContext } from "../native-context.ts";
import { type Beside, boundReasoning, instructionText, managedByStep } from "./model.ts";
import type { AiSdkStep, CallOptions, PrepareStepOptions } from "./sdk.ts";

type Natives = readonly AiSdkMessage[];

/** The shared state of the hooks of one conversation. */
export interface Hooks {
  readonly native: NativeContext<Natives>;
  readonly runs: Runs;
  /** Noted from the newest call. */
  readonly beside: Beside;
  /** `createConversations`, for calls without `prepareStep`. */
  readonly conversationOf: ConversationOf<CallOptions, Natives>;
}

/** `prepareStep` as the SDK calls it. */
export function createPrepareStep({
  native,
  runs,
  beside,
}: Hooks): (options: PrepareStepOptions<AiSdkMessage>) => Promise<{ messages: Natives }> {
  return async (options) => {
    const { messages, steps } = options;
    let signal: AbortSignal | undefined;
    try {
      // Of the calls before it in the same run.
      signal = options.abortSignal ?? (steps.length > 0 ? beside.signal : undefined);
      const { conversation } = await native.prepare(runs.follow(options), {
        usage: runs.usage(options),
        instructions: instructionText(options.instructions) ?? beside.instructions,
        tools: beside.tools,
        maxOutput: beside.maxOutput,
        boundReasoning: boundReasoning(options.model, beside.thinking ?? sentThinking(steps)),
        managedBy: beside.managedBy ?? managedByStep(steps.at(-1) ?? runs.last?.steps.at(-1)),
        signal,
      });
      runs.started(options, conversation);
      // Also where nothing changed: these need not be the messages that the SDK would send by itself.
      return { messages: conversation === messages ? messages : [...conversation] };
    } catch (error) {
      // The SDK sees for itself that the caller has given up.
      if (signal?.aborted !== true) reportFailure(native.context, error);
      return { messages };
    }
  };
}

/** How the agent thinks, by a step that is done; version 7 keeps that only if asked to. */
function sentThinking(steps: readonly AiSdkStep[]): unknown {
  const body = steps.at(-1)?.request?.body;
  return isWireObject(body) ? body["thinking"] : undefined;
}

/** The newest step of a run, and what is sent in it. */
export interface Run {
  /** The SDK's own list, which grows as steps are done. */
  readonly steps: readonly AiSdkStep[];
  /** How many of them were done before this step. */
  readonly done: number;
  /** Version 6: the messages of a step's response are those of all steps up to it. */
  readonly isCumulative: boolean;
  readonly sent: Natives;
}

/** The runs of one conversation: a call of `generateText` or `streamText` each. */
export interface Runs {
  /** The newest; absent before the first step. */
  readonly last: Run | undefined;
  /**
   * The same while its newest step waits for its answer. Calls after that, which a tool of the step
   * may make, are those of others, however they begin.
   */
  readonly waiting: Run | undefined;
  answered(): void;
  /** The run that a list of steps belongs to, else the newest. */
  of(steps: readonly AiSdkStep[]): Run | undefined;
  /** The messages to prepare for a step: where the last request was repaired, they go on from that. */
  follow(options: PrepareStepOptions<AiSdkMessage>): Natives;
  /** What the provider reported for the newest answer among the messages. */
  usage(options: PrepareStepOptions<AiSdkMessage>): Usage | undefined;
  started(options: PrepareStepOptions<AiSdkMessage>, sent: Natives): void;
  /** The newest list was refused, and this one was sent instead. */
  repaired(sent: Natives): void;
}

export function createRuns(): Runs {
  const known = new WeakMap<object, Run>();
  let last: Run | undefined;
  let repair: { readonly from: Natives; readonly to: Natives } | undefined;
  let isAnswered = false;
  const note = (run: Run): void => {
    last = run;
    known.set(run.steps, run);
  };
  return {
    get last() {
      return last;
    },
    get waiting() {
      return isAnswered ? undefined : last;
    },
    answered() {
      isAnswered = true;
    },
    of: (steps) => known.get(steps) ?? last,
    follow({ messages, responseMessages }) {
      // Version 6 passes the whole history, and the journal knows what became of that.
      if (repair === undefined || responseMessages === undefined) return messages;
      if (!startsWith(messages, repair.from)) return messages;
      return [...repair.to, ...messages.slice(repair.from.length)];
    },
    usage({ steps, messages }) {
      const newest = steps.at(-1) ?? answerOf(last, messages);
      return newest && aiSdkUsage(newest);
    },
    started({ steps, responseMessages }, sent) {
      isAnswered = false;
      note({ steps, done: steps.length, isCumulative: responseMessages === undefined, sent });
    },
    repaired(sent) {
      if (last === undefined) return;
      repair = { from: last.sent, to: sent };
      note({ ...last, sent });
    },
  };
}

/** The end of a run: the list of its newest step, and the answer. */
export function leftBy({ steps, done, isCumulative, sent }: Run): AiSdkMessage[] {
  const came = steps.slice(done).at(-1)?.response.messages;
  if (came === undefined) return [...sent];
  if (!isCumulative) {
    return [...sent, ...steps.slice(done).flatMap(({ response }) => response.messages)];
  }
  const before = steps[done - 1]?.response.messages.length;
  return [...sent, ...came.slice(before ?? leadingResults(came))];
}

/** Version 6 puts the results of approved calls before the first answer; they were sent with it. */
function leadingResults(messages: Natives): number {
  const first = messages.findIndex(({ role }) => role !== "tool");
  return Math.max(0, first);
}

/** The last step of a run, if its answer is the newest one of these messages. */
function answerOf(run: Run | undefined, messages: Natives): AiSdkStep | undefined {
  const step = run?.steps.at(-1);
  const answer = step?.response.messages.findLast(isAnswer);
  const newest = messages.findLast(isAnswer);
  if (answer === undefined || newest === undefined) return undefined;
  return JSON.stringify(answer.content) === JSON.stringify(newest.content) ? step : undefined;
}

function isAnswer({ role }: AiSdkMessage): boolean {
  return role === "assistant";
}

function startsWith(list: Natives, start: Natives): boolean {
  return list.length >= start.length && start.every((native, index) => native === list[index]);
}
