import { reportFailure } from "../../context/create-context.ts";
import type { Usage } from "../../core/message/index.ts";
import { type AiSdkMessage, aiSdkUsage } from "../../dialects/ai-sdk/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import type { ConversationOf } from "../conversations.ts";
import { beginsWith } from "../follow-natives.ts";
import type { NativeContext } from "../native-context.ts";
import { type Extras, boundReasoning, instructionText, managedByStep } from "./model.ts";
import type { AiSdkStep, CallOptions, PrepareStepOptions } from "./sdk.ts";

type Natives = readonly AiSdkMessage[];

/** The shared state of the hooks of one conversation. */
export interface Hooks {
  readonly native: NativeContext<Natives>;
  readonly runs: ReturnType<typeof createRuns>;
  /** Noted from the newest call. */
  readonly extras: Extras;
  /** `createConversations`, for calls without `prepareStep`. */
  readonly conversationOf: ConversationOf<CallOptions, Natives>;
}

export function createPrepareStep({ native, runs, extras }: Hooks) {
  return async (options: Step): Promise<{ messages: Natives }> => {
    const { messages, steps } = options;
    let signal: AbortSignal | undefined;
    try {
      // Version 7 keeps what a step sent only if asked to.
      const sent = fieldsOf(steps.at(-1)?.request?.body);
      // Of the calls before it in the same run.
      signal = options.abortSignal ?? (steps.length > 0 ? extras.signal : undefined);
      const { conversation } = await native.prepare(runs.follow(options), {
        usage: runs.usage(options),
        instructions: instructionText(options.instructions) ?? extras.instructions,
        tools: extras.tools,
        maxOutput: extras.maxOutput,
        boundReasoning: boundReasoning(options.model, extras.thinking ?? sent["thinking"]),
        managedBy: extras.managedBy ?? managedByStep(steps.at(-1) ?? runs.last?.steps.at(-1)),
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

/** The newest step of a run, and what is sent in it. */
export interface Run {
  /** The SDK's own list, which grows as steps are done. */
  readonly steps: readonly AiSdkStep[];
  /** The number of them that were done before this step. */
  readonly done: number;
  /** Version 6: the messages of a step's response are those of all steps up to it. */
  readonly isCumulative: boolean;
  readonly sent: Natives;
}

type Step = PrepareStepOptions<AiSdkMessage>;

/** The runs of one conversation: a call of `generateText` or `streamText` each. */
export function createRuns() {
  const known = new WeakMap<object, Run>();
  let last: Run | undefined;
  let repair: { readonly from: Natives; readonly to: Natives } | undefined;
  let isAnswered = false;
  const note = (run: Run): void => {
    last = run;
    known.set(run.steps, run);
  };
  return {
    /** The newest; absent before the first step. */
    get last(): Run | undefined {
      return last;
    },
    /**
     * Until its newest step is answered; calls after that, e.g. by a tool of the step, are those of
     * others.
     */
    get waiting(): Run | undefined {
      return isAnswered ? undefined : last;
    },
    answered(): void {
      isAnswered = true;
    },
    /** The run that a list of steps belongs to, else the newest. */
    of: (steps: readonly AiSdkStep[]): Run | undefined => known.get(steps) ?? last,
    /** The messages to prepare for a step: where the last request was repaired, they go on from that. */
    follow({ messages, responseMessages }: Step): Natives {
      // Version 6 passes the whole history, and the journal knows what became of that.
      if (repair === undefined || responseMessages === undefined) return messages;
      const { from, to } = repair;
      return beginsWith(messages, from, Object.is)
        ? [...to, ...messages.slice(from.length)]
        : messages;
    },
    /** The provider's report for the newest answer among the messages. */
    usage({ steps, messages }: Step): Usage | undefined {
      const newest = steps.at(-1) ?? answerOf(last, messages);
      return newest && aiSdkUsage(newest);
    },
    started({ steps, responseMessages }: Step, sent: Natives): void {
      isAnswered = false;
      note({ steps, done: steps.length, isCumulative: responseMessages === undefined, sent });
    },
    /** The newest list was refused, and this one was sent instead. */
    repaired(sent: Natives): void {
      if (last === undefined) return;
      repair = { from: last.sent, to: sent };
      note({ ...last, sent });
    },
  };
}

/** The end of a run: the list of its newest step, and the answer. */
export function leftBy({ steps, done, isCumulative, sent }: Run): AiSdkMessage[] {
  const since = steps.slice(done).map(({ response }) => response.messages);
  const came = since.at(-1);
  if (came === undefined || !isCumulative) return [...sent, ...since.flat()];
  const before = steps[done - 1]?.response.messages.length;
  // Version 6 puts the results of approved calls before the first answer; they were sent with it.
  const first = came.findIndex(({ role }) => role !== "tool");
  return [...sent, ...came.slice(before ?? Math.max(0, first))];
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
