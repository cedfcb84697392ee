import { ContextError } from "../error.ts";
import { describeValue } from "../message/index.ts";
import { plainTitle } from "./sections.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";
import type {
  CompactionTemplate,
  SectionOverride,
  TemplateOverride,
  TemplateOverrides,
  TemplateSection,
} from "./template.ts";

/**
 * The template after all overrides: default < plugin < conversation < call. Sections that an
 * override adds come after those already there; the five core ones stay, in their order, unless an
 * override says `replaceCore`. Throws `invalid-options` for what is no override, a section without a
 * usable id or with the title of another one, or a new one without heading or purpose.
 */
export function resolveTemplate(overrides: TemplateOverrides): CompactionTemplate {
  const { plugins = [], plugin, conversation, call } = overrides;
  const levels = [...plugins, plugin, conversation, call];
  const template = levels.reduce<CompactionTemplate>(applyOverride, DEFAULT_COMPACTION_TEMPLATE);
  checkTitles(template);
  return template;
}

/** Two sections of one title would be one; the five core ones are in every summary. */
function checkTitles(template: CompactionTemplate): void {
  const known = new Map<string, string>();
  for (const { id, heading } of withCore(template).sections) {
    for (const title of [plainTitle(id), plainTitle(heading)]) {
      const other = known.get(title) ?? id;
      if (other !== id) {
        throw invalid(
          `The section "${id}" has the name or the heading of the section "${other}"; give it another one.`,
        );
      }
      known.set(title, id);
    }
  }
}

/** The template with those of the five sections that it leaves out, so that no fact is left out. */
export function withCore(template: CompactionTemplate): CompactionTemplate {
  const ids = new Set(template.sections.map(({ id }) => id));
  const missing = DEFAULT_COMPACTION_TEMPLATE.sections.filter(({ id }) => !ids.has(id));
  return { sections: [...template.sections, ...missing] };
}

function isOverride(value: unknown): value is TemplateOverride {
  const { sections } = fieldsOf(value);
  return Array.isArray(sections) && sections.every(isSection);
}

function isSection(value: unknown): value is SectionOverride {
  const { id, heading = "", purpose = "" } = fieldsOf(value);
  return [id, heading, purpose].every((text) => typeof text === "string");
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function applyOverride(
  template: CompactionTemplate,
  override: TemplateOverride | undefined,
): CompactionTemplate {
  if (override === undefined) return template;
  if (!isOverride(override)) {
    throw invalid(
      `A template is ${describeValue(override)}; it must be like { sections: [{ id, heading, purpose }] }.`,
    );
  }
  const sections = new Map(template.sections.map((section) => [section.id, section]));
  const changed = override.sections.map((section) =>
    mergeSection(sections.get(section.id), section),
  );
  if (override.replaceCore === true) {
    if (changed.length === 0)
      throw invalid("A template with replaceCore has no sections; name one.");
    sections.clear();
  }
  for (const section of changed) sections.set(section.id, section);
  return { sections: [...sections.values()] };
}

function mergeSection(
  known: TemplateSection | undefined,
  { id, heading, purpose }: SectionOverride,
): TemplateSection {
  if (!/^[A-Za-z][\w-]*$/.test(id)) {
    throw invalid(`"${id}" cannot be the id of a section; use letters, digits, - and _.`);
  }
  // An empty word says nothing; it takes nothing away either.
  const title = heading?.trim() || (known?.heading ?? "");
  const text = purpose?.trim() || (known?.purpose ?? "");
  if (title === "" || text === "") {
    throw invalid(`The section "${id}" is new in this template; give it a heading and a purpose.`);
  }
  return { id, heading: headingLine(title), purpose: text };
}

function headingLine(line: string): string {
  if (/[\r\n]/.test(line)) throw invalid(`The heading "${line}" has a line break; use one line.`);
  return /^#{1,6}\s/.test(line) ? line : `## ${line}`;
}

function invalid(message: string): ContextError {
  return new ContextError("invalid-options", message);
}
