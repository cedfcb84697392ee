import type { Context } from "../../context/index.ts";
import { createConversations } from "../conversations.ts";
import { createHook, type Hook, type HookOptions, type HookSdk } from "../hook.ts";
import { createManagedCheck } from "../managed.ts";
import { mapTools, type Mutable, recallForms } from "../tools.ts";
import { agentItems } from "./native-item.ts";
import { openaiById } from "../summarizer.ts";
import { preparingModel, preparingProvider, summarizerOf } from "./model.ts";
import { recallPieces, type RecallToolOptions, truncateResult, truncatingTool } from "./tools.ts";
import { compactingSession } from "./session.ts";
import type { AgentModel, AgentModelProvider, AgentSession, ModelRequest } from "./wire.ts";

/** `summarizer` may be a model of the SDK. */
export type AgentsContextOptions = HookOptions<string, AgentModel, ModelRequest>;

/** A context with the hooks of the OpenAI Agents SDK. */
export interface AgentsContext extends Omit<Context, "subAgent"> {
  /**
   * For `new Runner({ modelProvider: context.modelProvider(new OpenAIProvider()) })`: every request
   * of the runs is prepared, results of tools are truncated on their way (T15), and what the
   * provider refuses as too long is compacted and sent once more. The history that a run or a
   * plain session keeps stays whole.
   */
  modelProvider<Provider extends AgentModelProvider>(provider: Provider): Provider;
  /** The same for one model, e.g. for `new Agent({ model: context.model(model) })`. */
  model<Model extends AgentModel>(model: Model): Model;
  /**
   * A session whose stored history becomes what was compacted, once a run has ended: reading it and
   * handing it to the model stays fast however long it lives. Everything that is replaced is in the
   * archive.
   */
  session<Session extends AgentSession>(session: Session): Session;
  /**
   * `recall` and `search_archive`, for the SDK's `tool()`: `context.recallTools.map((options) =>
   * tool(options))`. With them the agent gets back what left its context.
   */
  readonly recallTools: RecallToolOptions[];
  /**
   * Function tools whose outputs are truncated on arrival (T15), so that a session keeps little of
   * them, too.
   */
  tools<Tools extends readonly object[] | []>(tools: Tools): Mutable<Tools>;
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: AgentsContextOptions): AgentsContext;
}

/**
 * Creates the context of an agent. Throws `invalid-options` like `createContext`.
 *
 * @example
 * // needs: OPENAI_API_KEY
 * import { OpenAIProvider, Runner } from "@openai/agents";
 * import { agentsContext } from "longhaul/openai-agents";
 *
 * const context = agentsContext({ model: "gpt-5" });
 * const runner = new Runner({ modelProvider: context.modelProvider(new OpenAIProvider()) });
 */
export function agentsContext(options: AgentsContextOptions = {}): AgentsContext {
  return contextOn(createHook(options, SDK));
}

const SDK: HookSdk = {
  traits: agentItems.traits,
  summarizerOf,
  summarizerById: openaiById,
};

function contextOn(hook: Hook<ModelRequest>): AgentsContext {
  const { context } = hook;
  const preparing = {
    conversationOf: createConversations(hook, { dialect: agentItems, truncate: truncateResult }),
    isManaged: createManagedCheck(context),
  };
  return {
    ...context,
    modelProvider: (provider) => preparingProvider(provider, preparing),
    model: (model) => preparingModel(model, preparing),
    session: (session) => compactingSession(session, context, preparing),
    tools: (tools) => mapTools(tools, (tool) => truncatingTool(tool, context.truncation)),
    recallTools: recallForms(context.archive).map(({ name, description, schema, recall }) => ({
      name,
      description,
      parameters: schema,
      strict: true,
      execute: async (input) => recallPieces(await recall(input)),
    })),
    subAgent: (own = {}) => contextOn(hook.subAgent(own)),
  };
}
