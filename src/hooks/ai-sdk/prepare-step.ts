import { reportFailure } from "../../context/create-context.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import type { ConversationOf } from "../conversations.ts";
import type { NativeContext } from "../native-context.ts";
import { aiSdkMarks, withoutStaleMarks } from "../stale-marks.ts";
import { boundReasoning, managedByParts, managedByStep } from "./model.ts";
import type { Runs } from "./runs.ts";
import type { AiSdkStep, CallOptions, PrepareStepOptions } from "./sdk.ts";
import { instructionText, type Surroundings } from "./surroundings.ts";

type Natives = readonly AiSdkMessage[];

/** What the hooks of one conversation share. */
export interface Hooks {
  readonly native: NativeContext<Natives>;
  readonly runs: Runs;
  readonly surroundings: Surroundings;
  /** `createConversations`, for calls without `prepareStep`. */
  readonly conversationOf: ConversationOf<AiSdkMessage, CallOptions>;
  /** `createStandBack` */
  readonly standsBack: (by: string | undefined) => boolean;
}

/** `prepareStep` as the SDK calls it. */
export function createPrepareStep({
  native,
  runs,
  surroundings,
  standsBack,
}: Hooks): (
  options: PrepareStepOptions<AiSdkMessage>,
) => Promise<{ messages: AiSdkMessage[] } | undefined> {
  const partsOf = onlyNew(managedByParts);
  return async (options) => {
    const { messages, steps } = options;
    try {
      const by = surroundings.managedBy ?? managedByStep(steps.at(-1)) ?? partsOf(messages);
      if (standsBack(by)) {
        runs.started(options, messages);
        return undefined;
      }
      const { conversation: edited } = await native.prepare(runs.follow(options), {
        usage: runs.usage(options),
        instructions: instructionText(options.instructions) ?? surroundings.instructions,
        tools: surroundings.tools,
        boundReasoning: boundReasoning(options.model, surroundings.thinking ?? sentThinking(steps)),
      });
      const conversation = withoutStaleMarks(edited, messages, aiSdkMarks);
      runs.started(options, conversation);
      return conversation === messages ? undefined : { messages: [...conversation] };
    } catch (error) {
      reportFailure(native.context, error);
      return undefined;
    }
  };
}

/** What a step that is done tells of how the agent thinks; version 7 keeps that only if asked to. */
function sentThinking(steps: readonly AiSdkStep[]): unknown {
  const body = steps.at(-1)?.request?.body;
  return isWireObject(body) ? body["thinking"] : undefined;
}

/** A look at a list that only grows, at each message once; what was seen stays seen. */
function onlyNew(
  look: (messages: Natives) => string | undefined,
): (messages: Natives) => string | undefined {
  let length = 0;
  let last: AiSdkMessage | undefined;
  let seen: string | undefined;
  return (messages) => {
    const isLonger = length > 0 && messages[length - 1] === last;
    seen = (isLonger ? seen : undefined) ?? look(isLonger ? messages.slice(length) : messages);
    ({ length } = messages);
    last = messages.at(-1);
    return seen;
  };
}
