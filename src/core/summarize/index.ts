export type { PromptBudget, SummaryInput, SummaryPrompt } from "./request.ts";
