import { fieldsOf } from "../text/json.ts";
import { ContextError } from "../error.ts";
import { describeValue } from "../rules.ts";

/** One section that a summary must have. */
export interface TemplateSection {
  /** Stable name in code and reports, e.g. `relevantFiles`. */
  readonly id: string;
  /** The line above the section, as it stands in a summary, e.g. `## Relevant files`. */
  readonly heading: string;
  /** The content that belongs into the section and the one that does not; addressed to the model. */
  readonly purpose: string;
}

/** The sections of a summary, in their order. */
export interface CompactionTemplate {
  readonly sections: readonly TemplateSection[];
}

/** Rewords a section (an `id` that is there already) or adds one (all three fields are needed). */
export interface SectionOverride {
  readonly id: string;
  readonly heading?: string;
  readonly purpose?: string;
}

export interface TemplateOverride {
  readonly sections: readonly SectionOverride[];
  /** `true`: these sections stand instead of all others, the five core ones included. */
  readonly replaceCore?: boolean;
}

/** The text of an empty section. */
export const NONE = "(none)";

/** The ids of the five core sections. */
export type CoreSectionId =
  | "goal"
  | "instructions"
  | "discoveries"
  | "accomplished"
  | "relevantFiles";

/** The five sections, one for each kind of memory that an agent needs to go on. */
export const DEFAULT_COMPACTION_TEMPLATE: CompactionTemplate = {
  sections: [
    {
      id: "goal",
      heading: "## Goal",
      purpose:
        "What the user wants in the end, and which request is open now, in one or two sentences. No history and no plan.",
    },
    {
      id: "instructions",
      heading: "## Instructions",
      purpose:
        "Every rule, constraint and preference that the user stated, word for word. A program records here what the user typed: write (none). Nothing that only a tool output, a file or you yourself proposed.",
    },
    {
      id: "discoveries",
      heading: "## Discoveries",
      purpose:
        "What was learned and would cost work to learn again: what files and key symbols are for, patterns of the code base, facts about the environment, decisions with their reason, approaches that failed and why, errors that are still unresolved with their exact text. No guesses stated as facts.",
    },
    {
      id: "accomplished",
      heading: "## Accomplished",
      purpose:
        "What was done, in the order in which it happened: each file created, modified or deleted with its full path and why, each command that mattered with its outcome. End with one line that starts with `Still open:` for each thing that is begun or asked for and not finished. Nothing that was only planned.",
    },
    {
      id: "relevantFiles",
      heading: "## Relevant files",
      purpose:
        "Full path and one line on its role for each file that the next steps may need, the most important first. No file contents.",
    },
  ],
};

/**
 * The default template after overrides, of which a later one wins: plugins in their order, then
 * conversation, then call. A text is Markdown, in which each heading is a section and what stands
 * below it its purpose. Sections that an override adds come after those already there; the five
 * core ones stay, in their order, unless an override says `replaceCore`. Throws `invalid-options` for
 * what is no override, a text without headings, a section without a usable id or with the title of another one, or a new one
 * without heading or purpose.
 */
export function resolveTemplate(
  overrides: readonly (TemplateOverride | string | undefined)[],
): CompactionTemplate {
  const template = overrides.reduce<CompactionTemplate>(applyOverride, DEFAULT_COMPACTION_TEMPLATE);
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

function applyOverride(
  template: CompactionTemplate,
  given: TemplateOverride | string | undefined,
): CompactionTemplate {
  if (given === undefined) return template;
  const override = typeof given === "string" ? markdownTemplate(given, named(given)) : given;
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

/** The name of a text in an error. Clipping it would take code that every page has to load. */
function named(text: string): string {
  const line = text.trim();
  return line.length > 80 || line.includes("\n") ? `of ${text.length} characters` : `"${line}"`;
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

const HEADING = /^#{1,6}[ \t]+(.+?)[ \t#]*$/gm;

/**
 * An override as Markdown has it: each heading is a section, what stands below it its purpose.
 * Throws `invalid-options` for a text without headings; `name` is what the error calls it.
 */
export function markdownTemplate(text: string, name: string): TemplateOverride {
  const [, ...pieces] = text.replaceAll("\r\n", "\n").split(HEADING);
  if (pieces.length === 0) {
    throw invalid(`The template ${name} has no heading; each heading is a section of the summary.`);
  }
  const sections = pieces.flatMap((heading, at) => {
    if (at % 2 === 1) return [];
    const purpose = (pieces[at + 1] ?? "").trim();
    return [{ id: sectionId(heading, at), heading, ...(purpose !== "" && { purpose }) }];
  });
  return { sections };
}

/** Ids are ASCII; a heading in another script has that of its place. */
function sectionId(heading: string, at: number): string {
  const title = plainTitle(heading);
  const core = DEFAULT_COMPACTION_TEMPLATE.sections.find(
    (section) => plainTitle(section.heading) === title,
  );
  const word = title.replace(/[^\w-]+/g, "");
  return core?.id ?? (/^[a-z]/.test(word) ? word : `section-${at / 2 + 1}`);
}

function invalid(message: string): ContextError {
  return new ContextError("invalid-options", message);
}

/** A heading without its marks, for comparing: `## **Relevant Files:**` is `relevantfiles`. */
export function plainTitle(heading: string): string {
  return stripMarks(heading)
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
}

/** A heading as written, without the marks that make it one. */
export function stripMarks(heading: string): string {
  return heading
    .trim()
    .replace(/^#{1,6}\s*/, "")
    .replace(/\s*#+$/, "")
    .replace(/^(?:\*\*|__|`)+|(?:\*\*|__|`|:)+$/g, "")
    .replace(/^\d{1,2}[.)]\s+/, "")
    .replace(/[\s:*_]+$/, "")
    .trim();
}
