export type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
export { aiSdkContext } from "./context.ts";
export type { AiSdkContext, AiSdkContextOptions } from "./context.ts";
export type { AiSdkMiddleware, AiSdkStep, PrepareStepOptions } from "./sdk.ts";
