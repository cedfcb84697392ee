import { matchPrompt, modelPrompt } from "../../dialects/ai-sdk/model-prompt.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { createLoneCalls } from "./lone-calls.ts";
import type { Hooks } from "./prepare-step.ts";
import { type Prompt, split, versionOf } from "./prompt.ts";
import type { CalledModel, CallOptions } from "./sdk.ts";

/** The calls of the model of one context. */
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

export function createCalls(hooks: Hooks): Calls {
  const { native, runs, surroundings, standsBack } = hooks;
  const lone = createLoneCalls(hooks);
  /** The calls of the steps that `prepareStep` has prepared. */
  const prompts = new WeakMap<CallOptions, Prompt>();
  return {
    async prepare(params, model) {
      const prompt = split(params.prompt, runs.last?.sent ?? []);
      if (isSummaryCall(params) || prompt.body.length === 0) return params;
      if (runs.last === undefined) return lone.prepare(params, prompt, model);
      const opening = upToAnswer(runs.last.sent);
      if (matchPrompt(opening, prompt.body, versionOf(model)) === undefined) return params;
      surroundings.called(params, prompt.system);
      prompts.set(params, prompt);
      return params;
    },
    async recover(params, model, error) {
      const prompt = prompts.get(params);
      if (prompt === undefined || runs.last === undefined) {
        return lone.recover(params, model, error);
      }
      if (standsBack(surroundings.managedBy)) return undefined;
      const { system, body } = prompt;
      const version = versionOf(model);
      const match = matchPrompt(runs.last.sent, body, version);
      if (match === undefined) return undefined;
      const made = await native.recover(runs.last.sent, error);
      if (made === undefined) return undefined;
      runs.repaired(made.conversation);
      const repaired = modelPrompt(made.conversation, version, match.known);
      return { ...params, prompt: [...system, ...repaired, ...body.slice(match.length)] };
    },
    answered: (params, answer) => lone.answered(params, answer),
  };
}

/** What tells the agent's own calls from others, such as a question for a title. */
function upToAnswer(sent: readonly AiSdkMessage[]): readonly AiSdkMessage[] {
  const answer = sent.findIndex(({ role }) => role === "assistant");
  return answer < 0 ? sent : sent.slice(0, answer + 1);
}

/** A model that writes our summaries may be the very one that is wrapped. */
function isSummaryCall({ providerOptions }: CallOptions): boolean {
  const options = isWireObject(providerOptions) ? providerOptions["longhaul"] : undefined;
  return isWireObject(options) && options["summary"] === true;
}
