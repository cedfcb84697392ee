import { encodeAiSdk } from "../../dialects/ai-sdk/encode.ts";
import {
  type AiSdkModel,
  modelPrompt,
  modelTools,
  type PromptMessage,
} from "../../dialects/ai-sdk/model-prompt.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { instructionMessage, type Live } from "../live-request.ts";
import type { LiveRequest, SummaryRequest } from "../summarizer.ts";

/** The part of a model's call options that holds what is said. */
export interface CallContent {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly WireObject[];
  readonly toolChoice?: { readonly type: "auto" };
}

export function promptContent({ prompt }: SummaryRequest): CallContent {
  return {
    prompt: [
      { role: "system", content: prompt.system },
      { role: "user", content: [{ type: "text", text: prompt.user }] },
    ],
  };
}

/**
 * The agent's own request up to what is to be summarized, and the instruction behind it.
 * `undefined` if its tools cannot be told to the model.
 */
export async function liveContent(live: Live, model: AiSdkModel): Promise<CallContent | undefined> {
  const version = model.specificationVersion;
  const tools = await modelTools(live.tools, version);
  if (tools === undefined) return undefined;
  const beside: PromptMessage[] = live.system ? [{ role: "system", content: live.system }] : [];
  const shared = [...beside, ...modelPrompt(encodeAiSdk(live.messages), version)];
  const instruction = modelPrompt(encodeAiSdk([instructionMessage(live)]), version);
  return {
    prompt: [...withBreakpoint(shared, tools, model), ...instruction],
    // The SDK says `auto` where nobody says anything, and so must we.
    ...(tools.length > 0 && { tools, toolChoice: { type: "auto" } }),
  };
}

/** Whether {@link liveContent} has something to give. */
export async function canReuse(live: LiveRequest, model: AiSdkModel): Promise<boolean> {
  return (await modelTools(live.tools, model.specificationVersion)) !== undefined;
}

/** Claude takes at most this many cache breakpoints in one request. */
const MAX_BREAKPOINTS = 4;

/** Claude caches what is marked; other models find the prefix by themselves. */
function withBreakpoint(
  shared: readonly PromptMessage[],
  tools: readonly WireObject[],
  { provider, modelId }: AiSdkModel,
): readonly PromptMessage[] {
  const last = shared.at(-1);
  const isClaude = /anthropic|claude/i.test(`${provider} ${modelId}`);
  const marked = [...tools, ...shared, ...shared.flatMap(({ content }) => [...content])];
  const count = marked.filter((place) => isMarked(place)).length;
  if (last === undefined || !isClaude || count >= MAX_BREAKPOINTS || isMarked(last)) return shared;
  const before = isWireObject(last.providerOptions) ? last.providerOptions : {};
  const own = isWireObject(before["anthropic"]) ? before["anthropic"] : {};
  const anthropic = { ...own, cacheControl: { type: "ephemeral" } };
  return [...shared.slice(0, -1), { ...last, providerOptions: { ...before, anthropic } }];
}

function isMarked(place: unknown): boolean {
  const options = isWireObject(place) ? place["providerOptions"] : undefined;
  const own = isWireObject(options) ? options["anthropic"] : undefined;
  return isWireObject(own) && (own["cacheControl"] ?? own["cache_control"]) !== undefined;
}
