import { fieldsOf } from "../../core/text/json.ts";
import { modelWindow } from "../../core/overflow/budget.ts";
import type { AnswerEnd } from "../../core/overflow/provider-error.ts";
import {
  type AiSdkModel,
  checkedModel,
  modelPrompt,
  type ModelVersion,
} from "../../dialects/ai-sdk/model-prompt.ts";
import { type AiSdkMessage, aiSdkUsage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject, textIn, type WireObject } from "../../dialects/wire.ts";
import type { Summarizer } from "../../models/summarizer.ts";
import { bindsReasoning } from "../anthropic/wire.ts";
import { isManaging, managedSetting } from "../managed.ts";
import {
  type CallRecovery,
  recoveringCall,
  recoveringStream,
  type Sign,
} from "../recovering-stream.ts";
import { summarizerOnCall } from "../summarizer.ts";
import type { AiSdkStep, CallOptions } from "./sdk.ts";

/** A summarizer on a language model of the SDK; `agent` is the agent's own. */
export function summarizerOf(given: unknown, agent: unknown): Summarizer | undefined {
  if (!isModel(given)) return undefined;
  const window = modelWindow(given.modelId);
  const { provider, modelId } = checkedModel(given);
  // The provider has the agent's own request in its prompt cache.
  const reusesPrompt = given === agent;
  return summarizerOnCall({ name: `${provider}:${modelId}`, window, reusesPrompt }, async () => {
    const { aiSdkSummarizer } = await import("../../models/ai-sdk.ts");
    return aiSdkSummarizer({ model: given, window, reusesPrompt });
  });
}

function isModel(value: unknown): value is AiSdkModel {
  return isWireObject(value) && typeof value["doGenerate"] === "function";
}

/**
 * True of a model that refuses reasoning when something before it was edited; `undefined` when nothing
 * is known about the model. Claude's newer models do. Its older ones take any prefix and, while
 * their thinking is on by budget, want that of the last turn back; and DeepSeek wants all of it.
 */
export function boundReasoning(model: unknown, thinking: unknown): boolean | undefined {
  const name = nameOf(model);
  if (name === undefined) return undefined;
  if (!/claude|anthropic/i.test(name)) return false;
  const isOlder = isWireObject(thinking) && (thinking["type"] === "enabled" || isDropped(thinking));
  return !isOlder && bindsReasoning({ model: name, messages: [] });
}

export function thinkingOf(providerOptions: unknown): unknown {
  const { anthropic, bedrock } = fieldsOf(providerOptions);
  return fieldsOf(anthropic)["thinking"] ?? fieldsOf(bedrock)["reasoningConfig"];
}

/** The API was asked to leave out by itself the thinking that no longer fits. */
function isDropped(thinking: WireObject): boolean {
  const option = fieldsOf(thinking["blockBinding"])["prefixMismatchBehavior"];
  const field = fieldsOf(thinking["block_binding"])["prefix_mismatch_behavior"];
  return [option, field].includes("drop_block");
}

/**
 * The end of an answer that was cut off with nothing in it: its provider may have had no room for
 * one.
 */
function emptyEnd(answer: unknown): AnswerEnd | undefined {
  if (!isWireObject(answer)) return undefined;
  const { content = [], finishReason } = answer;
  if (!Array.isArray(content) || content.length > 0) return undefined;
  const finish = isWireObject(finishReason) ? finishReason["unified"] : finishReason;
  return finish === "length" ? { usage: aiSdkUsage(answer), finish } : undefined;
}

/** Parts that come before the answer itself. */
const LEAD: ReadonlySet<unknown> = new Set(["stream-start", "response-metadata", "raw"]);

export function signOf(part: unknown): Sign {
  const { type, kind, error } = fieldsOf(part);
  if (LEAD.has(type) || kind === "anthropic.message_start") return "lead";
  const refused = type === "error" ? error : emptyEnd(part);
  return refused === undefined ? "answer" : { refused };
}

/** The answer of a model, as a result or in a stream, or another one in its place, once. */
export async function recoveringResult<Result extends object>(
  ask: () => PromiseLike<Result>,
  {
    again,
    answered = () => undefined,
  }: Pick<CallRecovery<Result>, "again"> & {
    /** Hears the result, or each part of its stream. */
    readonly answered?: (answer: unknown) => void;
  },
): Promise<Result> {
  const result = await recoveringCall(ask, { end: emptyEnd, again });
  const streamOf = (one: object): ReadableStream | undefined =>
    (one as { readonly stream?: ReadableStream }).stream;
  const given = streamOf(result);
  if (given === undefined) {
    answered(result);
    return result;
  }
  const stream = recoveringStream<unknown>(given, {
    sign: signOf,
    async again(refused) {
      const other = await again(refused);
      return other && streamOf(other);
    },
    failed: (error) => ({ type: "error", error }),
    onPart: answered,
  });
  return { ...result, stream };
}

function nameOf(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  if (!isWireObject(model) || typeof model["modelId"] !== "string") return undefined;
  return `${String(model["provider"])} ${model["modelId"]}`;
}

/** The setting of a call by which the provider manages the conversation itself, if there is one. */
export function managedByOptions(providerOptions: unknown): string | undefined {
  for (const [provider, options] of Object.entries(fieldsOf(providerOptions))) {
    const name = managedSetting(fieldsOf(options), "option");
    if (name !== undefined) return `providerOptions.${provider}.${name}`;
  }
  return undefined;
}

/** The same of a step that is done, as far as it tells what was sent and what came of it. */
export function managedByStep(step: Partial<AiSdkStep> | undefined): string | undefined {
  const field = managedSetting(fieldsOf(step?.request?.body), "field");
  if (field !== undefined) return `${field} in the request`;
  const applied = fieldsOf(fieldsOf(step?.providerMetadata)["anthropic"])["contextManagement"];
  return isManaging(applied) ? "providerMetadata.anthropic.contextManagement" : undefined;
}

/** The item that a provider leaves when it compacts a history itself: nothing before it counts. */
export function managedByMessage({ role, content }: AiSdkMessage): string | undefined {
  if (role !== "assistant" || typeof content === "string") return undefined;
  return content.some((part) => isCompaction(part)) ? "a compaction part" : undefined;
}

function isCompaction(part: WireObject): boolean {
  if (part["type"] === "custom") return String(part["kind"]).endsWith(".compaction");
  const options = Object.values(fieldsOf(part["providerOptions"]));
  return options.some((own) => fieldsOf(own)["type"] === "compaction");
}

/** The rest of a request: all but its messages, as far as it is known. */
export interface Extras {
  instructions?: string;
  tools?: unknown;
  /** The setting by which the provider manages the conversation itself. */
  managedBy?: string;
  thinking?: unknown;
  maxOutput?: number;
  /** By which the caller gives up. */
  signal?: AbortSignal;
}

/** Notes what a call really sends; `system` is what stands in its prompt before the messages. */
export function noteCall(
  extras: Extras,
  { tools = [], providerOptions, abortSignal: signal, maxOutputTokens }: CallOptions,
  system: readonly AiSdkMessage[],
): Extras {
  return Object.assign(extras, {
    instructions: instructionText(system) ?? "",
    tools: areSameTools(tools, extras.tools) ? extras.tools : tools,
    managedBy: managedByOptions(providerOptions),
    thinking: thinkingOf(providerOptions),
    maxOutput: maxOutputTokens,
    signal,
  });
}

/** The SDK makes the list, and most schemas in it, anew for every call. */
function areSameTools(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((tool: unknown, at) => {
    const known: unknown = other[at];
    if (!isWireObject(tool) || !isWireObject(known)) return tool === known;
    return ["type", "name", "id", "description"].every((field) => tool[field] === known[field]);
  });
}

/** Instructions in any form that the SDK takes: a text, a system message, or several of them. */
export function instructionText(instructions: unknown): string | undefined {
  if (typeof instructions === "string") return instructions;
  if (Array.isArray(instructions)) return instructions.map(instructionText).join("\n");
  return textIn(fieldsOf(instructions), "content");
}

/** A prompt taken apart: what stands before the messages, and the messages. */
export interface Prompt {
  readonly system: readonly AiSdkMessage[];
  readonly body: readonly AiSdkMessage[];
}

/** The system messages at the beginning of a prompt, but for those of `list`, stand before the rest. */
export function splitPrompt(prompt: Prompt["body"], list: Prompt["body"] = []): Prompt {
  const leading = (messages: Prompt["body"]): number => {
    const body = messages.findIndex(({ role }) => role !== "system");
    return body < 0 ? messages.length : body;
  };
  const at = Math.max(0, leading(prompt) - leading(list));
  return { system: prompt.slice(0, at), body: prompt.slice(at) };
}

/** The prompt for a model; `known` are messages that were made by the SDK for it. */
export function joinPrompt({ system, body }: Prompt, known: Prompt["body"], model: unknown) {
  const same = new Map(known.map((message) => [message, message]));
  return [...system, ...modelPrompt(body, versionOf(model), same)];
}

export function versionOf(model: unknown): ModelVersion {
  const version = fieldsOf(model)["specificationVersion"];
  return version === "v3" || version === "v4" ? version : "v2";
}
