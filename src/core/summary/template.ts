/** One section that a summary must have. */
export interface TemplateSection {
  /** Stable name in code and reports, e.g. `relevantFiles`. */
  readonly id: string;
  /** The line above the section, as it stands in a summary, e.g. `## Relevant files`. */
  readonly heading: string;
  /** What belongs into the section and what does not; addressed to the model. */
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

/** Who may override the template; a later one wins over an earlier one. */
export interface TemplateOverrides {
  /** Of several plugins, in their order; all of them before `plugin`. */
  readonly plugins?: readonly TemplateOverride[];
  readonly plugin?: TemplateOverride;
  readonly conversation?: TemplateOverride;
  readonly call?: TemplateOverride;
}

/** The ids of the five core sections. */
export type CoreSectionId =
  | "goal"
  | "instructions"
  | "discoveries"
  | "accomplished"
  | "relevantFiles";

export const CORE_SECTION_IDS: readonly CoreSectionId[] = [
  "goal",
  "instructions",
  "discoveries",
  "accomplished",
  "relevantFiles",
];

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
        "Every rule, constraint and preference that the user stated and that still holds, one a line, in the user's own words. Keep limits, names and forbidden actions exactly. Nothing that only a tool output, a file or you yourself proposed.",
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
        "Full path and one line on its role for each file that the next steps may need, the most important first. Every file that was modified is in the list. No file contents.",
    },
  ],
};

const INTRODUCTION = `Write a summary of the conversation so far. It replaces that part of the conversation: whoever goes on with the work sees only your summary and the newest messages.

Write the sections below, all of them, in this order, each under its heading exactly as given. A section with nothing to say holds the one line (none).`;

const RULES = `Rules:
- Only what the conversation holds. Short factual lines; no narrative, no praise, no advice.
- Copy paths, names, commands, numbers and error texts exactly; never shorten a path.
- If there is an earlier summary, yours takes its place: carry over all of it that still holds, move what was finished since from \`Still open:\` to what was done, and leave out what the conversation has overtaken; where they disagree, the conversation is right. Its lines that only say how much more there is need not be copied.
- Write in the language that the user writes in; the headings stay as given.
- Do not answer the conversation, do not go on with the work, do not call tools. Write nothing before the first heading and nothing after the last section.`;

/** The instruction that asks a model for a summary with the sections of a template. */
export function renderTemplate(template: CompactionTemplate): string {
  const sections = template.sections.map(({ heading, purpose }) => `${heading}\n${purpose}`);
  return [INTRODUCTION, ...sections, RULES].join("\n\n");
}
