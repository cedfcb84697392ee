import type { ContextReport } from "../../src/context/index.ts";
import type { Usage } from "../../src/core/message/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { AnthropicConversation } from "../../src/dialects/anthropic/wire.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../src/dialects/openai-chat/wire.ts";
import type { NativeContext, NativeFormat } from "../../src/hooks/native-context.ts";
import {
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  type Summarizer,
} from "../../src/models/index.ts";

/** An agent without an SDK: a loop over `fetch` with one tool, `note`. */
export interface FetchAgent<Conversation> {
  readonly format: NativeFormat<Conversation, never>;
  /** The schemas of its tools, as they are sent. */
  readonly tools: readonly object[];
  start(system: string, task: string): Conversation;
  /** Sends a conversation. */
  ask(url: string, conversation: Conversation): Promise<FetchAnswer<Conversation>>;
  /** A model behind the same server. */
  summarizer(url: string, window: number, reusesPrompt: boolean): Summarizer;
}

export interface FetchAnswer<Conversation> {
  /** The conversation with the answer, and with the results if it called tools. */
  added(conversation: Conversation): Conversation;
  readonly usage: Usage;
  readonly isDone: boolean;
}

interface Json {
  readonly [field: string]: unknown;
}

const INPUT = { type: "object", properties: { text: { type: "string" } } };
const DESCRIPTION = "Keeps a note.";
const MODEL = { model: "scripted", apiKey: "key", env: {} };

async function send(url: string, body: Json): Promise<Json> {
  const headers = {
    "content-type": "application/json",
    "x-api-key": "key",
    authorization: "Bearer key",
    "anthropic-version": "2023-06-01",
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Json;
}

const anthropicTools = [{ name: "note", description: DESCRIPTION, input_schema: INPUT }];

export const anthropicAgent: FetchAgent<AnthropicConversation> = {
  format: {
    dialect: anthropic,
    messagesOf: ({ messages }) => messages as readonly never[],
    withMessages: (conversation, messages) => ({ ...conversation, messages }),
  },
  tools: anthropicTools,
  start: (system, task) => ({ system, messages: [{ role: "user", content: task }] }),
  async ask(url, { system, messages }) {
    const answer = await send(`${url}/v1/messages`, {
      model: "scripted",
      max_tokens: 1_000,
      system,
      tools: anthropicTools,
      messages: withBreakpoint(messages),
    });
    const content = answer["content"] as (Json & { readonly type: string })[];
    const results = content.flatMap(({ type, id }) =>
      type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: "Noted." }] : [],
    );
    const used = answer["usage"] as Readonly<Record<string, number>>;
    return {
      added: (conversation) => ({
        ...conversation,
        messages: [
          ...conversation.messages,
          { role: "assistant", content },
          ...(results.length > 0 ? [{ role: "user", content: results } as const] : []),
        ],
      }),
      usage: {
        input: used["input_tokens"] ?? 0,
        cacheRead: used["cache_read_input_tokens"] ?? 0,
        cacheWrite: used["cache_creation_input_tokens"] ?? 0,
        output: used["output_tokens"] ?? 0,
      },
      isDone: results.length === 0,
    };
  },
  summarizer: (baseURL, window, reusesPrompt) =>
    anthropicSummarizer({ ...MODEL, baseURL, window, reusesPrompt }),
};

/** The last block is what the next request has in common with this one. */
function withBreakpoint(messages: AnthropicConversation["messages"]): readonly object[] {
  const last = messages.at(-1)!;
  const blocks =
    typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content!;
  const marked = { ...blocks.at(-1), cache_control: { type: "ephemeral" } };
  return [...messages.slice(0, -1), { ...last, content: [...blocks.slice(0, -1), marked] }];
}

const chatTools = [
  { type: "function", function: { name: "note", description: DESCRIPTION, parameters: INPUT } },
];

export const chatAgent: FetchAgent<readonly ChatMessage[]> = {
  format: { dialect: openaiChat, messagesOf: (messages) => messages as readonly never[] },
  tools: chatTools,
  start: (system, task) => [
    { role: "system", content: system },
    { role: "user", content: task },
  ],
  async ask(url, messages) {
    const body = { model: "scripted", tools: chatTools, messages };
    const answer = await send(`${url}/v1/chat/completions`, body);
    const [{ message }] = answer["choices"] as [{ message: ChatMessage }];
    const ids = (message.tool_calls ?? []).map((call) => (call as unknown as Json)["id"] as string);
    const used = answer["usage"] as Readonly<Record<string, number>> & {
      readonly prompt_tokens_details?: Readonly<Record<string, number>>;
    };
    const cached = used.prompt_tokens_details?.["cached_tokens"] ?? 0;
    return {
      added: (conversation) => [
        ...conversation,
        message,
        ...ids.map((id): ChatMessage => ({
          role: "tool",
          tool_call_id: id,
          content: "Noted.",
        })),
      ],
      usage: {
        input: (used["prompt_tokens"] ?? 0) - cached,
        cacheRead: cached,
        output: used["completion_tokens"] ?? 0,
      },
      isDone: ids.length === 0,
    };
  },
  summarizer: (url, window, reusesPrompt) =>
    openaiCompatibleSummarizer({ ...MODEL, baseURL: `${url}/v1`, window, reusesPrompt }),
};

/** Runs an agent to its end; gives the report of every step. */
export async function runFetchAgent<Conversation>(
  agent: FetchAgent<Conversation>,
  native: NativeContext<Conversation>,
  { url, system, task }: { readonly url: string; readonly system: string; readonly task: string },
): Promise<readonly ContextReport[]> {
  const reports: ContextReport[] = [];
  let history = agent.start(system, task);
  let usage: Usage | undefined;
  for (;;) {
    const { conversation, report, failure } = await native.prepare(history, { usage });
    if (report === undefined) throw new Error(failure?.message);
    reports.push(report);
    const answer = await agent.ask(url, conversation);
    history = answer.added(history);
    usage = answer.usage;
    if (answer.isDone) return reports;
  }
}
