export { aiSdk } from "../../dialects/ai-sdk/ai-sdk.ts";
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
} from "../../dialects/ai-sdk/wire.ts";
export type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
export { longhaul } from "./longhaul.ts";
export type { LonghaulContext, LonghaulOptions } from "./longhaul.ts";
export type { AiSdkMiddleware, AiSdkRun, AiSdkStep, PrepareStepOptions } from "./sdk.ts";
