import { setTimeout as delay } from "node:timers/promises";
import { ContextError } from "../core/error.ts";

/** A process that dies in the middle of an edit holds the others up for so long. */
export const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
/** A process whose edit never ends is not waited for longer: its lease is not renewed any more. */
const MOST_HELD_MS = 5 * 60_000;
/** Long enough to take over from such a one. */
const MOST_WAIT_MS = 6 * 60_000;

/** The right to edit a conversation, wherever it is kept. */
export interface Lease {
  /** Settles with `false` while another process has it. */
  readonly take: () => Promise<boolean>;
  readonly renew: () => Promise<unknown>;
  readonly release: () => Promise<unknown>;
  /** Another process that has it is asked for it once in so long. */
  readonly lookEveryMs: number;
}

/** Waits for the right to edit and does the work under it. */
export async function underLease<T>(
  { take, renew, release, lookEveryMs }: Lease,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const asked = performance.now();
  while (!(await take())) {
    if (performance.now() - asked > MOST_WAIT_MS) throw heldTooLong();
    await delay(lookEveryMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
  const began = performance.now();
  const renewal = setInterval(() => {
    if (performance.now() - began > MOST_HELD_MS) return clearInterval(renewal);
    // A renewal that fails shows itself when the edit is to be stored.
    renew().catch(() => undefined);
  }, RENEW_EVERY_MS);
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    clearInterval(renewal);
    await release().catch(() => undefined);
  }
}

function heldTooLong(): ContextError {
  return new ContextError(
    "archive-failed",
    `Other processes have been editing this conversation for ${MOST_WAIT_MS / 60_000} minutes, so this one did not. The next step tries again.`,
  );
}

export function lostLease(): ContextError {
  return new ContextError(
    "archive-failed",
    "Another process has taken over the edit of this conversation, because this one was not heard of for some seconds. The next step goes on from what it made.",
  );
}
