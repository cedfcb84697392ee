import { aiSdkUsage } from "../../dialects/ai-sdk/usage.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import type { Conversation } from "../conversations.ts";
import { withoutStaleMarks } from "../stale-marks.ts";
import { boundReasoning } from "./bound-reasoning.ts";
import { cacheMarks } from "./cache-marks.ts";
import type { Calls } from "./calls.ts";
import type { Hooks } from "./prepare-step.ts";
import { type Prompt, withBody } from "./prompt.ts";
import type { CalledModel, CallOptions } from "./sdk.ts";
import { createSurroundings, type Surroundings } from "./surroundings.ts";

/** The calls of a model that no `prepareStep` prepares. */
export interface LoneCalls extends Omit<Calls, "prepare"> {
  prepare<Params extends CallOptions>(
    params: Params,
    prompt: Prompt,
    model: CalledModel,
  ): Promise<Params>;
}

interface Call {
  readonly system: Prompt["system"];
  readonly conversation: Conversation<AiSdkMessage>;
}

/** Keeps every prompt inside the window; those that begin otherwise are other conversations. */
export function createLoneCalls({
  conversationOf,
  standsBack,
}: Pick<Hooks, "conversationOf" | "standsBack">): LoneCalls {
  const calls = new WeakMap<CallOptions, Call>();
  const beside = new WeakMap<object, Surroundings>();
  return {
    async prepare(params, { system, body }, model) {
      const conversation = conversationOf(body, { instructions: system, tools: params.tools });
      const { native, messages, reported, goesOn } = conversation;
      const surroundings = beside.get(native) ?? createSurroundings();
      beside.set(native, surroundings);
      surroundings.called(params, system);
      if (standsBack(surroundings.managedBy)) return params;
      const { abortSignal: signal } = params;
      const { conversation: edited } = await native.prepare(messages, {
        usage: reported,
        instructions: surroundings.instructions,
        tools: surroundings.tools,
        boundReasoning: boundReasoning(model, surroundings.thinking),
        ...(signal !== undefined && { signal }),
      });
      calls.set(params, { system, conversation });
      if (edited === messages) return params;
      const sent = withoutStaleMarks(edited, messages, cacheMarks);
      goesOn(sent);
      const prepared = withBody(params, { system, body: sent }, { known: messages, model });
      calls.set(prepared, { system, conversation });
      return prepared;
    },
    async recover(params, model, error) {
      const call = calls.get(params);
      if (call === undefined) return undefined;
      const { system, conversation } = call;
      const { native, messages, goesOn } = conversation;
      const made = await native.recover(messages, error);
      if (made === undefined) return undefined;
      goesOn(made.conversation);
      return withBody(params, { system, body: made.conversation }, { known: messages, model });
    },
    answered(params, answer) {
      const usage = isWireObject(answer) ? aiSdkUsage(answer) : undefined;
      if (usage !== undefined) calls.get(params)?.conversation.learn(usage);
    },
  };
}
