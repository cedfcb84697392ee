import type { Context } from "../context/index.ts";
import { ContextError } from "../core/error.ts";

/**
 * For hooks that notice that the provider manages the conversation itself. `by` is what was seen,
 * in the words of the SDK, e.g. `providerOptions.openai.contextManagement`; `undefined` for nothing.
 * Gives back whether to leave everything as it is; listeners hear of each `by` once.
 */
export function createStandBack(
  context: Pick<Context, "fail">,
): (by: string | undefined) => boolean {
  const told = new Set<string>();
  return (by) => {
    if (by === undefined) return false;
    if (!told.has(by)) {
      told.add(by);
      context.fail(
        new ContextError(
          "managed-elsewhere",
          `The provider manages this conversation itself (${by}), so Longhaul leaves it as it is; switch one of the two off.`,
          { details: { by } },
        ),
      );
    }
    return true;
  };
}
