import type { PrepareOptions } from "../../context/index.ts";
import type { Usage } from "../../core/message/index.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../dialects/openai-chat/wire.ts";
import { openaiResponses } from "../../dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import type { WireObject } from "../../dialects/wire.ts";
import { type Conversation, createConversations } from "../conversations.ts";
import type { Hook } from "../hook.ts";
import { managedSetting } from "../managed.ts";
import { wireMarks } from "../stale-marks.ts";
import type { WireApi } from "../wire-answer.ts";
import { chatAnswers, responsesAnswers } from "./answers.ts";

/** One of the two APIs: where its requests keep the conversation, and what its answers say. */
export interface Endpoint<Params, Native> extends WireApi {
  /** The end of the path of its URL. */
  readonly path: string;
  readonly dialect: Dialect<readonly Native[], Native>;
  /** The messages of a request; `undefined` if there are none. */
  messagesOf(params: Params): readonly Native[] | undefined;
  withMessages<Given extends Params>(params: Given, messages: readonly Native[]): Given;
  besideOf(params: Params): Pick<PrepareOptions, "instructions" | "tools" | "maxOutput">;
  /** The sign that somebody else keeps or edits the conversation. */
  managedBy(params: Params): string | undefined;
}

/** Of one request. */
export interface PrepareParamsOptions extends Pick<
  PrepareOptions,
  "force" | "compactionTemplate" | "signal"
> {
  /** The `usage` of the answer that came last, as the API reported it. */
  readonly usage?: unknown;
}

export type PreparedEndpoint = ReturnType<typeof prepareEndpoint>;

/** The requests of one API; `isManaged` says whether one is left as it is. */
export function prepareEndpoint<Params extends Named, Native extends object>(
  endpoint: Endpoint<Params, Native>,
  hook: Hook<Params>,
  isManaged: (by: string | undefined) => boolean,
) {
  const marks = wireMarks<Native>((message, content) => ({ ...message, content }));
  const conversationOf = createConversations(hook, { dialect: endpoint.dialect, marks });
  const open = (params: Params): Conversation<readonly Native[]> | undefined => {
    const messages = endpoint.messagesOf(params);
    if (messages === undefined || isManaged(endpoint.managedBy(params))) return undefined;
    const { tools = [] } = endpoint.besideOf(params);
    return conversationOf(messages, { request: params, tools, model: params.model });
  };
  const recover = async <Given extends Params>(
    params: Given,
    error: unknown,
    conversation = open(params),
  ): Promise<Given | undefined> => {
    const sent = await conversation?.recover(error);
    return sent && endpoint.withMessages(params, sent);
  };
  return {
    path: endpoint.path,
    api: endpoint as WireApi,
    /** The parameters to send instead of refused ones, or `undefined`. */
    recover: <Given extends Params>(params: Given, error: unknown) => recover(params, error),
    /** Rejects only by the signal. The very parameters go on if nothing had to be done. */
    async prepare<Given extends Params>(
      params: Given,
      { usage, ...rest }: PrepareParamsOptions = {},
    ) {
      const conversation = open(params);
      const sent = await conversation?.prepare({
        ...rest,
        ...endpoint.besideOf(params),
        usage: endpoint.usageOf(usage),
      });
      const isSame = sent === undefined || sent === conversation?.given;
      return {
        params: isSame ? params : endpoint.withMessages(params, sent),
        /** Takes in the report; the next request of the conversation is measured by it. */
        learn: (usage: Usage): void => conversation?.learn(usage),
        recover: async (error: unknown) => conversation && recover(params, error, conversation),
      };
    },
  };
}

interface Named {
  readonly model?: unknown;
}

/** The parameters of a chat completion, as far as they are looked into. */
export interface ChatParams extends Named {
  readonly messages: readonly ChatMessage[];
  readonly tools?: unknown;
  readonly max_completion_tokens?: number | null;
  readonly max_tokens?: number | null;
}

/** The parameters of a response, as far as they are looked into. */
export interface ResponsesParams extends Named {
  readonly input?: string | readonly ResponsesItem[];
  readonly instructions?: string | null;
  readonly tools?: unknown;
  readonly max_output_tokens?: number | null;
  readonly previous_response_id?: string | null;
  readonly conversation?: unknown;
  readonly truncation?: unknown;
  readonly context_management?: unknown;
}

/** `usage` of a chat completion. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** `usage` of a response. */
export interface ResponsesUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number | null } | null;
}

/** Chat Completions, of OpenAI and of the servers that imitate it. */
export const chatCompletions: Endpoint<ChatParams, ChatMessage> = {
  ...chatAnswers,
  path: "/chat/completions",
  dialect: openaiChat,
  messagesOf: ({ messages }) => (Array.isArray(messages) ? messages : undefined),
  withMessages: (params, messages) => ({ ...params, messages }),
  besideOf: (params) => ({
    tools: params.tools,
    maxOutput: params.max_completion_tokens ?? params.max_tokens ?? undefined,
  }),
  managedBy: chatManagedBy,
};

/** OpenRouter takes messages out of the middle where this is switched on. */
function chatManagedBy(params: ChatParams): string | undefined {
  const { transforms, plugins } = params as { transforms?: unknown; plugins?: unknown };
  if (Array.isArray(transforms) && transforms.includes("middle-out")) {
    return 'transforms: ["middle-out"]';
  }
  const isOn = (plugin: { id?: unknown; enabled?: unknown } | null): boolean =>
    plugin?.id === "context-compression" && plugin.enabled !== false;
  return Array.isArray(plugins) && plugins.some(isOn)
    ? 'plugins: [{ id: "context-compression" }]'
    : undefined;
}

export const responses: Endpoint<ResponsesParams, ResponsesItem> = {
  ...responsesAnswers,
  path: "/responses",
  dialect: openaiResponses,
  messagesOf,
  withMessages: (params, input) => ({ ...params, input }),
  besideOf: ({ instructions, tools, max_output_tokens }) => ({
    instructions: instructions ?? undefined,
    tools,
    maxOutput: max_output_tokens ?? undefined,
  }),
  // A history that the server keeps or cuts cannot be edited here.
  managedBy: (params) => managedSetting(params as WireObject, "field"),
};

function messagesOf({ input }: ResponsesParams): readonly ResponsesItem[] | undefined {
  if (typeof input !== "string") return Array.isArray(input) ? input : undefined;
  const message = { type: "message", role: "user", content: input };
  return [message];
}
