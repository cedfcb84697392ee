import type { Context } from "../../context/index.ts";
import { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
import type { Summarizer } from "../../models/summarizer.ts";
import { createHook, type Hook, type HookOptions, type HookSdk } from "../hook.ts";
import { createManagedCheck } from "../managed.ts";
import { clientSummarizer, openaiById } from "../summarizer.ts";
import { mapTools, type Mutable } from "../tools.ts";
import {
  createPreparingFetch,
  type Fetch,
  isClient,
  type OpenAIClient,
  preparingClient,
} from "./client.ts";
import {
  chatCompletions,
  type ChatParams,
  prepareEndpoint,
  responses,
  type ResponsesParams,
} from "./endpoint.ts";
import {
  chatRecall,
  responsesRecall,
  type ResponsesTool,
  type RunnableTool,
  wrapRunnable,
} from "./tools.ts";

/** `summarizer` may be a client of the SDK; it then asks `model`. */
export type OpenAIContextOptions = HookOptions<string, OpenAIClient, ChatParams | ResponsesParams>;

/** A context with the hooks of the OpenAI SDK. */
export interface OpenAIContext extends Omit<Context, "subAgent"> {
  /**
   * A client of the same class and with the same options, whose requests to Chat Completions and
   * Responses are prepared: `create`, `parse`, `stream` and `runTools`, whose tools are truncated
   * on arrival (T15). A request that the API refuses as too long is compacted and sent once more.
   * The client that is given stays as it is. Throws `invalid-options` for a client of the package
   * `openai` before version 5.
   */
  client<Client extends OpenAIClient>(client: Client): Client;
  /**
   * A `fetch` that does to requests what the client does, for clients and loops that take one. It
   * leaves alone what goes elsewhere.
   */
  readonly fetch: Fetch;
  /** Tools for `runTools` whose outputs are truncated on arrival (T15), as the client's own are. */
  tools<Tools extends readonly object[] | []>(tools: Tools): Mutable<Tools>;
  /** `recall` and `search_archive` for Chat Completions and `runTools`. */
  readonly recallTools: RunnableTool[];
  /** The same for Responses. */
  readonly responsesRecallTools: ResponsesTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: OpenAIContextOptions): OpenAIContext;
}

/**
 * Creates the context of an agent. Throws `invalid-options` like `createContext`.
 *
 * @example
 * // needs: OPENAI_API_KEY
 * import OpenAI from "openai";
 * import { openaiContext } from "longhaul/openai";
 *
 * const openai = openaiContext({ model: "gpt-5" }).client(new OpenAI());
 */
export function openaiContext(options: OpenAIContextOptions = {}): OpenAIContext {
  return contextOn(createHook(options, SDK));
}

const SDK: HookSdk = {
  // Both APIs have the same traits.
  traits: openaiChat.traits,
  summarizerOf,
  summarizerById: openaiById,
};

function contextOn(hook: Hook<ChatParams | ResponsesParams>): OpenAIContext {
  const { context } = hook;
  const isManaged = createManagedCheck(context);
  const endpoints = [
    prepareEndpoint(chatCompletions, hook, isManaged),
    prepareEndpoint(responses, hook, isManaged),
  ];
  const wrapFetch = (fetch: Fetch): Fetch => createPreparingFetch(endpoints, fetch);
  return {
    ...context,
    client: (client) => preparingClient(client, { context, wrapFetch }),
    fetch: wrapFetch((input, init) => globalThis.fetch(input, init)),
    tools: (tools) => mapTools(tools, (tool) => wrapRunnable(tool, context.truncation)),
    recallTools: chatRecall(context.archive),
    responsesRecallTools: responsesRecall(context.archive),
    subAgent: (own = {}) => contextOn(hook.subAgent(own)),
  };
}

function summarizerOf(given: unknown, model: unknown): Summarizer | undefined {
  if (!isClient(given)) return undefined;
  const completions = given.chat.completions as {
    create(params: object, options: object): PromiseLike<unknown>;
  };
  return clientSummarizer("openai", model, async ({ prompt, signal }, id) => {
    const messages = [
      { role: "system", content: prompt.system },
      { role: "user", content: prompt.user },
    ];
    const { chatAnswer } = await import("../../models/openai-compatible.ts");
    return chatAnswer(await completions.create({ model: id, messages }, { signal }));
  });
}
