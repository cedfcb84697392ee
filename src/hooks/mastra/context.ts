import { recallTools, type RecallTools } from "../../archive/recall-tools.ts";
import type { Context } from "../../context/index.ts";
import { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
import type { AiSdkModel, PromptMessage } from "../../dialects/ai-sdk/model-prompt.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject, textIn } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import { recoveringResult, summarizerOf } from "../ai-sdk/model.ts";
import { createHook, type Hook, type HookOptions, aboutModel } from "../hook.ts";
import { createThreads } from "../threads.ts";
import { withMethods } from "../tools.ts";
import {
  type Conversation,
  conversationOn,
  type InputStepArgs,
  type LLMRequestArgs,
  type ProcessorArgs,
} from "./conversation.ts";

/**
 * `model` and `summarizer` may be language models of the AI SDK. Without `window`, that of
 * the agent's model is taken.
 */
export type MastraContextOptions = HookOptions<
  { readonly modelId: string },
  AiSdkModel,
  ProcessorArgs
>;

/** A processor for the `inputProcessors` of an agent. */
export interface MastraProcessor {
  readonly id: "longhaul";
  readonly name: "Longhaul";
  /**
   * Gives the agent the tools to get back what left its context, and has a
   * prompt that is refused as too long, or answered with nothing for want of room, sent once more,
   * compacted.
   */
  processInputStep<Args extends InputStepArgs>(
    args: Args,
  ): { tools: Record<string, unknown>; model?: Args["model"] } | undefined;
  /** Keeps the prompt of every step inside the window. */
  processLLMRequest<Prompt extends readonly PromptMessage[]>(
    args: LLMRequestArgs<Prompt>,
  ): Promise<{ prompt: Prompt } | undefined>;
}

/** A context with the hook of Mastra. */
export interface MastraContext extends Omit<Context, "subAgent"> {
  /**
   * Keeps every prompt of an agent inside the model's window, with a context for each thread of a
   * memory, or for each run without one. Its edits are what is sent: the memory keeps the whole
   * history. Put it last in `inputProcessors`.
   */
  readonly processor: MastraProcessor;
  /** A set of tools whose outputs are truncated on arrival (T15), inside of a memory's thread. */
  tools<Tools extends object>(tools: Tools): Tools;
  /**
   * `recall` and `search_archive` on this context's own archive. The agents of the processor have
   * those of their thread by themselves.
   */
  readonly recallTools: RecallTools;
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: MastraContextOptions): MastraContext;
}

/**
 * Creates the context of an agent. Throws `ContextError` code `invalid-options` for options that make
 * no sense.
 *
 * @example
 * // needs: a `model` that Mastra takes
 * import { Agent } from "@mastra/core/agent";
 * import { mastraContext } from "longhaul/mastra";
 *
 * const inputProcessors = [mastraContext().processor];
 * new Agent({ id: "a", name: "A", instructions: "Be good.", model, inputProcessors });
 */
export function mastraContext(options: MastraContextOptions = {}): MastraContext {
  return contextOn(createHook(options, { traits: aiSdk.traits, summarizerOf }));
}

function contextOn(hook: Hook<ProcessorArgs>): MastraContext {
  const { context } = hook;
  const conversations = createConversations(hook);
  return {
    ...context,
    processor: processorOn(conversations.of),
    tools: (tools) => truncatingTools(tools, conversations.find),
    recallTools: recallTools(context.archive),
    subAgent: (own = {}) => contextOn(hook.subAgent(own)),
  };
}

function processorOn(
  conversationOf: (args: ProcessorArgs, runId?: string) => Conversation,
): MastraProcessor {
  return {
    id: "longhaul",
    name: "Longhaul",
    processInputStep(args) {
      const conversation = conversationOf(args, args.runId);
      const tools = withTools(args.tools, recallTools(conversation.context.archive));
      conversation.starts({ ...args, tools });
      const model = isModel(args.model) && recoveringModel(args.model, conversation);
      return { tools, ...(model && { model }) };
    },
    async processLLMRequest(args) {
      const prompt = await conversationOf(args).prepare(args);
      return prompt === args.prompt ? undefined : { prompt };
    },
  };
}

interface CalledModel {
  doGenerate(options: object): PromiseLike<object>;
  doStream(options: object): PromiseLike<object>;
}

function isModel(model: unknown): model is CalledModel {
  return isWireObject(model) && typeof model["doStream"] === "function";
}

/** The same model, asked once more where it refuses a prompt, or has no room for an answer. */
function recoveringModel<Model extends CalledModel>(
  model: Model,
  conversation: Conversation,
): Model {
  const asking =
    (method: keyof CalledModel) =>
    (options: object): Promise<object> =>
      recoveringResult(() => model[method](options), {
        async again(refused) {
          const prompt = await conversation.recover(refused);
          return prompt && model[method]({ ...options, prompt });
        },
      });
  return withMethods(model, { doGenerate: asking("doGenerate"), doStream: asking("doStream") });
}

/** The agent's own tools come first, and stay where both have the same name. */
function withTools(own: Record<string, unknown> = {}, more: object): Record<string, unknown> {
  const missing = Object.entries(more).filter(([name]) => !Object.hasOwn(own, name));
  return { ...own, ...Object.fromEntries(missing) };
}

/** The conversation of a memory's thread; without a memory, that of a run. */
function createConversations(hook: Hook<ProcessorArgs>) {
  const threads = createThreads(hook, conversationOn);
  const runs = new WeakMap<object, Conversation>();
  let nameless = 0;
  return {
    of: (args: ProcessorArgs, runId?: string): Conversation => {
      const known = runs.get(args.state);
      if (known !== undefined) return known;
      const { model } = args as { readonly model?: unknown };
      const name = hook.conversationOf(args) ?? threadOf(args) ?? runId;
      const thread = { id: name ?? `run ${(nameless += 1)}`, isLasting: name !== undefined };
      const made = threads.of(thread, aboutModel(model));
      runs.set(args.state, made);
      return made;
    },
    /** One that is open already. */
    find: (args: Pick<ProcessorArgs, "requestContext">): Conversation | undefined => {
      const id = threadOf(args);
      return id === undefined ? undefined : threads.find(id);
    },
  };
}

/** A tool of a run without a memory stays as it is: its outputs are truncated in what is sent. */
function truncatingTools<Tools extends object>(
  tools: Tools,
  find: ReturnType<typeof createConversations>["find"],
): Tools {
  const entries = Object.entries(tools).map(([toolName, tool]: [string, unknown]) => {
    const execute = isWireObject(tool) ? tool["execute"] : undefined;
    if (typeof execute !== "function") return [toolName, tool];
    const truncated = async (input: unknown, options: unknown, ...rest: unknown[]) => {
      const output: unknown = await Reflect.apply(execute, tool, [input, options, ...rest]);
      const conversation = isWireObject(options) ? find(options) : undefined;
      if (conversation === undefined) return output;
      return truncateValue(output, { toolName, input }, conversation.context.truncation);
    };
    const own = { execute: { value: truncated, enumerable: true } };
    return [toolName, Object.create(tool as object, own) as object];
  });
  return Object.fromEntries(entries) as Tools;
}

function threadOf({ requestContext }: Pick<ProcessorArgs, "requestContext">): string | undefined {
  const { thread } = fieldsOf(requestContext?.get("MastraMemory" as never));
  return textIn(fieldsOf(thread), "id");
}
