/** Failures in a row after which nobody is asked any more. */
const FAILURES = 3;
/** How long nobody is asked then, in ms; long enough for an outage or a rate limit to pass. */
const COOL_DOWN_MS = 5 * 60_000;

export interface BreakerOptions {
  /** @default 3 */
  readonly failures?: number;
  /** In ms. @default 300000 */
  readonly coolDownMs?: number;
  /** The clock, in ms. */
  readonly now: () => number;
}

/**
 * A circuit breaker: after some failures in a row it is open, and nobody should be asked, until a
 * cool-down has passed. Then one try is allowed; its outcome closes the breaker or opens it again.
 */
export interface Breaker {
  /** Whether somebody may be asked now. */
  readonly allows: boolean;
  succeeded(): void;
  failed(): void;
}

export function createBreaker(options: BreakerOptions): Breaker {
  const { failures = FAILURES, coolDownMs = COOL_DOWN_MS, now } = options;
  let inARow = 0;
  let failedAt = 0;
  return {
    get allows() {
      // A clock that was set back must not keep the breaker open for longer than the cool-down.
      const since = now() - failedAt;
      return inARow < failures || since >= coolDownMs || since < 0;
    },
    succeeded() {
      inARow = 0;
    },
    failed() {
      inARow++;
      failedAt = now();
    },
  };
}
