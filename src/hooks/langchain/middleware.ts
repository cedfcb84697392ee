import type { Conversation } from "./conversation.ts";
import { createThinkingOf, managedByModel, windowOfModel } from "./model.ts";
import { createToolCounter, type LangChainTool } from "./tools.ts";
import type { LangChainRequest, ModelRequestLike } from "./wire.ts";

/** A middleware for `createAgent({ middleware: [...] })`. */
export interface LangChainMiddleware {
  readonly name: "LonghaulMiddleware";
  /** The agent's own tools win over these: one that has the same name keeps its own. */
  readonly tools: readonly LangChainTool[];
  wrapModelCall<Request extends ModelRequestLike, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>;
}

/** The conversation of a request; `window` is that of the model that is called. */
type ConversationFor = (request: LangChainRequest, window: number | undefined) => Conversation;

export function createMiddleware(
  conversationFor: ConversationFor,
  tools: readonly LangChainTool[],
): LangChainMiddleware {
  return {
    name: "LonghaulMiddleware",
    tools,
    wrapModelCall: createWrapModelCall(conversationFor, tools),
  };
}

function createWrapModelCall(
  conversationFor: ConversationFor,
  ownTools: readonly LangChainTool[],
): LangChainMiddleware["wrapModelCall"] {
  const countTools = createToolCounter();
  const thinkingOf = createThinkingOf();
  return async (given, handler) => {
    const request = withoutDoubles(given, ownTools);
    const { model, messages, modelSettings, runtime, systemPrompt } = request;
    const signal = runtime?.signal;
    const thinking = thinkingOf(model);
    const asked = { messages: request.state?.messages ?? messages, config: runtime };
    const thread = conversationFor(asked, windowOfModel(model));
    const sent = await thread.prepare(messages, {
      instructions: systemPrompt ?? "",
      tools: countTools(request.tools),
      boundReasoning: thinking.boundReasoning,
      managedBy: managedByModel(model, modelSettings),
      signal,
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
