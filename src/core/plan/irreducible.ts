import { ContextError } from "../error.ts";
import { newestUserMessage } from "../compact/tail.ts";
import { leadingSystemCount } from "../message/structure.ts";
import type { PlanOptions } from "./options.ts";
import type { Message } from "../message/index.ts";

/** How many of the biggest items the error names. */
const NAMED_ITEMS = 5;

interface Item {
  readonly what: string;
  readonly tokens: number;
}

/** The error that says what fills the window when nothing more can be removed. */
export function irreducible(messages: readonly Message[], options: PlanOptions): ContextError {
  const { budget } = options;
  const items = fixedItems(messages, options).sort((a, b) => b.tokens - a.tokens);
  const biggest = items.slice(0, NAMED_ITEMS);
  const named = biggest.map(({ what, tokens }) => `${what} (${tokens} tokens)`).join(", ");
  return new ContextError(
    "irreducible",
    `The context cannot be brought below ${budget.usable} usable tokens of a ${budget.window}-token window, because these may not be removed: ${named}. Use a model with a larger window, or shorten them.`,
    { details: { window: budget.window, usable: budget.usable, biggest } },
  );
}

/** What every result would hold: what stands beside the messages, the rules, the newest words. */
function fixedItems(messages: readonly Message[], options: PlanOptions): Item[] {
  const { budget, meter, fixedTokens = 0, usedTokens } = options;
  const system = leadingSystemCount(messages);
  const newest = newestUserMessage(messages);
  const items = messages.flatMap((message, index): Item[] => {
    if (index >= system && index !== newest && index !== messages.length - 1) return [];
    const role = index < system ? "system" : index === newest ? "newest user" : message.role;
    return [{ what: `${role} message ${index}`, tokens: meter.tokens(message) }];
  });
  const measured = fixedTokens + meter.total(messages);
  const unseen = (usedTokens ?? measured) - measured;
  if (fixedTokens > 0) items.push({ what: "system prompt and tool schemas", tokens: fixedTokens });
  if (unseen > budget.usable / 2) {
    items.push({ what: "what the provider counts beside the messages", tokens: unseen });
  }
  return items;
}
