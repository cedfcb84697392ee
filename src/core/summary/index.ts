export { frameSummary, unframeSummary } from "./frame.ts";
export type { FrameFacts } from "./frame.ts";
export { parseSummary, validateSummary } from "./sections.ts";
export type { SummarySections, SummaryValidation } from "./sections.ts";
export { extractiveSummary, writeSummary } from "./summary.ts";
export type { ExtractiveInput, SummaryInput, WrittenSummary } from "./summary.ts";
export type { Standing } from "./standing.ts";
export { DEFAULT_COMPACTION_TEMPLATE, resolveTemplate } from "./template.ts";
export type {
  CompactionTemplate,
  CoreSectionId,
  SectionOverride,
  TemplateOverride,
  TemplateSection,
} from "./template.ts";
export { joinWords, readWords } from "./words.ts";
export type { Words } from "./words.ts";
