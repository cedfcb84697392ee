import type { ContentItem, ToolShare } from "../core/contents/window-contents.ts";
import { isPluginAgent } from "../plugins/agents.ts";
import { clipLine } from "../core/text/clip.ts";
import { count, percent } from "./figures.ts";

/** The contents of a window, as far as advice looks at them. */
export interface Filled {
  /** All pieces. */
  readonly items: readonly ContentItem[];
  readonly tools: readonly ToolShare[];
  /** Tokens of all of it. */
  readonly tokens: number;
  /** Tokens that pruning would bring back. */
  readonly prunable: number;
  /** The writer of the session, by the name of its format. */
  readonly agent: string;
}

/** Smaller pieces are not worth a word. */
const LEAST_SHARE = 0.02;
const LARGE_SHARE = 0.3;
const PRUNABLE_SHARE = 0.1;
const FEW = 3;
const MOST_REPEATED = 2;
const SUBJECT_UNITS = 60;

/** Advice on what is large, one sentence each. */
export function adviceOn(filled: Filled): readonly string[] {
  return [...repeatedOutputs(filled), ...largeTools(filled), ...oldOutputs(filled)];
}

/** The same file read, or the same command run, again and again. */
function repeatedOutputs({ items, tokens }: Filled): readonly string[] {
  const groups = new Map<string, ContentItem[]>();
  for (const item of items) {
    if (item.kind !== "tool-result" || item.subject === "") continue;
    const key = `${item.tool}\0${item.subject}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()]
    .map((group) => ({ group, held: group.reduce((sum, item) => sum + item.tokens, 0) }))
    .filter(({ group, held }) => group.length >= FEW && held >= tokens * LEAST_SHARE)
    .sort((a, b) => b.held - a.held)
    .slice(0, MOST_REPEATED)
    .map(({ group, held }) => {
      const [first] = group;
      const what = `${first?.tool} ${clipLine(first?.subject ?? "", SUBJECT_UNITS)}`;
      return `${what}: ${group.length} times, ${count(held)} tokens (${percent(held, tokens)}); a part of it or a search would do`;
    });
}

/** Tools whose outputs fill much of the window. */
function largeTools({ tools, tokens, agent }: Filled): readonly string[] {
  const large = tools.filter(({ output }) => output >= tokens * LARGE_SHARE);
  const how = isPluginAgent(agent)
    ? `longhaul plugin ${agent} cuts them on arrival and keeps the whole`
    : "longhaul run -- COMMAND prints what fits and keeps the whole";
  if (large.length === 0) return [];
  const held = large.reduce((sum, { output }) => sum + output, 0);
  const names = large.map(({ tool }) => tool).join(" and ");
  return [`Outputs of ${names} are ${percent(held, tokens)}: ${how}`];
}

function oldOutputs({ prunable, tokens }: Filled): readonly string[] {
  if (prunable < tokens * PRUNABLE_SHARE) return [];
  const what = `${count(prunable)} tokens (${percent(prunable, tokens)}) are old outputs and inputs`;
  return [`${what}: compact --prune-only takes them out, without a summary`];
}
