import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";

/** A step of the SDK (`StepResult`), as far as it is used here. */
export interface AiSdkStep {
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
  readonly request?: { readonly body?: unknown };
  readonly response: { readonly messages: readonly AiSdkMessage[] };
}

/** The argument of `prepareStep`. */
export interface PrepareStepOptions<Native extends AiSdkMessage> {
  readonly messages: readonly Native[];
  readonly steps: readonly AiSdkStep[];
  /** A model object, or its id. */
  readonly model?: unknown;
  /** Version 7. */
  readonly instructions?: unknown;
  /** Version 7. */
  readonly responseMessages?: readonly unknown[];
  /** The SDK passes none. The middleware tells that of a run from its second step on. */
  readonly abortSignal?: AbortSignal;
}

/** A value that has steps: the result of `generateText`, `streamText` or an agent, or an event. */
export interface AiSdkRun {
  readonly steps: readonly AiSdkStep[] | PromiseLike<readonly AiSdkStep[]>;
}

type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly image: string | Uint8Array | URL }
  | { readonly type: "file"; readonly data: string | Uint8Array | URL; readonly mediaType: string };

/**
 * A message that a run leaves. The types of its steps name answers alone, so those of the other
 * messages are the part of them that both versions have.
 */
export type PersistedMessage<Run extends AiSdkRun> =
  | AnswerOf<Run>
  | { role: "system"; content: string }
  | { role: "user"; content: string | UserPart[] };

type AnswerOf<Run extends AiSdkRun> = Run extends AiSdkRun
  ? Awaited<Run["steps"]>[number]["response"]["messages"][number]
  : never;

/** The options of one call of a language model, as far as they are used here. */
export interface CallOptions {
  readonly prompt: readonly AiSdkMessage[];
  readonly abortSignal?: AbortSignal;
  readonly tools?: unknown;
  readonly providerOptions?: unknown;
  readonly maxOutputTokens?: number;
}

/** A language model as a middleware gets it. */
export interface CalledModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

interface WrappedCall<Params extends CallOptions = CallOptions> {
  readonly params: Params;
  readonly model: CalledModel;
}

/**
 * A `LanguageModelMiddleware` for `wrapLanguageModel`. Version 6 wants the `v3` here, version 7
 * takes any: the object is the same for both.
 */
export interface AiSdkMiddleware {
  readonly specificationVersion: "v3";
  transformParams<Params extends CallOptions>(options: WrappedCall<Params>): Promise<Params>;
  wrapGenerate<Result extends object>(
    options: WrappedCall & { readonly doGenerate: () => PromiseLike<Result> },
  ): Promise<Result>;
  wrapStream<Result extends { stream: ReadableStream }>(
    options: WrappedCall & { readonly doStream: () => PromiseLike<Result> },
  ): Promise<Result>;
}
