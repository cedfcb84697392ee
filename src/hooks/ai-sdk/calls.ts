import type { Usage } from "../../core/message/index.ts";
import {
  type AiSdkMessage,
  aiSdkUsage,
  matchPrompt,
  modelPrompt,
  type ModelVersion,
} from "../../dialects/ai-sdk/index.ts";
import { isWireObject } from "../../dialects/wire-value.ts";
import { boundReasoning } from "./bound-reasoning.ts";
import type { Hooks } from "./prepare-step.ts";
import type { CalledModel, CallOptions } from "./sdk.ts";

type Natives = readonly AiSdkMessage[];

/** The calls of the model that belong to one conversation. */
export interface Calls {
  /** The options to call the model with; the very same ones where nothing has to be changed. */
  prepare<Params extends CallOptions>(params: Params, model: CalledModel): Promise<Params>;
  /** The options for one more try after the model refused these; `undefined` for none. */
  recover(
    params: CallOptions,
    model: CalledModel,
    error: unknown,
  ): Promise<CallOptions | undefined>;
  /** Takes in what the model reported: a result, or a part of a stream. */
  answered(params: CallOptions, answer: unknown): void;
}

/** A prompt taken apart: what stands before the messages, and the messages. */
interface Prompt {
  readonly system: Natives;
  readonly body: Natives;
}

export function createCalls(hooks: Hooks): Calls {
  const { native, runs, surroundings, standsBack } = hooks;
  /** The calls of this conversation, by the options that were prepared for them. */
  const own = new WeakMap<CallOptions, Prompt>();
  /** How the conversation begins, where `prepareStep` does not say it. */
  let first: AiSdkMessage | undefined;
  let usage: Usage | undefined;

  const isOwn = (params: CallOptions, { body }: Prompt, model: CalledModel): boolean => {
    const begin = runs.last?.sent[0] ?? first;
    if (isSummaryCall(params) || body.length === 0) return false;
    return begin === undefined || matchPrompt([begin], body, versionOf(model)) !== undefined;
  };

  return {
    async prepare(params, model) {
      const prompt = split(params.prompt, runs.last?.sent ?? []);
      if (!isOwn(params, prompt, model)) return params;
      surroundings.called(params, prompt.system);
      own.set(params, prompt);
      if (runs.last !== undefined || standsBack(surroundings.managedBy)) return params;
      const { system, body } = prompt;
      [first] = body;
      const { instructions, tools, thinking } = surroundings;
      const { conversation } = await native.prepare(body, {
        usage,
        instructions,
        tools,
        boundReasoning: boundReasoning(model, thinking),
      });
      if (conversation === body) return params;
      const prepared = withBody(params, { system, body: conversation }, versionOf(model));
      own.set(prepared, { system, body: conversation });
      return prepared;
    },
    async recover(params, model, error) {
      const prompt = own.get(params);
      if (prompt === undefined || standsBack(surroundings.managedBy)) return undefined;
      const version = versionOf(model);
      const { system, body } = prompt;
      if (runs.last === undefined) {
        const made = await native.recover(body, error);
        return made && withBody(params, { system, body: made.conversation }, version);
      }
      const match = matchPrompt(runs.last.sent, body, version);
      if (match === undefined) return undefined;
      const made = await native.recover(runs.last.sent, error);
      if (made === undefined) return undefined;
      runs.repaired(made.conversation);
      const repaired = modelPrompt(made.conversation, version, match.known);
      return { ...params, prompt: [...system, ...repaired, ...body.slice(match.length)] };
    },
    answered(params, answer) {
      if (!own.has(params) || !isWireObject(answer)) return;
      usage = aiSdkUsage(answer) ?? usage;
    },
  };
}

/** The system messages at the beginning of a prompt, but for those of the list itself. */
function split(prompt: Natives, list: Natives): Prompt {
  const leading = (messages: Natives): number => {
    const body = messages.findIndex(({ role }) => role !== "system");
    return body < 0 ? messages.length : body;
  };
  const at = Math.max(0, leading(prompt) - leading(list));
  return { system: prompt.slice(0, at), body: prompt.slice(at) };
}

function withBody<Params extends CallOptions>(
  params: Params,
  { system, body }: Prompt,
  version: ModelVersion,
): Params {
  const known = new Map(params.prompt.map((message) => [message, message]));
  return { ...params, prompt: [...system, ...modelPrompt(body, version, known)] };
}

function versionOf({ specificationVersion }: CalledModel): ModelVersion {
  return specificationVersion as ModelVersion;
}

/** A model that writes our summaries may be the very one that is wrapped. */
function isSummaryCall({ providerOptions }: CallOptions): boolean {
  const options = isWireObject(providerOptions) ? providerOptions["longhaul"] : undefined;
  return isWireObject(options) && options["summary"] === true;
}
