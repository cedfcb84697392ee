import { setTimeout as delay } from "node:timers/promises";
import { ContextError, harmless } from "../core/error.ts";

/** A process that dies in the middle of an edit holds the others up for so long. */
export const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
/** A process whose edit never ends is not waited for longer: its lease is not renewed any more. */
const MOST_HELD_MS = 5 * 60_000;
/** Long enough to take over from such a one. */
const MOST_WAIT_MS = 6 * 60_000;

/** News of the right to edit a conversation, which processes have one after the other. */
export interface LeaseEvent {
  /**
   * `waited` for another process; `taken-over` from one that was not heard of any more; `lost` to another
   * one, so that an edit was not stored; `given-up` after minutes, so that none was made.
   */
  readonly name: "waited" | "taken-over" | "lost" | "given-up";
  /** The wait of this process, in ms. */
  readonly waitedMs: number;
}

/** A listener; errors that it throws are ignored. */
export type OnLease = (event: LeaseEvent) => void;

/** The right to edit a conversation, wherever it is kept. */
export interface Lease {
  /** Settles with `false` while another process has it; `left` by one that was not heard of any more. */
  readonly take: () => Promise<false | "free" | "left">;
  readonly renew: () => Promise<unknown>;
  readonly release: () => Promise<unknown>;
  /** Another process that has it is asked for it once in so long. */
  readonly lookEveryMs: number;
  readonly onLease: OnLease | undefined;
}

/** Waits for the right to edit and does the work under it. */
export async function underLease<T>(
  lease: Lease,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await take(lease, signal);
  const { renew, release } = lease;
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

async function take(
  { take: tryTo, lookEveryMs, onLease }: Lease,
  signal: AbortSignal | undefined,
): Promise<void> {
  const asked = performance.now();
  for (let looks = 0; ; looks++) {
    const taken = await tryTo();
    const waitedMs = performance.now() - asked;
    if (taken !== false) {
      if (looks > 0) tell(onLease, "waited", waitedMs);
      if (taken === "left") tell(onLease, "taken-over", waitedMs);
      return;
    }
    if (waitedMs > MOST_WAIT_MS) {
      tell(onLease, "given-up", waitedMs);
      throw heldTooLong();
    }
    await delay(lookEveryMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

function tell(onLease: OnLease | undefined, name: LeaseEvent["name"], waitedMs: number): void {
  harmless(() => onLease?.({ name, waitedMs }));
}

function heldTooLong(): ContextError {
  return new ContextError(
    "archive-failed",
    `Other processes have been editing this conversation for ${MOST_WAIT_MS / 60_000} minutes, so this one did not. The next step tries again.`,
  );
}

/** For an edit that another process has made meanwhile. */
export function lostLease({ onLease }: Pick<Lease, "onLease">): ContextError {
  tell(onLease, "lost", 0);
  return new ContextError(
    "archive-failed",
    "Another process has taken over the edit of this conversation, because this one was not heard of for some seconds. The next step goes on from what it made.",
  );
}
