import { reportFailure } from "../../context/create-context.ts";
import type { Usage } from "../../core/message/index.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { outputLimit } from "../../models/live-request.ts";
import type { Summarizer } from "../../models/summarizer.ts";
import { sdkSummarizer } from "../summarizer.ts";
import type { ConversationOf } from "../conversations.ts";
import type { TruncateResults } from "./tools.ts";
import type { AgentItem, AgentModel, AgentModelProvider, ModelRequest } from "./wire.ts";
import { withMethods } from "./session.ts";

interface PreparingOptions {
  readonly conversationOf: ConversationOf<AgentItem, ModelRequest>;
  readonly truncate: TruncateResults;
  readonly standsBack: (by: string | undefined) => boolean;
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
  const getResponse = async (request: ModelRequest): Promise<object> => {
    const prepared = await prepareRequest(request, options);
    const ask = async ({ request: sent, learn }: Prepared): Promise<object> => {
      const response = await model.getResponse(sent as never);
      learn(reportedUsage(response.usage));
      return response;
    };
    try {
      return await ask(prepared);
    } catch (error) {
      const again = await prepared.recover(error);
      if (again === undefined) throw error;
      return ask(again);
    }
  };
  const getStreamedResponse = async function* (request: ModelRequest): AsyncGenerator<object> {
    const prepared = await prepareRequest(request, options);
    const lead: Lead = { held: [], isOver: false };
    try {
      yield* stream(model, prepared, lead);
    } catch (error) {
      // Once the model has said something, its words are out.
      const again = lead.isOver ? undefined : await prepared.recover(error);
      if (again === undefined) {
        yield* lead.held;
        throw error;
      }
      yield* stream(model, again, { held: [], isOver: true });
    }
  };
  return withMethods(model, { getResponse, getStreamedResponse });
}

interface Prepared {
  readonly request: ModelRequest;
  readonly learn: (usage: Usage | undefined) => void;
  readonly recover: (error: unknown) => Promise<Prepared | undefined>;
}

async function prepareRequest(request: ModelRequest, options: PreparingOptions): Promise<Prepared> {
  const { input, systemInstructions, tools, handoffs, signal } = request;
  const isLeft = options.standsBack(managedBy(request));
  if (typeof input === "string" || isLeft) return left(request);
  const beside = { instructions: systemInstructions ?? "", tools: [...tools, ...handoffs] };
  const conversation = options.conversationOf(input, { request, tools: beside.tools });
  const items = await options.truncate(conversation.messages).catch((error: unknown) => {
    reportFailure(conversation.native.context, error);
    return conversation.messages;
  });
  const prepared = await conversation.native.prepare(items, {
    usage: conversation.reported,
    ...beside,
    signal,
  });
  const sendable = (sent: readonly AgentItem[]): Omit<Prepared, "recover"> => {
    if (sent !== items) conversation.goesOn(sent);
    const learn = (usage: Usage | undefined): void => {
      if (usage !== undefined) conversation.learn(usage);
    };
    return { request: sent === conversation.messages ? request : withInput(request, sent), learn };
  };
  return {
    ...sendable(prepared.conversation),
    async recover(error) {
      const recovered = await conversation.native.recover(items, error);
      return recovered && { ...sendable(recovered.conversation), recover: () => nothing() };
    },
  };
}

function withInput(request: ModelRequest, input: readonly AgentItem[]): ModelRequest {
  return { ...request, input: [...input] };
}

function left(request: ModelRequest): Prepared {
  return { request, learn: () => undefined, recover: () => nothing() };
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined);
}

/** Events that come before the model has said anything. */
const LEAD_IN: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "error",
  "response.failed",
]);

/** The beginning of a stream, as long as the model has said nothing. */
interface Lead {
  readonly held: object[];
  isOver: boolean;
}

/** The events of an answer; those of its lead are held back until it is over. */
async function* stream(
  model: AgentModel,
  { request, learn }: Prepared,
  lead: Lead,
): AsyncGenerator<object> {
  for await (const event of model.getStreamedResponse(request as never)) {
    learn(reportedUsage((event as { response?: { usage?: unknown } }).response?.usage));
    if (!lead.isOver && saysNothing(event)) {
      lead.held.push(event);
      continue;
    }
    lead.isOver = true;
    yield* lead.held.splice(0);
    yield event;
  }
  yield* lead.held.splice(0);
}

function saysNothing(event: object): boolean {
  const { type, event: raw } = event as { type?: unknown; event?: { type?: unknown } };
  return type === "response_started" || (type === "model" && LEAD_IN.has(raw?.type));
}

/** What shows that the provider keeps or edits the conversation itself. */
export function managedBy(request: ModelRequest): string | undefined {
  const { previousResponseId, conversationId, modelSettings } = request;
  if (previousResponseId !== undefined) return "previousResponseId";
  if (conversationId !== undefined) return "conversationId";
  const { truncation, contextManagement, providerData = {} } = modelSettings;
  const strategies = contextManagement ?? providerData["context_management"];
  if (Array.isArray(strategies) && strategies.length > 0) return "contextManagement";
  const isCut = truncation === "auto" || providerData["truncation"] === "auto";
  return isCut ? 'truncation: "auto"' : undefined;
}

/** The usage of one answer in the names of the SDK; `undefined` where none was reported. */
export function reportedUsage(usage: unknown): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens, outputTokens, inputTokensDetails } = usage;
  if (typeof inputTokens !== "number" || inputTokens === 0) return undefined;
  // A record, or a list of one for each request.
  const details: unknown = Array.isArray(inputTokensDetails)
    ? inputTokensDetails[0]
    : inputTokensDetails;
  const cached = isWireObject(details) ? details["cached_tokens"] : undefined;
  const cacheRead = typeof cached === "number" ? cached : 0;
  return {
    input: Math.max(0, inputTokens - cacheRead),
    cacheRead,
    output: typeof outputTokens === "number" ? outputTokens : 0,
  };
}

/** A summarizer on a model of the SDK. */
export function summarizerOf(given: unknown): Summarizer | undefined {
  if (!isModel(given)) return undefined;
  return sdkSummarizer({
    name: "agents model",
    async ask({ prompt, cap, signal }) {
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
      const reported = reportedUsage(usage);
      return {
        text: blocks.map(textOf).join(""),
        toolCalls: output.filter(({ type }) => type === "function_call").length,
        usage: reported && {
          input: reported.input + (reported.cacheRead ?? 0),
          cached: reported.cacheRead ?? 0,
          output: reported.output,
        },
      };
    },
  });
}

interface ModelAnswer {
  readonly output: readonly { readonly type?: string; readonly content?: unknown }[];
  readonly usage: unknown;
}

function textOf(block: unknown): string {
  const text = isWireObject(block) ? block["text"] : undefined;
  return typeof text === "string" ? text : "";
}

function isModel(given: unknown): given is AgentModel {
  return isWireObject(given) && typeof given["getResponse"] === "function";
}
