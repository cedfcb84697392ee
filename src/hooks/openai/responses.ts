import type { Usage } from "../../core/message/index.ts";
import { openaiResponses } from "../../dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import { count, type Endpoint } from "./endpoint.ts";
import type { ResponsesParams, ResponsesUsage } from "./wire.ts";

/** The Responses API. */
export const responses: Endpoint<ResponsesParams, ResponsesItem> = {
  path: "/responses",
  dialect: openaiResponses,
  messagesOf,
  withMessages: (params, input) => ({ ...params, input }),
  besideOf: ({ instructions, tools }) => ({ instructions: instructions ?? undefined, tools }),
  managedBy,
  usageOf,
};

function messagesOf({ input }: ResponsesParams): readonly ResponsesItem[] | undefined {
  if (typeof input !== "string") return Array.isArray(input) ? input : undefined;
  const message = { type: "message", role: "user", content: input };
  return [message];
}

/** Where the server keeps the history, or cuts it, there is nothing here to edit. */
function managedBy(params: ResponsesParams): string | undefined {
  const { previous_response_id, conversation, context_management, truncation } = params;
  if (previous_response_id != null) return "previous_response_id";
  if (conversation != null) return "conversation";
  if (Array.isArray(context_management) && context_management.length > 0) {
    return "context_management";
  }
  return truncation === "auto" ? 'truncation: "auto"' : undefined;
}

function usageOf(reported: unknown): Usage | undefined {
  const input = count(reported, "input_tokens");
  if (input === undefined) return undefined;
  const { input_tokens_details } = reported as Partial<ResponsesUsage>;
  const cacheRead = count(input_tokens_details, "cached_tokens") ?? 0;
  return {
    input: Math.max(0, input - cacheRead),
    cacheRead,
    output: count(reported, "output_tokens") ?? 0,
  };
}
