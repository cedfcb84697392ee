import { reportFailure } from "../../context/create-context.ts";
import type { Context } from "../../context/index.ts";
import { toJson } from "../../core/text/json.ts";
import { createConversations } from "../conversations.ts";
import { createHook, type Hook, type HookOptions, type HookSdk } from "../hook.ts";
import { createManagedCheck } from "../managed.ts";
import { mapTools, type Mutable, recallForms, withMethods } from "../tools.ts";
import { agentItems } from "./native-item.ts";
import { openaiById } from "../summarizer.ts";
import { preparingModel, type PreparingOptions, preparingProvider, summarizerOf } from "./model.ts";
import { recallPieces, type RecallToolOptions, truncateResult, truncatingTool } from "./tools.ts";
import type {
  AgentItem,
  AgentModel,
  AgentModelProvider,
  AgentSession,
  ModelRequest,
} from "./wire.ts";

/** `summarizer` may be a model of the SDK. */
export type AgentsContextOptions = HookOptions<string, AgentModel, ModelRequest>;

/** A context with the hooks of the OpenAI Agents SDK. */
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
  const keep = async (items: readonly AgentItem[]): Promise<boolean> => {
    try {
      await context.archive.put("head", items.map((item) => toJson(item)).join("\n"));
      return true;
    } catch (error) {
      reportFailure(context, error);
      return false;
    }
  };
  return {
    ...context,
    modelProvider: (provider) => preparingProvider(provider, preparing),
    model: (model) => preparingModel(model, preparing),
    session: (session) => compactingSession(session, { ...preparing, keep }),
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

interface CompactingOptions extends PreparingOptions {
  /** Keeps what is about to be replaced; resolves to false when it could not. */
  readonly keep: (items: readonly AgentItem[]) => Promise<boolean>;
}

/**
 * A session whose stored history follows what is sent: after a run, the SDK asks such a session to
 * compact itself (`runCompaction`), and it stores what the edits of the run have left. Nothing is
 * replaced that is not in the archive.
 */
function compactingSession<Session extends AgentSession>(
  session: Session,
  { conversationOf, isManaged, keep }: CompactingOptions,
): Session {
  if (isManaged("runCompaction" in session ? "a session with runCompaction" : undefined)) {
    return session;
  }
  const runCompaction = async ({ force = false }: { force?: boolean } = {}): Promise<null> => {
    const items = await session.getItems();
    if (items.length === 0 || isWaiting(items)) return null;
    const conversation = conversationOf(items);
    const sent = await conversation.prepare({ force });
    if (sent === conversation.given || !(await keep(items))) return null;
    await replaceItems(session, items, sent);
    return null;
  };
  return withMethods(session, { runCompaction });
}

/** A call that waits for a person gets its result in the next run; an edit would give it one of ours. */
function isWaiting(items: readonly AgentItem[]): boolean {
  const asked = items.findLastIndex(({ role }) => role === "user");
  const newest: readonly CallItem[] = items.slice(asked + 1);
  const answered = new Set(newest.flatMap((item) => (isCall(item) ? [] : [item.callId])));
  return newest.some((item) => isCall(item) && !answered.has(item.callId));
}

interface CallItem extends AgentItem {
  readonly callId?: string;
}

function isCall({ type, callId }: CallItem): boolean {
  return callId !== undefined && type?.endsWith("_call") === true;
}

/** Stores other items; when that fails, the old ones again. */
async function replaceItems(
  session: AgentSession,
  before: readonly AgentItem[],
  after: readonly AgentItem[],
): Promise<void> {
  await session.clearSession();
  try {
    await session.addItems([...after] as never);
  } catch (error) {
    await session.clearSession();
    await session.addItems([...before] as never);
    throw error;
  }
}
