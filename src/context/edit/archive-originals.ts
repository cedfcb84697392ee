import type { Archive } from "../../archive/archive.ts";
import { type Failure, failureOf } from "../../core/error.ts";
import type { Digest, Message, Original } from "../../core/message/index.ts";
import { type ContextPlan, originalsOf } from "../../core/plan/index.ts";

export interface ArchiveOptions {
  readonly archive: Archive;
  readonly digest: Digest;
  /** The original of the plan's head, if it is made already. */
  readonly head: Original | undefined;
}

/**
 * Stores everything that a plan takes out of the window. Returns what failed; after the first
 * failure nothing more is tried, because the medium is to blame and not the original.
 */
export async function archiveOriginals(
  messages: readonly Message[],
  plan: ContextPlan,
  { archive, digest, head }: ArchiveOptions,
): Promise<readonly Failure[]> {
  for (const { kind, content } of originalsOf(messages, plan, digest, head)) {
    try {
      await archive.put(kind, content);
    } catch (error) {
      const what = "The original was not kept, so pruning is refused";
      return [failureOf(error, "archive-failed", what)];
    }
  }
  return [];
}
