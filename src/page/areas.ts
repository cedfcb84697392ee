import type { ContentItem, ContentKind } from "../core/contents/window-contents.ts";
import type { Area } from "./data.ts";

const OWN_TOOLS = 8;

type Kind = Exclude<ContentKind, "tool-call" | "tool-result"> | "schemas";

const LABELS: Readonly<Record<Kind, string>> = {
  outside: "Not in the file",
  system: "System prompt",
  schemas: "Tool schemas",
  summary: "Summary",
  user: "User",
  injected: "Injected",
  text: "Assistant",
  reasoning: "Reasoning",
  file: "Files, images",
  other: "Other",
};

const RULES = "rules";
/** Files of rules and of memory as agents put them into the window. */
const RULE_FILES =
  /\b(?:AGENTS|CLAUDE|GEMINI|MEMORY)(?:\.local)?\.md\b|\bclaudeMd\b|<INSTRUCTIONS>/;

export type Areas = ReturnType<typeof areasOf>;

/** The areas of all pieces in the order in which the chart stacks them, from below. */
export function areasOf(items: readonly ContentItem[]) {
  const byTool = new Map<string, number>();
  const kinds = new Set<string>();
  for (const item of items) {
    const { tool, tokens } = item;
    if (tool === undefined) kinds.add(kindOf(item));
    else byTool.set(tool, (byTool.get(tool) ?? 0) + tokens);
  }
  const ranked = [...byTool].toSorted((one, other) => other[1] - one[1]).map(([tool]) => tool);
  const own = new Set(ranked.slice(0, OWN_TOOLS));
  const areas: Area[] = [
    ...kindAreas(kinds),
    ...[...own].map((tool) => ({ id: `tool ${tool}`, label: tool === "" ? "Tool" : tool })),
    ...(ranked.length > own.size ? [{ id: "tools", label: "Other tools" }] : []),
  ];
  const numbers = new Map(areas.map(({ id }, at) => [id, at]));
  return {
    areas,
    /** The number of a piece's area. */
    of(item: ContentItem): number {
      const { tool } = item;
      const id =
        tool === undefined ? `kind ${kindOf(item)}` : own.has(tool) ? `tool ${tool}` : "tools";
      return numbers.get(id) ?? 0;
    },
  };
}

const BESIDE: ReadonlySet<string> = new Set(["outside", "system", "schemas"]);

function kindAreas(kinds: ReadonlySet<string>): Area[] {
  const order = ["outside", "system", "schemas", RULES, "summary", "injected", "user", "text"];
  const all = [...order, "reasoning", "file", "other"];
  const there = all.filter((kind) => BESIDE.has(kind) || kinds.has(kind));
  return there.map((kind) => ({
    id: `kind ${kind}`,
    label: kind === RULES ? "Rules, memory" : LABELS[kind as keyof typeof LABELS],
  }));
}

function kindOf({ kind, subject }: ContentItem): string {
  if (kind === "injected" && RULE_FILES.test(subject)) return RULES;
  return kind === "tool-call" || kind === "tool-result" ? "other" : kind;
}
