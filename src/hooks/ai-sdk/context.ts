import { recallTools, type RecallTools } from "../../archive/recall-tools.ts";
import type { Context } from "../../context/index.ts";
import { ContextError } from "../../core/error.ts";
import { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
import type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { createConversations } from "../conversations.ts";
import { createHook, type Hook, type HookOptions } from "../hook.ts";
import { type NativeFormat, nativeContextOn } from "../native-context.ts";
import { aiSdkMarks } from "../stale-marks.ts";
import { createMiddleware } from "./middleware.ts";
import { type Extras, managedByMessage, summarizerOf } from "./model.ts";
import { createPrepareStep, createRuns, leftBy } from "./prepare-step.ts";
import type {
  AiSdkMiddleware,
  AiSdkRun,
  CallOptions,
  PersistedMessage,
  PrepareStepOptions,
} from "./sdk.ts";
import { countedTools, truncatingTools } from "./tools.ts";

/**
 * `model` and `summarizer` may be language models of the SDK. `conversationOf` is asked for the calls
 * of a wrapped model that no `prepareStep` prepares.
 */
export type AiSdkContextOptions = HookOptions<
  { readonly modelId: string },
  AiSdkModel,
  CallOptions
>;

/** A context with the hooks of the AI SDK, versions 6 and 7; one for each conversation. */
export interface AiSdkContext extends Omit<Context, "subAgent"> {
  /**
   * For `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`: keeps the messages of
   * every step inside the window. Gives the messages to send: the very list if nothing had to be
   * done. Never rejects: what goes wrong is a `failed` event, and the step goes on as it was. May be
   * called in a function of your own, also with messages that this has made; spread what it returns.
   */
  prepareStep<Native extends AiSdkMessage>(
    options: PrepareStepOptions<Native>,
  ): Promise<{ messages: Native[] }>;
  /**
   * A set of tools whose outputs are truncated on arrival (T15), also those that come back from a
   * user interface through `toModelOutput`. The same keys, in the same order.
   */
  tools<Tools extends object>(tools: Tools): Tools;
  /** `recall` and `search_archive`: with them the agent gets back what left its context. */
  readonly recallTools: RecallTools;
  /**
   * For `wrapLanguageModel`: when the provider refuses a request as too long, it is compacted and
   * sent once more. Without `prepareStep` it also keeps every prompt inside the window.
   */
  readonly middleware: AiSdkMiddleware;
  /**
   * The compacted history after a run, to be saved and passed as `messages` another time: what was
   * sent in its newest step and what came in it. Rejects with `ContextError` code `invalid-options`
   * when `prepareStep` had no part in the run.
   */
  persisted<Run extends AiSdkRun>(result: Run): Promise<PersistedMessage<Run>[]>;
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: AiSdkContextOptions): AiSdkContext;
}

/**
 * A context for one conversation of the AI SDK. Throws `ContextError` code `invalid-options` for
 * options that make no sense.
 */
export function aiSdkContext(options: AiSdkContextOptions = {}): AiSdkContext {
  return contextOn(createHook(options, { traits: aiSdk.traits, summarizerOf }));
}

const FORMAT: NativeFormat<readonly AiSdkMessage[], AiSdkMessage> = {
  dialect: aiSdk,
  marks: aiSdkMarks,
  managedBy: managedByMessage,
};

function contextOn(hook: Hook<CallOptions>): AiSdkContext {
  const { context } = hook;
  const runs = createRuns();
  const extras: Extras = {};
  const hooks = {
    native: nativeContextOn(context, FORMAT),
    conversationOf: createConversations(hook, FORMAT, () => runs.last !== undefined),
    runs,
    extras,
  };
  return {
    ...context,
    prepareStep: createPrepareStep(hooks) as AiSdkContext["prepareStep"],
    tools(tools) {
      extras.tools ??= countedTools(tools);
      return truncatingTools(tools, context);
    },
    recallTools: recallTools(context.archive),
    middleware: createMiddleware(hooks),
    async persisted<Run extends AiSdkRun>({ steps }: Run) {
      const run = runs.of(await steps);
      if (run === undefined) throw notPrepared();
      return leftBy(run) as readonly AiSdkMessage[] as PersistedMessage<Run>[];
    },
    subAgent: (own = {}) => contextOn(hook.subAgent(own)),
  };
}

function notPrepared(): ContextError {
  return new ContextError(
    "invalid-options",
    "persisted was called with a run in which prepareStep of this context had no part; pass prepareStep to generateText, streamText or the agent, or save the messages yourself.",
  );
}
