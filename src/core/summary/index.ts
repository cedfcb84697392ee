export { summaryCap } from "./cap.ts";
export { extractiveSummary } from "./extractive.ts";
export type { ExtractiveInput } from "./extractive.ts";
export { frameSummary, unframeSummary } from "./frame.ts";
export type { FrameFacts } from "./frame.ts";
export { mergeSummary } from "./merge/merge-summary.ts";
export type { MergedSummary, MergeSummaryInput } from "./merge/merge-summary.ts";
export type { CountTokens } from "./plain-text.ts";
export { parseSummary, renderSummary } from "./sections.ts";
export type { SummarySections } from "./sections.ts";
export { resolveTemplate } from "./resolve-template.ts";
export { DEFAULT_COMPACTION_TEMPLATE, renderTemplate } from "./template.ts";
export type {
  CompactionTemplate,
  CoreSectionId,
  SectionOverride,
  TemplateOverride,
  TemplateOverrides,
  TemplateSection,
} from "./template.ts";
export { judgeSummary } from "./judge/judge.ts";
export type { JudgedAnswer, GapInput, JudgeInput, Judgement } from "./judge/judge.ts";
export { describeProblem } from "./judge/problem.ts";
export type { CheckedFact, SummaryProblem } from "./judge/problem.ts";
export { validateSummary } from "./validate.ts";
export type { SummaryValidation } from "./validate.ts";
