import type { Context } from "../../context/index.ts";
import {
  matchPrompt,
  modelPrompt,
  type ModelVersion,
  type PromptMessage,
} from "../../dialects/ai-sdk/model-prompt.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { type AiSdkMessage, aiSdkUsage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import type { Conversation } from "../conversations.ts";
import {
  type Extras,
  boundReasoning,
  joinPrompt,
  noteCall,
  type Prompt,
  recoveringResult,
  splitPrompt,
  versionOf,
} from "./model.ts";
import type { Hooks } from "./prepare-step.ts";
import type { AiSdkMiddleware, CalledModel, CallOptions } from "./sdk.ts";

/**
 * The middleware of one context. A call of a step that `prepareStep` has prepared is only recovered,
 * and the edit is journaled, so that later steps go on from that. Every other call is kept inside
 * the window, with a context for each conversation.
 */
export function createMiddleware(hooks: Hooks): AiSdkMiddleware {
  const calls = createCalls(hooks);
  const asked = <Result extends object>(
    ask: () => PromiseLike<Result>,
    method: "doGenerate" | "doStream",
    { params, model }: { readonly params: CallOptions; readonly model: CalledModel },
  ): Promise<Result> =>
    recoveringResult(ask, {
      async again(refused) {
        const other = await calls.recover(params, model, refused);
        return other && ((await model[method](other as never)) as Result);
      },
      answered: (answer) => calls.answered(params, answer),
    });
  return {
    specificationVersion: "v3",
    transformParams: ({ params, model }) => calls.prepare(params, model),
    wrapGenerate: ({ doGenerate, ...call }) => asked(doGenerate, "doGenerate", call),
    wrapStream: ({ doStream, ...call }) => asked(doStream, "doStream", call),
  };
}

type Natives = readonly AiSdkMessage[];

interface Call extends Prompt {
  /** Absent for the call of a step that `prepareStep` has prepared. */
  readonly conversation?: Conversation<Natives>;
}

function createCalls(hooks: Hooks) {
  const { runs, extras, conversationOf } = hooks;
  const calls = new WeakMap<CallOptions, Call>();
  const extrasOf = new WeakMap<Context, Extras>();
  return {
    /** The options to call the model with; the very same ones where nothing has to be changed. */
    async prepare<Params extends CallOptions>(params: Params, model: CalledModel): Promise<Params> {
      if (isSummaryCall(params)) return params;
      const step = runs.waiting && stepOf(runs.waiting.sent, params, model);
      if (step !== undefined) {
        noteCall(extras, params, step.system);
        calls.set(params, step);
        return params;
      }
      const { system, body } = splitPrompt(params.prompt);
      if (body.length === 0) return params;
      const conversation = conversationOf(body, {
        request: params,
        tools: params.tools ?? [],
        model: model.modelId,
      });
      const { context, given } = conversation;
      const { thinking, ...sent } = noteCall(extrasOf.get(context) ?? {}, params, system);
      extrasOf.set(context, { thinking, ...sent });
      const edited = await conversation.prepare({
        ...sent,
        boundReasoning: boundReasoning(model, thinking),
      });
      calls.set(params, { system, body, conversation });
      if (edited === given) return params;
      const prepared = { ...params, prompt: joinPrompt({ system, body: edited }, given, model) };
      calls.set(prepared, { system, body, conversation });
      return prepared;
    },
    /** The options for one more try after the model refused these; `undefined` for none. */
    async recover(
      params: CallOptions,
      model: CalledModel,
      error: unknown,
    ): Promise<CallOptions | undefined> {
      const call = calls.get(params);
      if (call === undefined) return undefined;
      const { system, conversation } = call;
      if (conversation === undefined) {
        const prompt = await recoverStep(hooks, call, versionOf(model), error);
        return prompt && { ...params, prompt };
      }
      const body = await conversation.recover(error);
      return body && { ...params, prompt: joinPrompt({ system, body }, conversation.given, model) };
    },
    /** Takes in what the model reported: a result, or a part of a stream. */
    answered(params: CallOptions, answer: unknown): void {
      const call = calls.get(params);
      const usage = isWireObject(answer) ? aiSdkUsage(answer) : undefined;
      call?.conversation?.learn(usage);
      // A result, or the part with which a stream ends.
      const isWhole = isWireObject(answer) && (answer["type"] ?? "finish") === "finish";
      if (call !== undefined && call.conversation === undefined && isWhole) runs.answered();
    },
  };
}

/** The prompt of a step to send instead of the refused one, or `undefined`. */
async function recoverStep(
  { native, runs, extras }: Hooks,
  { system, body }: Prompt,
  version: ModelVersion,
  error: unknown,
): Promise<readonly PromptMessage[] | undefined> {
  if (runs.last === undefined) return undefined;
  const match = matchPrompt(runs.last.sent, body, version);
  const made = match && (await native.recover(runs.last.sent, error, extras.managedBy));
  if (made === undefined) return undefined;
  runs.repaired(made.conversation);
  const repaired = modelPrompt(made.conversation, version, match?.known);
  return [...system, ...repaired, ...body.slice(match?.length)];
}

/** The prompt of a step that `prepareStep` has prepared; others, e.g. for a title, begin otherwise. */
function stepOf(sent: Natives, { prompt }: CallOptions, model: CalledModel): Prompt | undefined {
  const { system, body } = splitPrompt(prompt, sent);
  const answer = sent.findIndex(({ role }) => role === "assistant");
  const opening = answer < 0 ? sent : sent.slice(0, answer + 1);
  const isStep = body.length > 0 && matchPrompt(opening, body, versionOf(model)) !== undefined;
  return isStep ? { system, body } : undefined;
}

/** A model that writes our summaries may be the very one that is wrapped. */
function isSummaryCall({ providerOptions }: CallOptions): boolean {
  return fieldsOf(fieldsOf(providerOptions)["longhaul"])["summary"] === true;
}
