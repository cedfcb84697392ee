export type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
export { aiSdkContext } from "./context.ts";
export type { AiSdkContext, AiSdkContextOptions } from "./context.ts";
export type {
  AiSdkMiddleware,
  AiSdkRun,
  AiSdkStep,
  PersistedMessage,
  PrepareStepOptions,
} from "./sdk.ts";
