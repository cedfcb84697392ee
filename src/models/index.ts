export { aiSdkSummarizer } from "./ai-sdk.ts";
export type { AiSdkSummarizerOptions } from "./ai-sdk.ts";
export type { AiSdkModel } from "../dialects/ai-sdk/model-prompt.ts";
export { anthropicSummarizer } from "./anthropic.ts";
export { summarizerByName } from "./by-name.ts";
export type { NamedSummarizerOptions } from "./by-name.ts";
export type { SummarizerFailure } from "./failure.ts";
export type { HttpSummarizerOptions } from "./http-summarizer.ts";
export type {
  ModelSummary,
  SummaryCall,
  LiveRequest,
  SummarizeFunction,
  Summarizer,
  SummaryAnswer,
  SummaryFinish,
  SummaryRequest,
  SummaryUsage,
} from "./summarizer.ts";
export { openaiCompatibleSummarizer } from "./openai-compatible.ts";
