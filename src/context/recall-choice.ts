import type { ContextOptions } from "./options.ts";

/** The agent of one context has the tool `recall`, or has it not. */
export interface RecallChoice {
  note(tools: unknown): void;
  /** Once tools were told it stays as it is, so that no text changes within a conversation. */
  readonly hasTool: () => boolean;
}

/** The option decides; else the tools that were sent when something was first cut or edited. */
export function createRecallChoice({ recall, tools }: ContextOptions): RecallChoice {
  let settled = recall;
  let latest = tools;
  return {
    note(sent) {
      latest = sent ?? latest;
    },
    hasTool() {
      if (latest !== undefined) settled ??= hasRecall(latest);
      return settled === true;
    },
  };
}

/** In a list of schemas of any provider, or in a record by name. */
function hasRecall(tools: unknown): boolean {
  if (typeof tools !== "object" || tools === null) return false;
  if (!Array.isArray(tools)) return Object.hasOwn(tools, "recall");
  return tools.some((tool) => {
    const { name, function: inner } = (tool ?? {}) as ToolLike;
    return name === "recall" || inner?.name === "recall";
  });
}

interface ToolLike {
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown };
}
