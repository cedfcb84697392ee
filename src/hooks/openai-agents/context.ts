import { toJson } from "../../core/text/index.ts";
import { recallTools } from "../../archive/recall-tools.ts";
import { type Context, type ContextOptions, createContext } from "../../context/index.ts";
import { createConversations } from "../conversations.ts";
import { hookOptions, subAgentSettings } from "../hook-options.ts";
import { createStandBack } from "../stand-back.ts";
import { agentItems } from "./agent-items.ts";
import { preparingModel, preparingProvider } from "./model.ts";
import { recallOptions, type RecallToolOptions } from "./recall-options.ts";
import { compactingSession } from "./session.ts";
import { createTruncation } from "./truncate-results.ts";
import type { AgentItem, AgentModel, AgentModelProvider, AgentSession } from "./wire.ts";

export interface AgentsContextOptions extends ContextOptions {
  /**
   * The agent's model. Where `window` is not given, that of the model's family is taken: the table
   * of the command line, 128,000 for families that it does not know.
   */
  readonly model?: string;
}

/** A context with the hooks of the OpenAI Agents SDK; one for each conversation. */
export interface AgentsContext extends Omit<Context, "subAgent"> {
  /**
   * For `new Runner({ modelProvider: context.modelProvider(new OpenAIProvider()) })`: every request
   * of the runs is prepared, results of tools are truncated on their way (T15), and what the
   * provider refuses as too long is compacted and sent once more. The history that a run or a
   * session keeps stays whole.
   */
  modelProvider<Provider extends AgentModelProvider>(provider: Provider): Provider;
  /** The same for one model, e.g. for `new Agent({ model: context.model(model) })`. */
  model<Model extends AgentModel>(model: Model): Model;
  /**
   * A session whose stored history becomes what was compacted, once a run has ended: reading it and
   * handing it to the model stays fast however long it lives. What is replaced is in the archive.
   */
  session<Session extends AgentSession>(session: Session): Session;
  /**
   * `recall` and `search_archive`, for the SDK's `tool()`: `context.recallTools.map((options) =>
   * tool(options))`. With them the agent gets back what left its context.
   */
  readonly recallTools: readonly RecallToolOptions[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: AgentsContextOptions): AgentsContext;
}

/**
 * Creates the context of one conversation. Throws `invalid-options` like `createContext`.
 *
 * @example
 * const context = agentsContext({ model: "gpt-5" });
 * const runner = new Runner({ modelProvider: context.modelProvider(new OpenAIProvider()) });
 */
export function agentsContext(options: AgentsContextOptions = {}): AgentsContext {
  const settings = { traits: agentItems.traits, ...hookOptions(options) };
  return withHooks(createContext(settings), settings);
}

function withHooks(context: Context, settings: ContextOptions): AgentsContext {
  const messagesOf = (items: readonly AgentItem[]): readonly AgentItem[] => items;
  const format = { dialect: agentItems, messagesOf };
  const conversationOf = createConversations({ context, settings, format });
  const standsBack = createStandBack(context);
  const truncate = createTruncation(context.truncation);
  const preparing = { conversationOf, standsBack, truncate };
  const keep = async (items: readonly AgentItem[]): Promise<boolean> => {
    try {
      await context.archive.put("head", items.map((item) => toJson(item)).join("\n"));
      return true;
    } catch (error) {
      context.fail(error);
      return false;
    }
  };
  return {
    ...context,
    modelProvider: (provider) => preparingProvider(provider, preparing),
    model: (model) => preparingModel(model, preparing),
    session: (session) => compactingSession(session, { conversationOf, standsBack, keep }),
    recallTools: Object.entries(recallTools(context.archive)).map(recallOptions),
    subAgent(own = {}) {
      const options = hookOptions(own);
      return withHooks(context.subAgent(options), subAgentSettings(settings, context, options));
    },
  };
}
