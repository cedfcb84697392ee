import type { AnswerEnd } from "../../core/overflow/provider-error.ts";
import { langchainUsage } from "../../dialects/langchain/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import {
  isWireBlock,
  isWireObject,
  numberIn,
  textIn,
  type WireObject,
} from "../../dialects/wire.ts";
import {
  type Summarizer,
  type SummaryAnswer,
  type SummaryFinish,
  type SummaryRequest,
  summaryUsage,
} from "../../models/summarizer.ts";
import { BINDING_BETA, bindsReasoning, canDropBlocks, droppingBlocks } from "../anthropic/wire.ts";
import { type AboutModel, aboutId } from "../hook.ts";
import { managedSetting } from "../managed.ts";
import { sdkSummarizer } from "../summarizer.ts";

/** A chat model or an id; the profile of a model knows its window best. */
export function aboutChatModel(model: unknown): AboutModel {
  if (typeof model === "string") return aboutId(model);
  const { profile, modelName, model: name = modelName } = modelFields(model);
  const stated = numberIn(fieldsOf(profile), "maxInputTokens") ?? 0;
  const about = aboutId(typeof name === "string" ? name : undefined);
  return stated > 0 ? { ...about, window: stated } : about;
}

/** The most tokens of an answer, by the settings of its call or the model's own. */
export function maxOutputOf(model: unknown, settings: unknown): number | undefined {
  const own = fieldsOf(settings);
  return (
    numberIn(own, "max_tokens") ??
    numberIn(own, "maxTokens") ??
    numberIn(modelFields(model), "maxTokens")
  );
}

/** Fields of models and calls that are sent with the messages. */
const SETTINGS = ["modelKwargs", "invocationKwargs", "defaultOptions", "kwargs"] as const;

/** By which of its settings the provider manages the conversation itself, if it does. */
export function managedByModel(model: unknown, settings: unknown): string | undefined {
  const fields = modelFields(model);
  const places: readonly (readonly [name: string, value: unknown])[] = [
    ["modelSettings", settings],
    ["model", fields],
    ...SETTINGS.map((name) => [`model.${name}`, fields[name]] as const),
  ];
  for (const [name, value] of places) {
    const given = fieldsOf(value);
    const setting = managedSetting(given, "field") ?? managedSetting(given, "option");
    if (setting !== undefined) return `${name}.${setting}`;
  }
  return undefined;
}

/** A model that is chosen at run time holds what it was chosen by. */
function modelFields(model: unknown): WireObject {
  if (!isWireObject(model)) return {};
  const { bound, _defaultConfig: chosen } = model;
  if (isWireObject(bound)) return modelFields(bound);
  return isWireObject(chosen) ? chosen : model;
}

/** A chat model's thinking, as far as edits depend on it. */
export interface Thinking {
  readonly model: unknown;
  /** The thinking of kept answers must go; `undefined` where that is not known. */
  readonly boundReasoning: boolean | undefined;
  /**
   * The model to call once something was edited: Claude models whose thinking is bound to what stood
   * before it are asked to leave out what no longer fits, because with thinking on they refuse an
   * answer that has lost it.
   */
  afterEdits(): Promise<unknown>;
}

export function createThinkingOf(): (model: unknown) => Thinking {
  const made = new WeakMap<object, unknown>();
  return (model) => {
    const body = isWireObject(model) ? anthropicBody(model) : undefined;
    if (body === undefined || !isWireObject(model)) {
      return { model, boundReasoning: undefined, afterEdits: async () => model };
    }
    const isBound = bindsReasoning(body);
    const canDrop = canDropBlocks(body);
    return {
      model,
      boundReasoning: isBound && !canDrop,
      async afterEdits() {
        if (!isBound || !canDrop) return model;
        const known = made.get(model) ?? (await droppingModel(model));
        made.set(model, known);
        return known;
      },
    };
  };
}

/** The request of a `ChatAnthropic`, or of a model that becomes one when it is called, without messages. */
function anthropicBody(model: WireObject): Parameters<typeof bindsReasoning>[0] | undefined {
  const { _llmType: ask, _defaultConfig: chosen, bound } = model;
  if (isWireObject(bound)) return anthropicBody(bound);
  const own: unknown = typeof ask === "function" ? Reflect.apply(ask, model, []) : undefined;
  const kind = isWireObject(chosen) ? chosen["modelProvider"] : own;
  const { model: name, thinking } = isWireObject(chosen) ? chosen : model;
  return kind === "anthropic" ? { model: name, thinking, messages: [] } : undefined;
}

type ModelClass = new (fields: WireObject) => object;

/** The same model with the provider's option to drop what no longer fits; made from its own fields. */
async function droppingModel(model: WireObject): Promise<unknown> {
  const { _getModelInstance: choose, bound, constructor } = model;
  if (isWireObject(bound)) {
    const parts = { ...(model["lc_kwargs"] as WireObject), bound: await droppingModel(bound) };
    return new (constructor as ModelClass)(parts);
  }
  const chosen: unknown =
    typeof choose === "function" ? await Reflect.apply(choose, model, []) : model;
  if (!isWireObject(chosen) || !isWireObject(chosen["lc_kwargs"])) return model;
  const { lc_kwargs: fields, betas, thinking } = chosen;
  const dropping = droppingBlocks({ thinking, messages: [] })["thinking"];
  if (dropping === thinking) return model;
  const known: readonly unknown[] = Array.isArray(betas) ? betas : [];
  return new (chosen.constructor as ModelClass)({
    ...fields,
    thinking: dropping,
    betas: known.includes(BINDING_BETA) ? known : [...known, BINDING_BETA],
  });
}

/** A chat model, or anything else that is invoked with messages. */
export interface ChatModelLike<Answer> {
  invoke(messages: never, config?: never): Promise<Answer>;
}

/** A summarizer on a chat model: that is one by what it answers. */
export function summarizerOf(given: unknown): Summarizer | undefined {
  if (!isChatModel(given)) return undefined;
  return sdkSummarizer({
    name: nameOf(given as unknown as WireObject),
    window: aboutChatModel(given).window,
    ask: async (request) => answerOf(await ask(given, request)),
  });
}

function isChatModel(given: unknown): given is ChatModelLike<unknown> {
  return isWireObject(given) && "invoke" in given && !("summarize" in given);
}

/** Models' words for an answer that was cut off; all others are taken for a whole one. */
const CUT_OFF: ReadonlySet<unknown> = new Set(["max_tokens", "length", "MAX_TOKENS"]);

function ask(model: ChatModelLike<unknown>, { prompt, signal }: SummaryRequest): Promise<unknown> {
  const messages = [
    { role: "system", content: prompt.system },
    { role: "user", content: prompt.user },
  ];
  // Inside of a graph the call would be streamed to whoever watches the agent.
  const tags = ["nostream", "langsmith:nostream"];
  const config = { signal, tags, metadata: { lc_source: "summarization" } };
  return model.invoke(messages as never, config as never);
}

/** The end of an answer that was cut off with nothing in it: its provider may have had no room. */
export function emptyEnd(answer: unknown): AnswerEnd | undefined {
  if (!saysNothing(answer) || finishOf(answer) !== "length") return undefined;
  const usage = langchainUsage(answer);
  // A stream of Anthropic's begins with a token of output that is none.
  const output = usage === undefined || usage.output <= 1 ? 0 : usage.output;
  return { usage: usage && { ...usage, output }, finish: "length" };
}

/** An answer that has nothing of what a model says, thinks or calls. */
function saysNothing(answer: unknown): boolean {
  const { content, tool_calls, tool_call_chunks, additional_kwargs } = fieldsOf(answer);
  const isEmpty = (value: unknown = ""): boolean =>
    (typeof value === "string" || Array.isArray(value)) && value.length === 0;
  const names = Object.keys(fieldsOf(additional_kwargs));
  const thinks = names.some((key) => key.startsWith("reasoning"));
  return !thinks && [content, tool_calls, tool_call_chunks].every(isEmpty);
}

function finishOf(answer: unknown): SummaryFinish {
  const { response_metadata: metadata, additional_kwargs: streamed } = fieldsOf(answer);
  const said = { ...fieldsOf(streamed), ...fieldsOf(metadata) };
  const { stop_reason, finish_reason, finishReason } = said;
  return CUT_OFF.has(stop_reason ?? finish_reason ?? finishReason) ? "length" : "stop";
}

function answerOf(answer: unknown): SummaryAnswer {
  const { content, tool_calls: calls } = fieldsOf(answer);
  const finish = finishOf(answer);
  return {
    text: textOf(content),
    finish,
    toolCalls: Array.isArray(calls) ? calls.length : 0,
    usage: summaryUsage(langchainUsage(answer)),
  };
}

/** The words of an answer; its thinking is left out. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const texts = (content as unknown[]).map((block) => {
    if (typeof block === "string") return block;
    return isWireBlock(block) && block.type === "text" ? (textIn(block, "text") ?? "") : "";
  });
  return texts.join("");
}

function nameOf(model: WireObject): string {
  const { _llmType: ask, model: id, modelName } = model;
  const kind: unknown = typeof ask === "function" ? Reflect.apply(ask, model, []) : undefined;
  const words = [kind, id ?? modelName].filter((word) => typeof word === "string");
  return words.join(":") || "chat model";
}
