export { DETAILS } from "./head-text.ts";
export type { Detail } from "./head-text.ts";
export { joinSummaries, planMerge } from "./plan-merge.ts";
export type { MergeGroup, MergePlan, Partials } from "./plan-merge.ts";
export { frameOf, planPrompts, promptWithin } from "./plan-prompts.ts";
export type { ChunksPlan, PromptPlan, SummaryChunk, WholePlan } from "./plan-prompts.ts";
export { liveInstruction, retryPrompt, retryText } from "./prompts.ts";
export type { Place, PromptFrame } from "./prompts.ts";
export type { PromptBudget, SummaryInput, SummaryPrompt } from "./request.ts";
