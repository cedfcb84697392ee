import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  AIMessageChunk,
  AIMessage,
  type BaseMessage,
  type ToolMessage,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { EventSourceParserStream } from "eventsource-parser/stream";

interface CallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly object[];
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
  }[];
}

interface Chunk {
  readonly choices: readonly { readonly delta?: Delta; readonly message?: Delta }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

/**
 * A chat model of LangChain that speaks Chat Completions, as small as it can be: LangChain's own for
 * OpenAI needs a newer Node than this project.
 */
export class ChatCompletionsModel extends BaseChatModel<CallOptions> {
  readonly url: string;

  constructor({ url, ...params }: BaseChatModelParams & { readonly url: string }) {
    super(params);
    this.url = url;
  }

  override _llmType(): string {
    return "chat-completions";
  }

  override bindTools(tools: BindToolsInput[], kwargs?: Partial<CallOptions>) {
    const bound = tools.map((tool) => convertToOpenAITool(tool as never));
    return this.withConfig({ ...kwargs, tools: bound });
  }

  override async _generate(messages: BaseMessage[], options: CallOptions): Promise<ChatResult> {
    const response = await this.#post(messages, options, false);
    const { choices, usage } = (await response.json()) as Chunk;
    const { content, tool_calls = [] } = choices[0]?.message ?? {};
    const message = new AIMessage({
      content: content ?? "",
      tool_calls: tool_calls.map(({ id, function: { name = "", arguments: json } }) => ({
        id,
        name,
        args: JSON.parse(json) as Record<string, unknown>,
        type: "tool_call",
      })),
      ...usageOf(usage),
    });
    return { generations: [{ text: content ?? "", message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: CallOptions,
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const response = await this.#post(messages, options, true);
    const events = response
      .body!.pipeThrough(new TextDecoderStream() as never)
      .pipeThrough(new EventSourceParserStream());
    for await (const { data } of events as AsyncIterable<{ readonly data: string }>) {
      if (data === "[DONE]") return;
      const { choices, usage } = JSON.parse(data) as Chunk;
      const { content, tool_calls = [] } = choices[0]?.delta ?? {};
      const text = content ?? "";
      const message = new AIMessageChunk({
        content: text,
        tool_call_chunks: tool_calls.map(({ index, id, function: called }) => ({
          type: "tool_call_chunk",
          index,
          ...(id !== undefined && { id }),
          ...(called.name !== undefined && { name: called.name }),
          args: called.arguments,
        })),
        ...usageOf(usage),
      });
      yield new ChatGenerationChunk({ text, message });
      await run?.handleLLMNewToken(text);
    }
  }

  async #post(messages: BaseMessage[], options: CallOptions, stream: boolean): Promise<Response> {
    const response = await fetch(`${this.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer key" },
      body: JSON.stringify({
        model: "scripted",
        messages: messages.map(wireMessage),
        tools: options.tools,
        stream,
        ...(stream && { stream_options: { include_usage: true } }),
      }),
      signal: options.signal ?? null,
    });
    if (response.ok) return response;
    throw Object.assign(new Error(await response.text()), { status: response.status });
  }
}

function usageOf(usage: Chunk["usage"]): object {
  if (!usage) return {};
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage;
  const total_tokens = input_tokens + output_tokens;
  return { usage_metadata: { input_tokens, output_tokens, total_tokens } };
}

function wireMessage(message: BaseMessage): object {
  const { text } = message;
  switch (message.type) {
    case "system":
      return { role: "system", content: text };
    case "tool":
      return { role: "tool", content: text, tool_call_id: (message as ToolMessage).tool_call_id };
    case "ai": {
      const calls = (message as AIMessage).tool_calls ?? [];
      const tool_calls = calls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }));
      return { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls }) };
    }
    default:
      return { role: "user", content: text };
  }
}
