import type { Context } from "../../context/index.ts";
import { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
import {
  modelPrompt,
  type ModelVersion,
  type PromptMessage,
} from "../../dialects/ai-sdk/model-prompt.ts";
import { aiSdkUsage } from "../../dialects/ai-sdk/usage.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { boundReasoning, thinkingOf } from "../ai-sdk/bound-reasoning.ts";
import { countedTools } from "../ai-sdk/counted-tools.ts";
import { managedByOptions, managedByStep } from "../ai-sdk/managed.ts";
import { instructionText } from "../ai-sdk/surroundings.ts";
import { nativeContextOn } from "../native-context.ts";
import { createStandBack } from "../stand-back.ts";
import { createArrival } from "./arrival.ts";
import type { InputStepArgs, LLMRequestArgs, StepLike } from "./wire.ts";

type Natives = readonly AiSdkMessage[];

/** One conversation of a Mastra agent. */
export interface Conversation {
  readonly context: Context;
  /** Notes what a step is made with, beside its messages. */
  starts(args: Pick<InputStepArgs, "tools" | "providerOptions">): void;
  /** The prompt to send; the very one if nothing had to be done. Rejects only by the signal. */
  prepare<Prompt extends readonly PromptMessage[]>(args: LLMRequestArgs<Prompt>): Promise<Prompt>;
  /** Whether the same prompt, asked for once more, will be a shorter one. */
  recover(error: unknown): Promise<boolean>;
}

export function conversationOn(context: Context): Conversation {
  const native = nativeContextOn<Natives, AiSdkMessage>(context, {
    dialect: aiSdk,
    messagesOf: (messages) => messages,
  });
  const arrive = createArrival(context);
  const standsBack = createStandBack(context);
  let tools: unknown;
  let providerOptions: unknown;
  let last: Natives | undefined;
  return {
    context,
    starts(args) {
      ({ providerOptions } = args);
      tools = args.tools && countedTools(args.tools);
    },
    async prepare<Prompt extends readonly PromptMessage[]>({
      prompt,
      model,
      steps,
      abortSignal,
    }: LLMRequestArgs<Prompt>) {
      last = undefined;
      const { system, body } = split(prompt);
      const arrived = await arrive(body);
      const step = steps.at(-1);
      const by =
        managedByOptions(providerOptions) ?? managedByStep(stepOf(step)) ?? arrived.managedBy;
      if (standsBack(by)) return prompt;
      const { conversation } = await native.prepare(arrived.messages, {
        usage: step && usageOf(step),
        instructions: instructionText(system) ?? "",
        tools,
        boundReasoning: boundReasoning(model, thinkingOf(providerOptions)),
        ...(abortSignal !== undefined && { signal: abortSignal }),
      });
      last = arrived.messages;
      if (conversation === last && arrived.isWhole) return prompt;
      const known = new Map(arrived.messages.map((message) => [message, message]));
      const sent = modelPrompt(conversation, versionOf(model), known);
      return [...system, ...sent] as readonly PromptMessage[] as Prompt;
    },
    async recover(error) {
      return last !== undefined && (await native.recover(last, error)) !== undefined;
    },
  };
}

/** Instructions and what processors add to them stand before the messages. */
function split(prompt: readonly PromptMessage[]): { system: Natives; body: Natives } {
  const found = prompt.findIndex(({ role }) => role !== "system");
  const at = found < 0 ? prompt.length : found;
  const natives = prompt as Natives;
  return { system: natives.slice(0, at), body: natives.slice(at) };
}

/** Mastra keeps what the provider reported beside what it makes of it. */
function usageOf(step: StepLike): ReturnType<typeof aiSdkUsage> {
  const raw = isWireObject(step.usage) ? step.usage["raw"] : undefined;
  return (isWireObject(raw) ? aiSdkUsage({ usage: raw }) : undefined) ?? aiSdkUsage(step);
}

function stepOf(step: StepLike | undefined): Parameters<typeof managedByStep>[0] {
  return step && { ...step, response: { messages: [] } };
}

function versionOf(model: unknown): ModelVersion {
  const version = isWireObject(model) ? model["specificationVersion"] : undefined;
  return version === "v3" || version === "v4" ? version : "v2";
}
