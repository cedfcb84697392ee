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
    const asked = { messages: request.state?.messages ?? messages, config: runtime };
    const options = {
      instructions: systemPrompt ?? "",
      tools: countTools(request.tools),
      managedBy: managedByModel(model, modelSettings),
      signal: runtime?.signal,
    };
    const conversation = conversationFor(asked, windowOfModel(model));
    const sent = { messages, thinking: thinkingOf(model), options };
    return conversation.send(sent, async (list, called) => {
      const isSame = list === messages && called === model;
      return handler(isSame ? request : { ...request, model: called, messages: [...list] });
    });
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
