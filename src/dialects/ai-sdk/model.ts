/** The versions of the AI SDK's interface for language models: `ai` 5, 6 and 7. */
export type ModelVersion = "v2" | "v3" | "v4";

/** A language model object of the AI SDK, as far as it is used here. */
export interface AiSdkModel {
  readonly specificationVersion: ModelVersion;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}
