import type { Usage } from "../../core/message/index.ts";
import type { AnswerEnd } from "../../core/overflow/provider-error.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject, textIn, usageOf, type WireObject } from "../../dialects/wire.ts";
import { type Summarizer, summaryUsage } from "../../models/summarizer.ts";
import { managedSetting } from "../managed.ts";
import { chatAnswers, responsesAnswers } from "../openai/answers.ts";
import { recovering, recoveringCall } from "../recovering-stream.ts";
import { sdkSummarizer } from "../summarizer.ts";
import type { ConversationOf } from "../conversations.ts";
import type { AgentItem, AgentModel, AgentModelProvider, ModelRequest } from "./wire.ts";
import { withMethods } from "../tools.ts";

/** The shared state of the models, providers and sessions of one context. */
export interface PreparingOptions {
  readonly conversationOf: ConversationOf<ModelRequest, readonly AgentItem[]>;
  readonly isManaged: (by: string | undefined) => boolean;
}

/** A provider whose models are prepared; the same model each time that the same one is asked for. */
export function preparingProvider<Provider extends AgentModelProvider>(
  provider: Provider,
  options: PreparingOptions,
): Provider {
  const known = new WeakMap<AgentModel, AgentModel>();
  const prepared = (model: AgentModel): AgentModel => {
    const made = known.get(model) ?? preparingModel(model, options);
    known.set(model, made);
    return made;
  };
  const getModel = (name?: string): AgentModel | Promise<AgentModel> => {
    const model = provider.getModel(name);
    return model instanceof Promise ? model.then(prepared) : prepared(model);
  };
  return withMethods(provider, { getModel });
}

/** A model whose requests are prepared, and tried once more after an overflow. */
export function preparingModel<Model extends AgentModel>(
  model: Model,
  options: PreparingOptions,
): Model {
  const getResponse = async (given: ModelRequest): Promise<object> => {
    const { request, learn, recover } = await prepareRequest(given, options);
    const ask = async (sent: ModelRequest): Promise<object> => {
      const response = await model.getResponse(sent as never);
      learn(response.usage);
      return response;
    };
    return recoveringCall(() => ask(request), {
      async again(refused) {
        const sent = await recover(whyRefused(refused, given));
        return sent && ask(sent);
      },
    });
  };
  const getStreamedResponse = async function* (given: ModelRequest): AsyncGenerator<object> {
    const { request, learn, recover } = await prepareRequest(given, options);
    let end: AnswerEnd = {};
    const watch = async function* (sent: ModelRequest): AsyncGenerator<object> {
      for await (const event of model.getStreamedResponse(sent as never)) {
        learn((event as { response?: { usage?: unknown } }).response?.usage);
        yield event;
      }
    };
    yield* recovering(watch(request), {
      sign(event) {
        const { isAnswer, ...told } = eventFacts(event);
        end = { ...end, ...told };
        return isAnswer ? "answer" : "lead";
      },
      async again(refused) {
        const { finish, usage } = end;
        const isEnd = finish !== undefined && usage !== undefined;
        const sent = await recover(isEnd ? end : whyRefused(refused, given));
        return sent && watch(sent);
      },
    });
  };
  return withMethods(model, { getResponse, getStreamedResponse });
}

async function prepareRequest(
  request: ModelRequest,
  { conversationOf, isManaged }: PreparingOptions,
) {
  const { input, systemInstructions, signal, modelSettings } = request;
  if (typeof input === "string" || isManaged(managedBy(request))) {
    return { request, learn: () => undefined, recover: async () => undefined };
  }
  const tools = [...request.tools, ...request.handoffs];
  const conversation = conversationOf(input, { request, tools });
  const withInput = (sent: readonly AgentItem[]): ModelRequest =>
    sent === conversation.given ? request : { ...request, input: [...sent] };
  const sent = await conversation.prepare({
    instructions: systemInstructions ?? "",
    tools,
    maxOutput: modelSettings.maxTokens,
    signal,
  });
  return {
    request: withInput(sent),
    learn: (reported: unknown): void => conversation.learn(reportedUsage(reported)),
    recover: async (error: unknown): Promise<ModelRequest | undefined> => {
      const sent = await conversation.recover(error);
      return sent && withInput(sent);
    },
  };
}

/** An event's news of an answer; the provider's own events pass among those of the SDK. */
function eventFacts(event: object): AnswerEnd & { readonly isAnswer: boolean } {
  const { type, event: raw } = event as { readonly type?: unknown; readonly event?: unknown };
  if (type !== "model") return { isAnswer: type !== "response_started" };
  const { read, usageOf } = isWireObject(raw) && "choices" in raw ? chatAnswers : responsesAnswers;
  const { isAnswer = false, finish, usage: reported } = read(fieldsOf(raw));
  const usage = usageOf(reported);
  return { isAnswer, ...(typeof finish === "string" && { finish }), ...(usage && { usage }) };
}

/**
 * The SDK throws where a completion was cut off with nothing in it, and does not say what it cost: an
 * answer that nobody limited was cut off by the window.
 */
function whyRefused(error: unknown, { modelSettings }: ModelRequest): unknown {
  const isLimited = modelSettings.maxTokens !== undefined;
  return !isLimited && error instanceof Error && /finish_reason='length'/.test(error.message)
    ? ({ finish: "model_context_window_exceeded" } satisfies AnswerEnd)
    : error;
}

/** The sign that the provider keeps or edits the conversation itself. */
export function managedBy(request: ModelRequest): string | undefined {
  const { previousResponseId, conversationId, modelSettings } = request;
  if (previousResponseId !== undefined) return "previousResponseId";
  if (conversationId !== undefined) return "conversationId";
  return (
    managedSetting(modelSettings as WireObject, "option") ??
    managedSetting(modelSettings.providerData ?? {}, "field")
  );
}

/** The usage of one answer in the names of the SDK; `undefined` where none was reported. */
export function reportedUsage(usage: unknown): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens: total, outputTokens: output, inputTokensDetails } = usage;
  if (total === 0) return undefined;
  // A record, or a list of one for each request.
  const details: readonly unknown[] = [inputTokensDetails].flat();
  return usageOf({ total, output, cacheRead: fieldsOf(details[0])["cached_tokens"] });
}

export function summarizerOf(given: unknown): Summarizer | undefined {
  if (!isModel(given)) return undefined;
  return sdkSummarizer({
    name: "agents model",
    async ask({ prompt, cap, signal }) {
      const { outputLimit } = await import("../../models/live-request.ts");
      const request = {
        systemInstructions: prompt.system,
        input: prompt.user,
        modelSettings: { maxTokens: outputLimit({ cap, window: Infinity, inputTokens: 0 }) },
        tools: [],
        handoffs: [],
        outputType: "text",
        tracing: false,
        signal,
      };
      const { output, usage } = (await given.getResponse(request as never)) as ModelAnswer;
      const said = output.filter(({ type = "message" }) => type === "message");
      const blocks = said.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      return {
        text: blocks.map((block) => textIn(fieldsOf(block), "text") ?? "").join(""),
        toolCalls: output.filter(({ type }) => type === "function_call").length,
        usage: summaryUsage(reportedUsage(usage)),
      };
    },
  });
}

interface ModelAnswer {
  readonly output: readonly { readonly type?: string; readonly content?: unknown }[];
  readonly usage: unknown;
}

function isModel(given: unknown): given is AgentModel {
  return isWireObject(given) && typeof given["getResponse"] === "function";
}
