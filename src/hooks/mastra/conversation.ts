import type { Context } from "../../context/index.ts";
import { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
import type { PromptMessage } from "../../dialects/ai-sdk/model-prompt.ts";
import { type AiSdkMessage, aiSdkUsage } from "../../dialects/ai-sdk/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireBlock, isWireObject } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import {
  boundReasoning,
  instructionText,
  joinPrompt,
  managedByOptions,
  managedByMessage,
  managedByStep,
  splitPrompt,
  thinkingOf,
} from "../ai-sdk/model.ts";
import { countedTools } from "../ai-sdk/tools.ts";
import { keepObjects } from "../follow-natives.ts";
import { nativeContextOn } from "../native-context.ts";

/** The arguments that all hooks of a processor share. */
export interface ProcessorArgs {
  /** The same object for all hooks of one run. */
  readonly state: Record<string, unknown>;
  readonly requestContext?: { get(key: never): unknown } | undefined;
}

/** Before a step: its tools and options may still be changed. */
export interface InputStepArgs extends ProcessorArgs {
  readonly runId?: string;
  readonly model?: unknown;
  readonly tools?: Record<string, unknown>;
  readonly providerOptions?: unknown;
  readonly modelSettings?: { readonly maxOutputTokens?: number };
}

/** The prompt of a step, as the model will get it. */
export interface LLMRequestArgs<Prompt extends readonly PromptMessage[]> extends ProcessorArgs {
  readonly prompt: Prompt;
  readonly model: unknown;
  readonly steps: readonly StepLike[];
  readonly abortSignal?: AbortSignal;
}

export interface StepLike {
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
}

type Natives = readonly AiSdkMessage[];

export type Conversation = ReturnType<typeof conversationOn>;

export function conversationOn(context: Context) {
  const native = nativeContextOn<Natives, AiSdkMessage>(context, {
    dialect: aiSdk,
    managedBy: managedByMessage,
    truncate: truncatedMessage,
  });
  let tools: unknown;
  let providerOptions: unknown;
  let maxOutput: number | undefined;
  let known: Natives = [];
  let newest: { readonly system: Natives; readonly model: unknown } | undefined;
  const promptOf = (body: Natives, given: Natives): readonly PromptMessage[] =>
    joinPrompt({ system: newest?.system ?? [], body }, given, newest?.model);
  return {
    context,
    /** Notes the tools and options of a step. */
    starts(args: Pick<InputStepArgs, "tools" | "providerOptions" | "modelSettings">): void {
      ({ providerOptions } = args);
      maxOutput = args.modelSettings?.maxOutputTokens;
      tools = args.tools && countedTools(args.tools);
    },
    /** The prompt to send; the very one if nothing had to be done. Rejects only by the signal. */
    async prepare<Prompt extends readonly PromptMessage[]>({
      prompt,
      model,
      steps,
      abortSignal,
    }: LLMRequestArgs<Prompt>): Promise<Prompt> {
      const { system, body } = splitPrompt(prompt);
      // Mastra makes the messages anew in every step.
      known = keepObjects(body, known);
      newest = { system, model };
      const step = steps.at(-1);
      const { conversation, given } = await native.prepare(known, {
        usage: step && usageOf(step),
        instructions: instructionText(system) ?? "",
        tools,
        maxOutput,
        boundReasoning: boundReasoning(model, thinkingOf(providerOptions)),
        managedBy: managedByOptions(providerOptions) ?? managedByStep(step),
        signal: abortSignal,
      });
      return conversation === known ? prompt : (promptOf(conversation, given) as Prompt);
    },
    /** The prompt to send instead of a refused one, or `undefined`. */
    async recover(refused: unknown): Promise<readonly PromptMessage[] | undefined> {
      const made = newest && (await native.recover(known, refused));
      return made && promptOf(made.conversation, made.given);
    },
  };
}

/** Mastra keeps what the provider reported beside what it makes of it. */
function usageOf(step: StepLike): ReturnType<typeof aiSdkUsage> {
  const { raw } = fieldsOf(step.usage);
  return (isWireObject(raw) ? aiSdkUsage({ usage: raw }) : undefined) ?? aiSdkUsage(step);
}

async function truncatedMessage(
  at: number,
  list: Natives,
  truncation: TruncationOptions,
): Promise<AiSdkMessage> {
  const message = list[at] as AiSdkMessage;
  const { content, role } = message;
  if (role !== "tool" || typeof content === "string") return message;
  const parts = await Promise.all(
    content.map(async (part) => {
      if (!isWireBlock(part) || part.type !== "tool-result") return part;
      const { toolName, input, output } = part;
      const meta = { toolName: typeof toolName === "string" ? toolName : "", input };
      const kept = await truncateValue(output, meta, truncation);
      return kept === output ? part : { ...part, output: kept };
    }),
  );
  const isSame = parts.every((part, index) => part === content[index]);
  return isSame ? message : { ...message, content: parts as AiSdkMessage["content"] };
}
