/** Runs a task when its turn comes. */
export type RunLimited = <T>(task: () => Promise<T>) => Promise<T>;

/** At most `limit` tasks run at a time; the others wait in the order in which they came. */
export function concurrencyLimit(limit: number): RunLimited {
  const waiting = new Set<() => void>();
  let running = 0;
  return async (task) => {
    if (running < limit) running++;
    else await new Promise<void>((resolve) => waiting.add(resolve));
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
