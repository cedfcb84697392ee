import { ContextError } from "../error.ts";
import { newestUserMessage } from "../compact/tail.ts";
import { leastOf } from "./attempt.ts";
import type { PlanOptions } from "./options.ts";
import { excessOver, requestSize, roomOf } from "./size.ts";
import type { Message } from "../message/index.ts";

/** How many of the biggest items the error names. */
const NAMED_ITEMS = 5;

interface Item {
  readonly what: string;
  readonly tokens: number;
}

/** The error that says what fills the window when nothing more can be removed. */
export function irreducible(messages: readonly Message[], options: PlanOptions): ContextError {
  const { window, usable } = options.budget;
  const least = leastOf(messages, options);
  const items = leastItems(least, options).sort((a, b) => b.tokens - a.tokens);
  const biggest = items.slice(0, NAMED_ITEMS);
  const named = biggest.map(({ what, tokens }) => `${what} (${tokens} tokens)`).join(", ");
  return new ContextError(
    "irreducible",
    `The context does not fit into ${limitOf(least.kept, options)}, because these may not be removed: ${named}. Use a model with a larger window, or shorten them.`,
    { details: { window, usable, biggest } },
  );
}

/** The limit that cannot be kept, in the figures that somebody set or could set. */
function limitOf(kept: readonly Message[], options: PlanOptions): string {
  const { window, reserved } = options.budget;
  const { maxBytes, maxImages } = options.requestLimits ?? {};
  const { bytes, images } = excessOver(requestSize(kept, options), roomOf(0, options));
  if (bytes > 0) return `a request of ${maxBytes} bytes`;
  if (images > 0) return `a request of ${maxImages} images`;
  return `a window of ${window} tokens, ${reserved} of which are kept free for the answer (the option reserved)`;
}

/** What every result would hold: the rules, the newest words and what stands beside the messages. */
function leastItems(
  { kept, places, reserve }: ReturnType<typeof leastOf>,
  { meter, fixedTokens = 0 }: PlanOptions,
): Item[] {
  const newest = newestUserMessage(kept);
  const items = kept.map((message, index): Item => {
    const role = index === newest ? "newest user" : message.role;
    return { what: `${role} message ${places[index]}`, tokens: Math.ceil(meter.tokens(message)) };
  });
  if (reserve.tokens > 0) items.push({ what: "the summary", tokens: reserve.tokens });
  if (fixedTokens > 0) {
    const what = "the system prompt and tool schemas that stand beside the messages";
    items.push({ what, tokens: Math.ceil(fixedTokens) });
  }
  return items;
}
