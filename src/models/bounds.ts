/** The time that work may take, and whoever can end it earlier. */
export interface Deadline {
  /** Aborts when the time is over or the caller gives up. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left; 0 when it is over. */
  left(): number;
  /** One sentence that says why there is no answer; `undefined` while there is time. */
  reason(): string | undefined;
  /** Frees the timer; nothing is aborted by it. */
  end(): void;
}

interface DeadlineOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly now: () => number;
}

/** Node counts longer timers as none at all. */
const LONGEST_TIMER = 2_147_483_647;

export function startDeadline({ timeoutMs, signal, now }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const start = now();
  let reason: string | undefined;
  const stop = (why: string): void => {
    reason ??= why;
    controller.abort(new DOMException(why, "AbortError"));
  };
  const onAbort = (): void => stop("The call was aborted.");
  const onTime = (): void => stop(`There was no answer within ${timeoutMs} ms.`);
  const timer = setTimeout(onTime, timerMs(timeoutMs));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    left: () => (reason === undefined ? Math.max(0, timeoutMs - (now() - start)) : 0),
    reason: () => reason,
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

function timerMs(ms: number): number {
  return Math.min(Math.max(0, ms), LONGEST_TIMER);
}

/** Resolves after a time, or at once when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, timerMs(ms))));
  await untilAborted(over, signal);
  clearTimeout(timer);
}

/** The value of a promise, or `undefined` as soon as the signal aborts, whatever becomes of it. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | undefined> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = (): void => resolve(undefined);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

export type Breaker = ReturnType<typeof createBreaker>;

/** Failures in a row after which nobody is asked any more. */
const FAILURES = 3;
/** Nobody is asked for so long; it is enough for an outage or a rate limit to pass. */
const COOL_DOWN_MS = 5 * 60_000;

/**
 * A circuit breaker: after three failures in a row it is open, and nobody should be asked, until a
 * cool-down has passed. Then one try is allowed; its outcome closes the breaker or opens it again.
 * `now` is the clock, in ms.
 */
export function createBreaker(now: () => number) {
  let inARow = 0;
  let failedAt = 0;
  return {
    get allows(): boolean {
      // A clock that was set back must not keep the breaker open for longer than the cool-down.
      const since = now() - failedAt;
      return inARow < FAILURES || since >= COOL_DOWN_MS || since < 0;
    },
    succeeded(): void {
      inARow = 0;
    },
    failed(): void {
      inARow++;
      failedAt = now();
    },
  };
}
