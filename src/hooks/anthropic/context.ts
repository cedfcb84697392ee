import type { Archive } from "../../archive/archive.ts";
import type { Context } from "../../context/index.ts";
import { modelWindow } from "../../core/overflow/budget.ts";
import { anthropic } from "../../dialects/anthropic/anthropic.ts";
import type {
  AnthropicConversation,
  AnthropicImageBlock,
  AnthropicImageType,
  AnthropicMessage,
  AnthropicTextBlock,
} from "../../dialects/anthropic/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import type { Summarizer } from "../../models/summarizer.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import { isWrapped, wrapTool } from "../../tools/wrap-tool.ts";
import { createConversations } from "../conversations.ts";
import { createHook, type Hook, type HookOptions, type HookSdk } from "../hook.ts";
import { createManagedCheck } from "../managed.ts";
import type { NativeFormat } from "../native-context.ts";
import { wireMarks } from "../stale-marks.ts";
import { clientSummarizer, summarizerOnCall } from "../summarizer.ts";
import { mapTools, type Mutable, type Recall, recallForms } from "../tools.ts";
import { type AnthropicMiddleware, createMiddleware } from "./middleware.ts";
import type { MessageBody } from "./wire.ts";

/** A client of the SDK, as far as it is called for summaries. */
export interface AnthropicClient {
  readonly messages: { create(params: never, options?: never): PromiseLike<unknown> };
}

/** `summarizer` may be a client of the SDK; it then asks `model`. */
export type AnthropicContextOptions = HookOptions<string, AnthropicClient, MessageBody>;

/** A context with the hooks of the Anthropic SDK. */
export interface AnthropicContext extends Omit<Context, "subAgent"> {
  /**
   * For `new Anthropic({ middleware: [context.middleware] })`, or for the requests of one
   * conversation: `messages.create(params, { middleware: [context.middleware] })`. It sees what
   * `messages.create`, `messages.stream` and the tool runner send, also those of `beta`, prepares it,
   * and sends it once more, compacted, if the API says that the prompt is too long.
   */
  readonly middleware: AnthropicMiddleware;
  /** Tools for the tool runner whose outputs are truncated on arrival (T15); `run` is wrapped. */
  tools<Tools extends readonly object[] | []>(tools: Tools): Mutable<Tools>;
  /** `recall` and `search_archive` for the tool runner: the agent gets back what left its context. */
  readonly recallTools: RunnableTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: AnthropicContextOptions): AnthropicContext;
}

/**
 * Creates the context of an agent. Throws `invalid-options` like `createContext`.
 *
 * @example
 * // needs: ANTHROPIC_API_KEY
 * import Anthropic from "@anthropic-ai/sdk";
 * import { anthropicContext } from "longhaul/anthropic";
 *
 * const context = anthropicContext({ model: "claude-opus-5-5" });
 * const client = new Anthropic({ middleware: [context.middleware] });
 */
export function anthropicContext(options: AnthropicContextOptions = {}): AnthropicContext {
  return contextOn(createHook(options, SDK));
}

const SDK: HookSdk = {
  traits: anthropic.traits,
  summarizerOf,
  summarizerById: (model) =>
    summarizerOnCall({ name: `anthropic:${model}`, window: modelWindow(model) }, async () => {
      const { anthropicSummarizer } = await import("../../models/anthropic.ts");
      return anthropicSummarizer({ model });
    }),
};

const FORMAT: NativeFormat<AnthropicConversation, AnthropicMessage> = {
  dialect: anthropic,
  messagesOf: ({ messages }) => messages,
  withMessages: ({ system }, messages) => ({ system, messages }),
  marks: wireMarks((message, content) => ({ ...message, content }) as AnthropicMessage),
};

function contextOn(hook: Hook<MessageBody>): AnthropicContext {
  const { context } = hook;
  return {
    ...context,
    middleware: createMiddleware(createConversations(hook, FORMAT), createManagedCheck(context)),
    tools: (tools) => mapTools(tools, (tool) => wrapRunnable(tool, context.truncation)),
    recallTools: runnableRecall(context.archive),
    subAgent: (own = {}) => contextOn(hook.subAgent(own)),
  };
}

function summarizerOf(given: unknown, model: unknown): Summarizer | undefined {
  if (!isClient(given)) return undefined;
  return clientSummarizer("anthropic", model, async ({ prompt, cap, signal }, id) => {
    const [{ anthropicAnswer }, { outputLimit }] = await Promise.all([
      import("../../models/anthropic.ts"),
      import("../../models/live-request.ts"),
    ]);
    const window = modelWindow(id) ?? Infinity;
    const params = {
      model: id,
      max_tokens: outputLimit({ cap, window, inputTokens: 0 }),
      system: prompt.system,
      messages: [{ role: "user", content: prompt.user }],
    };
    const message = await given.messages.create(params as never, { signal } as never);
    return anthropicAnswer(message);
  });
}

function isClient(given: unknown): given is AnthropicClient {
  return typeof fieldsOf(fieldsOf(given)["messages"])["create"] === "function";
}

/** A tool as the tool runner takes it. */
export interface RunnableTool {
  readonly type: "custom";
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object"; readonly [field: string]: unknown };
  /** A text; a list of blocks where images were recalled. */
  run(input: unknown): Promise<string | RecallBlock[]>;
  parse(input: unknown): unknown;
}

/** A piece of a recall as a tool result of the API holds it. */
export type RecallBlock = AnthropicTextBlock | AnthropicImageBlock;

function recallBlocks({ text, images }: Recall): string | RecallBlock[] {
  if (images.length === 0) return text;
  const blocks = images.map(({ mediaType, data }): RecallBlock => {
    const media_type = mediaType as AnthropicImageType;
    return { type: "image", source: { type: "base64", media_type, data } };
  });
  return [{ type: "text", text }, ...blocks];
}

function runnableRecall(archive: Archive): RunnableTool[] {
  return recallForms(archive).map(({ name, description, schema, recall }) => ({
    type: "custom",
    name,
    description,
    input_schema: schema,
    run: async (input) => recallBlocks(await recall(input)),
    parse: (input) => input,
  }));
}

/** The tool runner's tools have a `run`, which returns a text or a list of content blocks. */
function wrapRunnable(tool: object, options: TruncationOptions): object {
  const { run, name = "" } = tool as { readonly run?: unknown; readonly name?: string };
  if (typeof run !== "function" || isWrapped(run)) return tool;
  const execute = (...args: unknown[]): unknown => Reflect.apply(run, tool, args);
  const wrapped = wrapTool({ name, execute }, options).execute;
  const fields = Object.getOwnPropertyDescriptors(tool);
  return Object.create(Object.getPrototypeOf(tool) as object | null, {
    ...fields,
    run: { value: wrapped, enumerable: true, configurable: true, writable: true },
  }) as object;
}
