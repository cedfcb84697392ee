import type { Usage } from "../../core/message/index.ts";
import { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../dialects/openai-chat/wire.ts";
import { count, type Endpoint } from "./endpoint.ts";
import type { ChatParams, ChatUsage } from "./wire.ts";

/** Chat Completions, of OpenAI and of the servers that imitate it. */
export const chatCompletions: Endpoint<ChatParams, ChatMessage> = {
  path: "/chat/completions",
  dialect: openaiChat,
  messagesOf: ({ messages }) => (Array.isArray(messages) ? messages : undefined),
  withMessages: (params, messages) => ({ ...params, messages }),
  besideOf: ({ tools }) => ({ tools }),
  managedBy,
  usageOf,
};

function usageOf(reported: unknown): Usage | undefined {
  const prompt = count(reported, "prompt_tokens");
  if (prompt === undefined) return undefined;
  const usage = reported as Partial<ChatUsage>;
  const cacheRead = count(usage.prompt_tokens_details, "cached_tokens") ?? 0;
  const output = count(reported, "completion_tokens") ?? 0;
  // Hidden reasoning is paid for, but it is no part of what is sent next.
  const hidden = count(usage.completion_tokens_details, "reasoning_tokens") ?? 0;
  return {
    input: Math.max(0, prompt - cacheRead),
    cacheRead,
    output: Math.max(0, output - hidden),
  };
}

/** OpenRouter takes messages out of the middle where this is switched on. */
function managedBy(params: ChatParams): string | undefined {
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
