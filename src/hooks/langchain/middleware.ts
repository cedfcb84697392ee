import { type Context, type ContextOptions, createContext } from "../../context/index.ts";
import { checkOptions } from "../../context/given-parts.ts";
import { ContextError } from "../../core/error.ts";
import { hookOptions } from "../hook-options.ts";
import { truncatedMessage } from "./arrival.ts";
import { withToolMessages } from "./command.ts";
import { createToolCounter } from "./counted-tools.ts";
import { managedByModel, windowOfModel } from "./model.ts";
import { langchainRecallTools, type LangChainTool } from "./recall-tools.ts";
import { type LangChainSummarizer, summarizerOf } from "./summarizer.ts";
import { createThinkingOf } from "./thinking.ts";
import { createThreads, scopeOf, type Threads } from "./threads.ts";
import type { ModelRequestLike, ToolCallRequestLike } from "./wire.ts";

export interface LonghaulMiddlewareOptions extends Omit<
  ContextOptions,
  "traits" | "conversation" | "journal" | "summarizer"
> {
  /**
   * Who writes summaries; a chat model may be given as it is.
   * @default "extractive", which asks nobody
   */
  readonly summarizer?: LangChainSummarizer;
  /**
   * Whether the agent gets the tools `recall` and `search_archive`, with which it gets back what
   * left its context. One that has a tool of the same name keeps its own. @default true
   */
  readonly recallTools?: boolean;
  /**
   * Where long tool outputs are truncated: in what is sent to the model, or before they enter the
   * graph's state. For the state a `wrapToolCall` is needed, and with any of those LangChain lets
   * the exceptions of tools end the run. @default "request"
   */
  readonly truncateIn?: "request" | "state";
  /** How many conversations are held at once; the one unused for longest gives way. @default 100 */
  readonly maxThreads?: number;
  /** Is told about every conversation that is opened, e.g. to listen to its events. */
  readonly onContext?: (context: Context, thread: { readonly threadId?: string }) => void;
}

/** A middleware for `createAgent({ middleware: [...] })`. */
export interface LonghaulMiddleware {
  readonly name: "LonghaulMiddleware";
  readonly tools: readonly LangChainTool[];
  wrapModelCall<Request extends ModelRequestLike, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  readonly wrapToolCall?: <Request extends ToolCallRequestLike, Result>(
    request: Request,
    handler: (request: Request) => Result | Promise<Result>,
  ) => Promise<Result>;
}

const MAX_THREADS = 100;

/**
 * Keeps every request of an agent inside the model's window. What it edits is what is sent: the state
 * keeps the whole history. Put it last in the list, so that it sees what is sent. Throws
 * `ContextError` code `invalid-options` for options that make no sense.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [longhaulMiddleware()] });
 */
export function longhaulMiddleware(given: LonghaulMiddlewareOptions = {}): LonghaulMiddleware {
  checkOptions(given);
  const {
    recallTools = true,
    truncateIn = "request",
    maxThreads = MAX_THREADS,
    onContext,
    summarizer,
    ...options
  } = given;
  const written = summarizer && summarizerOf(summarizer);
  const context = hookOptions({ ...options, ...(written && { summarizer: written }) });
  if (!Number.isInteger(maxThreads) || maxThreads < 1) throw badMaxThreads(maxThreads);
  // What makes no sense is said now, and not in the middle of a run.
  createContext(context);
  const threads = createThreads({
    context,
    maxThreads,
    onOpen: ({ context: opened }, { threadId }) =>
      onContext?.(opened, threadId === undefined ? {} : { threadId }),
  });
  const tools = recallTools
    ? langchainRecallTools((config) => threads.of(scopeOf(config, config.state)).context.archive)
    : [];
  return {
    name: "LonghaulMiddleware",
    tools,
    wrapModelCall: createWrapModelCall(threads, tools),
    ...(truncateIn === "state" && { wrapToolCall: createWrapToolCall(threads) }),
  };
}

function createWrapModelCall(
  threads: Threads,
  ownTools: readonly LangChainTool[],
): LonghaulMiddleware["wrapModelCall"] {
  const countTools = createToolCounter();
  const thinkingOf = createThinkingOf();
  return async (given, handler) => {
    const request = withoutDoubles(given, ownTools);
    const { model, messages, modelSettings, runtime, systemPrompt } = request;
    const signal = runtime?.signal;
    const thinking = thinkingOf(model);
    const thread = threads.of(scopeOf(runtime, request.state), windowOfModel(model));
    const sent = await thread.prepare(messages, {
      instructions: systemPrompt ?? "",
      tools: countTools(request.tools),
      boundReasoning: thinking.boundReasoning,
      managedBy: managedByModel(model, modelSettings),
      ...(signal !== undefined && { signal }),
    });
    const call = async (list: typeof messages): Promise<Awaited<ReturnType<typeof handler>>> => {
      const isEdited = thread.context.journal().length > 0;
      const called = isEdited ? await thinking.afterEdits() : model;
      const isSame = list === messages && called === model;
      const answer = await handler(
        isSame ? request : { ...request, model: called, messages: [...list] },
      );
      thread.answered(answer);
      return answer;
    };
    try {
      return await call(sent);
    } catch (error) {
      const recovered = await thread.recover(messages, error);
      if (recovered === undefined) throw error;
      return call(recovered);
    }
  };
}

/** The agent's own tools win over ours: no provider takes two of the same name. */
function withoutDoubles<Request extends ModelRequestLike>(
  request: Request,
  ownTools: readonly LangChainTool[],
): Request {
  const { tools = [] } = request;
  const own = new Set<unknown>(ownTools);
  const names = new Set(tools.flatMap((tool) => (own.has(tool) ? [] : [nameOf(tool)])));
  const isDouble = (tool: unknown): boolean => own.has(tool) && names.has(nameOf(tool));
  return tools.some(isDouble)
    ? { ...request, tools: tools.filter((tool) => !isDouble(tool)) }
    : request;
}

function nameOf(tool: unknown): unknown {
  return (tool as { readonly name?: unknown } | undefined)?.name;
}

function createWrapToolCall(threads: Threads): NonNullable<LonghaulMiddleware["wrapToolCall"]> {
  return async (request, handler) => {
    const result = await handler(request);
    const scope = scopeOf(request.runtime, request.state);
    const thread = threads.of(scope);
    return withToolMessages(result, (message) =>
      truncatedMessage(message, { ...request.toolCall }, thread.context),
    );
  };
}

function badMaxThreads(value: unknown): ContextError {
  return new ContextError(
    "invalid-options",
    `The option maxThreads is ${String(value)}; give a whole number from 1 on.`,
    { details: { option: "maxThreads", value } },
  );
}
