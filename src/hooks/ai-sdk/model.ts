import { modelWindow } from "../../core/overflow/budget.ts";
import type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { aiSdkSummarizer } from "../../models/ai-sdk.ts";
import type { Summarizer } from "../../models/summarizer.ts";
import { bindsReasoning } from "../anthropic/wire.ts";
import { isManaging, managedSetting } from "../managed.ts";
import type { AiSdkStep } from "./sdk.ts";

/** The window of a model or of its id. */
export function windowOf(model: unknown): number | undefined {
  const id = isWireObject(model) ? model["modelId"] : model;
  return typeof id === "string" ? modelWindow(id) : undefined;
}

/** A summarizer on a language model of the SDK; `agent` is the agent's own. */
export function summarizerOf(given: unknown, agent: unknown): Summarizer | undefined {
  if (!isModel(given)) return undefined;
  const window = modelWindow(given.modelId);
  return aiSdkSummarizer({
    model: given,
    ...(window !== undefined && { window }),
    // The provider has the agent's own request in its prompt cache.
    reusesPrompt: given === agent,
  });
}

function isModel(value: unknown): value is AiSdkModel {
  return isWireObject(value) && typeof value["doGenerate"] === "function";
}

/**
 * Whether a model refuses reasoning when something before it was edited; `undefined` when nothing
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

/** How the agent thinks, in the options of a call. */
export function thinkingOf(providerOptions: unknown): unknown {
  if (!isWireObject(providerOptions)) return undefined;
  const { anthropic, bedrock } = providerOptions;
  const own = isWireObject(anthropic) ? anthropic["thinking"] : undefined;
  return own ?? (isWireObject(bedrock) ? bedrock["reasoningConfig"] : undefined);
}

/** Whether the API was asked to leave out by itself what no longer fits. */
function isDropped(thinking: WireObject): boolean {
  const option = thinking["blockBinding"];
  const field = thinking["block_binding"];
  const behaviors = [
    isWireObject(option) && option["prefixMismatchBehavior"],
    isWireObject(field) && field["prefix_mismatch_behavior"],
  ];
  return behaviors.includes("drop_block");
}

function nameOf(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  if (!isWireObject(model) || typeof model["modelId"] !== "string") return undefined;
  return `${String(model["provider"])} ${model["modelId"]}`;
}

/** The setting of a call by which the provider manages the conversation itself, if there is one. */
export function managedByOptions(providerOptions: unknown): string | undefined {
  if (!isWireObject(providerOptions)) return undefined;
  for (const [provider, options] of Object.entries(providerOptions)) {
    const name = isWireObject(options) ? managedSetting(options, "option") : undefined;
    if (name !== undefined) return `providerOptions.${provider}.${name}`;
  }
  return undefined;
}

/** The same of a step that is done, as far as it tells what was sent and what came of it. */
export function managedByStep(step: AiSdkStep | undefined): string | undefined {
  const body = step?.request?.body;
  const field = isWireObject(body) ? managedSetting(body, "field") : undefined;
  if (field !== undefined) return `${field} in the request`;
  const metadata = step?.providerMetadata;
  const anthropic = isWireObject(metadata) ? metadata["anthropic"] : undefined;
  const applied = isWireObject(anthropic) ? anthropic["contextManagement"] : undefined;
  return isManaging(applied) ? "providerMetadata.anthropic.contextManagement" : undefined;
}

/** What the provider left of a history that it compacted itself: nothing before it counts. */
export function managedByParts(messages: readonly AiSdkMessage[]): string | undefined {
  for (const { role, content } of messages) {
    if (role !== "assistant" || typeof content === "string") continue;
    if (content.some((part) => isCompaction(part))) return "a compaction part";
  }
  return undefined;
}

function isCompaction(part: WireObject): boolean {
  if (part["type"] === "custom") return String(part["kind"]).endsWith(".compaction");
  const options = part["providerOptions"];
  if (!isWireObject(options)) return false;
  return Object.values(options).some((own) => isWireObject(own) && own["type"] === "compaction");
}
