import type { PrepareOptions } from "../../context/index.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../dialects/openai-chat/wire.ts";
import { openaiResponses } from "../../dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import type { WireObject } from "../../dialects/wire.ts";
import { createConversations } from "../conversations.ts";
import type { Hook } from "../hook.ts";
import { managedSetting } from "../managed.ts";
import { wireMarks } from "../stale-marks.ts";
import { watchedAnswer, type WireApi } from "../wire-answer.ts";
import { chatAnswers, responsesAnswers } from "./answers.ts";

/** One of the two APIs: where its requests keep the conversation, and what its answers say. */
export interface Endpoint<Params, Native> extends WireApi {
  /** The end of the path of its URL. */
  readonly path: string;
  readonly dialect: Dialect<readonly Native[], Native>;
  /** The messages of a request; `undefined` if there are none. */
  messagesOf(params: Params): readonly Native[] | undefined;
  withMessages(params: Params, messages: readonly Native[]): Params;
  besideOf(params: Params): Pick<PrepareOptions, "instructions" | "tools" | "maxOutput">;
  /** The sign that somebody else keeps or edits the conversation. */
  managedBy(params: Params): string | undefined;
}

/** Sends parameters, and gives the answer. */
type Send = (params: object) => Promise<Response>;

/** The requests of one API. */
export interface PreparedEndpoint {
  readonly path: string;
  /** The answer to a request, prepared, and asked once more where it was refused as too long. */
  ask(params: object, send: Send, signal?: AbortSignal): Promise<Response>;
}

/** `isManaged` says whether a request is left as it is. */
export function prepareEndpoint<Params extends Named, Native extends object>(
  endpoint: Endpoint<Params, Native>,
  hook: Hook<Params>,
  isManaged: (by: string | undefined) => boolean,
): PreparedEndpoint {
  const marks = wireMarks<Native>((message, content) => ({ ...message, content }));
  const conversationOf = createConversations(hook, { dialect: endpoint.dialect, marks });
  return {
    path: endpoint.path,
    async ask(params: Params, send, signal) {
      const messages = endpoint.messagesOf(params);
      if (messages === undefined || isManaged(endpoint.managedBy(params))) return send(params);
      const beside = endpoint.besideOf(params);
      const about = { request: params, tools: beside.tools ?? [], model: params.model };
      const conversation = conversationOf(messages, about);
      const sent = await conversation.prepare({ ...beside, signal });
      const isSame = sent === conversation.given;
      return watchedAnswer(await send(isSame ? params : endpoint.withMessages(params, sent)), {
        api: endpoint,
        learn: (usage) => conversation.learn(usage),
        async again(refused) {
          const other = await conversation.recover(refused);
          return other && send(endpoint.withMessages(params, other));
        },
      });
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
