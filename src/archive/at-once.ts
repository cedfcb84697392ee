import { syncFolder } from "./files.ts";

/**
 * Makes the names in a folder last, for many at once: all that ask while it is being synced wait for
 * the next sync, which they share.
 */
export function createFolderSync(path: string): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    if (next !== undefined) return next;
    next = last.then(() => {
      next = undefined;
      return syncFolder(path);
    });
    last = next.catch(() => undefined);
    return next;
  };
}

/** At most `limit` tasks run at a time; the others wait in the order in which they came. */
export function concurrencyLimit(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting = new Set<() => void>();
  let running = 0;
  return async (task) => {
    if (running < limit) running++;
    else await new Promise<void>((go) => waiting.add(go));
    try {
      return await task();
    } finally {
      const [next] = waiting;
      // The one that waits takes over the place, so the number that run stays the same.
      if (next === undefined) running--;
      else waiting.delete(next);
      next?.();
    }
  };
}
