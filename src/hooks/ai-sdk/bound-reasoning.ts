import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { bindsReasoning } from "../anthropic/wire.ts";

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
