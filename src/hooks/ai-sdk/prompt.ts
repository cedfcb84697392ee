import { modelPrompt, type ModelVersion } from "../../dialects/ai-sdk/model-prompt.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import type { CalledModel, CallOptions } from "./sdk.ts";

type Natives = readonly AiSdkMessage[];

/** A prompt taken apart: what stands before the messages, and the messages. */
export interface Prompt {
  readonly system: Natives;
  readonly body: Natives;
}

/** The system messages at the beginning of a prompt, but for those of the list itself. */
export function split(prompt: Natives, list: Natives): Prompt {
  const leading = (messages: Natives): number => {
    const body = messages.findIndex(({ role }) => role !== "system");
    return body < 0 ? messages.length : body;
  };
  const at = Math.max(0, leading(prompt) - leading(list));
  return { system: prompt.slice(0, at), body: prompt.slice(at) };
}

export function withBody<Params extends CallOptions>(
  params: Params,
  { system, body }: Prompt,
  { known, model }: { readonly known: Natives; readonly model: CalledModel },
): Params {
  const same = new Map(known.map((message) => [message, message]));
  return { ...params, prompt: [...system, ...modelPrompt(body, versionOf(model), same)] };
}

export function versionOf({ specificationVersion }: CalledModel): ModelVersion {
  return specificationVersion as ModelVersion;
}
