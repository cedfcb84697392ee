import { memoryArchive } from "../../archive/memory.ts";
import { recallTools as recallToolsOn } from "../../archive/recall-tools.ts";
import { checkOptions } from "../../context/given-parts.ts";
import { type Context, type ContextOptions, createContext } from "../../context/index.ts";
import { ContextError } from "../../core/error.ts";
import { modelWindow } from "../../core/overflow/index.ts";
import { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
import type { AiSdkModel, PromptMessage } from "../../dialects/ai-sdk/model-prompt.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/index.ts";
import { modelSummarizer } from "../ai-sdk/model-summarizer.ts";
import { hookOptions } from "../hook-options.ts";
import { createRecent } from "../recent.ts";
import { type Conversation, conversationOn } from "./conversation.ts";
import type {
  APIErrorArgs,
  InputStepArgs,
  LLMRequestArgs,
  MessageListLike,
  ProcessorArgs,
  ToolResultArgs,
} from "./wire.ts";

export interface LonghaulProcessorOptions extends Omit<
  ContextOptions,
  "traits" | "conversation" | "journal" | "summarizer"
> {
  /**
   * Who writes summaries; a language model of the AI SDK may be given as it is.
   * @default "extractive", which asks nobody
   */
  readonly summarizer?: ContextOptions["summarizer"] | AiSdkModel;
  /**
   * Whether the agent gets the tools `recall` and `search_archive`, with which it gets back what
   * left its context. One that has a tool of the same name keeps its own. @default true
   */
  readonly recallTools?: boolean;
  /** How many threads are held at once; the one unused for longest gives way. @default 100 */
  readonly maxThreads?: number;
  /** Is told about every conversation that is opened, e.g. to listen to its events. */
  readonly onContext?: (context: Context, thread: { readonly threadId?: string }) => void;
}

/** A processor for the lists of an agent. */
export interface LonghaulProcessor {
  readonly id: "longhaul";
  readonly name: "Longhaul";
  /** In `inputProcessors`: gives the agent the tools to get back what left its context. */
  processInputStep(args: InputStepArgs): { tools: Record<string, unknown> } | undefined;
  /** In `inputProcessors`: keeps the prompt of every step inside the window. */
  processLLMRequest<Prompt extends readonly PromptMessage[]>(
    args: LLMRequestArgs<Prompt>,
  ): Promise<{ prompt: Prompt } | undefined>;
  /** In `errorProcessors`: has a prompt that was refused as too long sent once more, compacted. */
  processAPIError(args: APIErrorArgs): Promise<{ retry: true } | undefined>;
  /** In `outputProcessors`: truncates long tool outputs before the memory keeps them, too. */
  processToolResult<List extends MessageListLike>(args: ToolResultArgs<List>): Promise<List>;
}

/** The agent's own tools come first, and stay where both have the same name. */
function withTools(own: Record<string, unknown> = {}, more: object): Record<string, unknown> {
  const missing = Object.entries(more).filter(([name]) => !Object.hasOwn(own, name));
  return { ...own, ...Object.fromEntries(missing) };
}

const MAX_THREADS = 100;
/** A prompt may be refused for its thinking, and then for its length. */
const MOST_RETRIES = 2;

/**
 * Keeps every prompt of an agent inside the model's window. What it edits is what is sent: the memory
 * keeps the whole history. Put it last in `inputProcessors`, and in `errorProcessors` too. Throws
 * `ContextError` code `invalid-options` for options that make no sense.
 *
 * @example
 * const longhaul = longhaulProcessor();
 * new Agent({ id, name, model, instructions, inputProcessors: [longhaul], errorProcessors: [longhaul] });
 */
export function longhaulProcessor(options: LonghaulProcessorOptions = {}): LonghaulProcessor {
  checkOptions(options);
  const { recallTools = true } = options;
  const conversationOf = createConversations(options);
  return {
    id: "longhaul",
    name: "Longhaul",
    processInputStep(args) {
      const conversation = conversationOf(args, args.runId);
      const tools = recallTools
        ? withTools(args.tools, recallToolsOn(conversation.context.archive))
        : args.tools;
      conversation.starts({ ...args, tools });
      return recallTools && tools !== undefined ? { tools } : undefined;
    },
    async processLLMRequest(args) {
      const prompt = await conversationOf(args).prepare(args);
      return prompt === args.prompt ? undefined : { prompt };
    },
    async processAPIError(args) {
      const { error, retryCount } = args;
      if (retryCount >= MOST_RETRIES) return undefined;
      return (await conversationOf(args).recover(error)) ? { retry: true } : undefined;
    },
    async processToolResult(args) {
      const { messageList, toolName, toolCallId, args: input, result } = args;
      if (args.providerExecuted === true) return messageList;
      const { truncation } = conversationOf(args).context;
      const kept = await truncateValue(result, { toolName, input }, truncation);
      if (kept === result) return messageList;
      const toolInvocation = { state: "result", toolCallId, toolName, args: input, result: kept };
      messageList.updateToolInvocation({ type: "tool-invocation", toolInvocation } as never);
      return messageList;
    },
  };
}

/** The conversation of a memory's thread; without a memory, that of a run. */
function createConversations({
  recallTools: _r,
  maxThreads = MAX_THREADS,
  onContext,
  summarizer,
  ...options
}: LonghaulProcessorOptions): (args: ProcessorArgs, runId?: string) => Conversation {
  const context = hookOptions({
    ...options,
    ...(summarizer !== undefined && { summarizer: modelSummarizer(summarizer) }),
  });
  if (!Number.isInteger(maxThreads) || maxThreads < 1) throw badMaxThreads(maxThreads);
  // What makes no sense is said now, and not in the middle of a run.
  createContext(context);
  const threads = createRecent<Conversation>(maxThreads, (dropped) => void dropped.context.close());
  const runs = new WeakMap<object, Conversation>();
  const open = (model: unknown, threadId: string | undefined, runId: string | undefined) => {
    const id = isWireObject(model) ? model["modelId"] : undefined;
    const window = typeof id === "string" ? modelWindow(id) : undefined;
    const opened = createContext({
      traits: aiSdk.traits,
      ...(window !== undefined && { window }),
      ...context,
      ...archiveFor(context, threadId ?? runId),
    });
    onContext?.(opened, threadId === undefined ? {} : { threadId });
    return conversationOn(opened);
  };
  return (args, runId) => {
    const known = runs.get(args.state);
    if (known !== undefined) return known;
    const { model } = args as { readonly model?: unknown };
    const threadId = threadOf(args);
    const made =
      threadId === undefined
        ? open(model, undefined, runId)
        : threads.of(threadId, () => open(model, threadId, runId));
    runs.set(args.state, made);
    return made;
  };
}

/** No conversation sees the originals of another; that of a thread is found again. */
function archiveFor(
  { archive }: ContextOptions,
  conversation: string | undefined,
): Pick<ContextOptions, "archive" | "conversation"> {
  if (archive === undefined) return { archive: memoryArchive() };
  return conversation !== undefined && archive.conversation !== undefined ? { conversation } : {};
}

/** Where Mastra notes the thread of a run. */
function threadOf({ requestContext }: ProcessorArgs): string | undefined {
  const memory = requestContext?.get("MastraMemory" as never);
  const thread = isWireObject(memory) ? memory["thread"] : undefined;
  const id = isWireObject(thread) ? thread["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

function badMaxThreads(value: unknown): ContextError {
  return new ContextError(
    "invalid-options",
    `The option maxThreads is ${String(value)}; give a whole number from 1 on.`,
    { details: { option: "maxThreads", value } },
  );
}
