export { aiSdk } from "./ai-sdk.ts";
export { checkAiSdk } from "./check.ts";
export { createAiSdkDecoder, decodeAiSdk } from "./decode.ts";
export { encodeAiSdk } from "./encode.ts";
export type { AiSdkModel, ModelVersion } from "./model.ts";
export { matchPrompt, modelPrompt } from "./model-prompt.ts";
export type { PromptMessage } from "./model-prompt.ts";
export { modelTools } from "./model-tools.ts";
export { aiSdkUsage } from "./usage.ts";
export type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkOptions,
  AiSdkOutput,
  AiSdkOutputPart,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from "./wire.ts";
