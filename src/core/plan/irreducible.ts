import { ContextError } from "../error.ts";
import { leadingSystemCount, type Message } from "../message/index.ts";
import type { PlanOptions } from "./options.ts";

/** How many of the biggest items the error names. */
const NAMED_ITEMS = 5;

interface Item {
  readonly what: string;
  readonly tokens: number;
}

/** The error that says what fills the window when nothing more can be removed. */
export function irreducible(messages: readonly Message[], options: PlanOptions): ContextError {
  const { budget, meter, fixedTokens = 0 } = options;
  const system = leadingSystemCount(messages);
  const items: Item[] = messages.map((message, index) => ({
    what: index < system ? `system message ${index}` : `${message.role} message ${index}`,
    tokens: meter.tokens(message),
  }));
  if (fixedTokens > 0) items.push({ what: "system prompt and tool schemas", tokens: fixedTokens });
  const measured = fixedTokens + meter.total(messages);
  const unseen = (options.usedTokens ?? measured) - measured;
  if (unseen > budget.usable / 2) {
    items.push({
      what: "what is sent beside the messages, by the provider's count",
      tokens: unseen,
    });
  }
  const biggest = items.sort((a, b) => b.tokens - a.tokens).slice(0, NAMED_ITEMS);
  const named = biggest.map(({ what, tokens }) => `${what} (${tokens} tokens)`).join(", ");
  return new ContextError(
    "irreducible",
    `The context cannot be brought below ${budget.usable} usable tokens of a ${budget.window}-token window; what fills it: ${named}. Use a model with a larger window, or shorten these.`,
    { details: { window: budget.window, usable: budget.usable, biggest } },
  );
}
