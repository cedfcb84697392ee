import { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
import {
  modelPrompt,
  type ModelVersion,
  type PromptMessage,
} from "../../dialects/ai-sdk/model-prompt.ts";
import { aiSdkUsage } from "../../dialects/ai-sdk/usage.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireBlock, isWireObject } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import {
  boundReasoning,
  managedByOptions,
  managedByParts,
  managedByStep,
  thinkingOf,
} from "../ai-sdk/model.ts";
import { countedTools } from "../ai-sdk/tools.ts";
import { instructionText } from "../ai-sdk/surroundings.ts";
import { keepObjects } from "../follow-natives.ts";
import { createStandBack } from "../managed.ts";
import { nativeContextOn } from "../native-context.ts";
import type { InputStepArgs, LLMRequestArgs, StepLike } from "./wire.ts";
import type { Context } from "../../context/index.ts";

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

/** What is seen of a prompt's messages when they arrive. */
interface Arrived {
  /**
   * Those that say the same as known ones are those, because Mastra makes them anew in every step;
   * long tool outputs are truncated (T15).
   */
  readonly messages: Natives;
  /** Whether they say what came, so that nothing was truncated. */
  readonly isWhole: boolean;
  /** What the provider left of a history that it manages itself. */
  readonly managedBy: string | undefined;
}

/** Looks at each message of a growing list once. */
function createArrival(context: Context): (messages: Natives) => Promise<Arrived> {
  const cut = new WeakMap<AiSdkMessage, AiSdkMessage>();
  let known: Natives = [];
  let hasCut = false;
  let managedBy: string | undefined;
  return async (messages) => {
    const same = keepObjects(messages, known);
    const fresh = same.slice(goesOn(same, known));
    known = same;
    managedBy = (fresh.length < same.length ? managedBy : undefined) ?? managedByParts(fresh);
    for (const message of fresh) {
      const kept = message.role === "tool" ? await truncatedMessage(message, context) : message;
      if (kept === message) continue;
      cut.set(message, kept);
      hasCut = true;
    }
    const kept = hasCut ? same.map((message) => cut.get(message) ?? message) : same;
    return { messages: kept, isWhole: !hasCut, managedBy };
  };
}

/** How many messages of the list are those of the one before it. */
function goesOn(list: Natives, before: Natives): number {
  const end = Math.min(list.length, before.length);
  let at = 0;
  while (at < end && list[at] === before[at]) at += 1;
  return at;
}

async function truncatedMessage(message: AiSdkMessage, context: Context): Promise<AiSdkMessage> {
  const { content } = message;
  if (typeof content === "string") return message;
  const parts = await Promise.all(
    content.map(async (part) => {
      if (!isWireBlock(part) || part.type !== "tool-result") return part;
      const { toolName, input, output } = part;
      const meta = { toolName: typeof toolName === "string" ? toolName : "", input };
      const kept = await truncateValue(output, meta, context.truncation);
      return kept === output ? part : { ...part, output: kept };
    }),
  );
  const isSame = parts.every((part, at) => part === content[at]);
  return isSame ? message : { ...message, content: parts as AiSdkMessage["content"] };
}
