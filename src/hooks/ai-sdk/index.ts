export {
  aiSdk,
  checkAiSdk,
  createAiSdkDecoder,
  decodeAiSdk,
  encodeAiSdk,
} from "../../dialects/ai-sdk/index.ts";
export type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkModel,
  AiSdkOptions,
  AiSdkOutput,
  AiSdkOutputPart,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from "../../dialects/ai-sdk/index.ts";
export { longhaul } from "./longhaul.ts";
export type { LonghaulContext, LonghaulOptions } from "./longhaul.ts";
export type { AiSdkMiddleware, AiSdkRun, AiSdkStep, PrepareStepOptions } from "./sdk.ts";
