import { collectGarbage, type RetentionOptions } from "./collect-garbage.ts";
import { readStamp } from "./gc-clock.ts";

/** One archive in many processes is looked through once in so long, in ms. */
const EVERY_MS = 60 * 60 * 1000;

/**
 * What an archive calls whenever something is stored: collects garbage while the caller goes on, if
 * nobody did within the last hour. What fails is left to the next time: storing an original must not
 * fail because an old one cannot go.
 */
export function collectWhenDue(
  root: string,
  retention: RetentionOptions | false | undefined,
): () => void {
  let askedAt = -Infinity;
  return () => {
    if (retention === false || performance.now() - askedAt < EVERY_MS) return;
    askedAt = performance.now();
    setImmediate(() => void collectIfDue(root, retention ?? {}));
  };
}

async function collectIfDue(root: string, retention: RetentionOptions): Promise<void> {
  try {
    const last = await readStamp(root);
    const since = last === undefined ? EVERY_MS : Math.abs(Date.now() - last.now);
    if (since >= EVERY_MS) await collectGarbage(root, retention);
  } catch {
    // The next process tries again.
  }
}
