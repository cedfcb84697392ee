export { aiSdkSummarizer } from "./ai-sdk/summarizer.ts";
export type { AiSdkSummarizerOptions } from "./ai-sdk/summarizer.ts";
export type { AiSdkModel } from "../dialects/ai-sdk/model-prompt.ts";
export { anthropicSummarizer } from "./anthropic/summarizer.ts";
export { summarizerByName } from "./by-name.ts";
export type { NamedSummarizerOptions } from "./by-name.ts";
export type { SummarizerFailure } from "./http/failure.ts";
export type { HttpSummarizerOptions } from "./http/options.ts";
export type { ModelSummary, SummaryCall } from "./model-summary.ts";
export { openaiCompatibleSummarizer } from "./openai-compatible/summarizer.ts";
export type {
  LiveRequest,
  SummarizeFunction,
  Summarizer,
  SummaryAnswer,
  SummaryFinish,
  SummaryRequest,
  SummaryUsage,
} from "./summarizer.ts";
