import type { Context, ContextOptions, Failure } from "../context/index.ts";
import { checkOptions } from "../context/given-parts.ts";
import { withoutConversation } from "../context/sub-agent.ts";
import { modelWindow } from "../core/overflow/index.ts";

/**
 * The options of the context behind a hook: the window of the model, where that is a known one and
 * none is given, and a warning on the console for what fails while nobody listens. A person who
 * added one line to an agent has no other way to hear of it. Throws `invalid-options` for no options.
 */
export function hookOptions(
  given: ContextOptions & { readonly model?: string | undefined },
): ContextOptions {
  checkOptions(given);
  const { model, ...options } = given;
  const window = options.window ?? (model === undefined ? undefined : modelWindow(model));
  return {
    onUnheardFailure: createWarning(),
    ...options,
    ...(window !== undefined && { window }),
  };
}

/** What the contexts behind the hooks of a sub-agent are made with: nothing of its parent's conversation. */
export function subAgentSettings(
  settings: ContextOptions,
  { archive }: Pick<Context, "archive">,
  own: ContextOptions,
): ContextOptions {
  return { ...withoutConversation(settings), archive, ...own };
}

/** One warning for each code: a full disk would fill the log otherwise. */
function createWarning(): (failure: Failure) => void {
  const said = new Set<string>();
  return ({ code, message }) => {
    if (said.has(code)) return;
    said.add(code);
    // oxlint-disable-next-line no-console -- the console is where a person looks first.
    console.warn(`longhaul: ${message}`);
  };
}
