import { parseSummary } from "./sections.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";
import type { CompactionTemplate } from "./template.ts";

export interface SummaryValidation {
  readonly valid: boolean;
  /** Ids of the sections that are absent or empty, in the template's order. */
  readonly missingSections: readonly string[];
}

/** Whether every section of the template is there with some content; `(none)` is content. */
export function validateSummary(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): SummaryValidation {
  const sections = parseSummary(text, template);
  const missingSections = template.sections
    .map(({ id }) => id)
    .filter((id) => (sections.get(id) ?? "").trim() === "");
  return { valid: missingSections.length === 0, missingSections };
}
