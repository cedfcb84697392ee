import type { Direction } from "../core/truncate/index.ts";

/** An output as far as it is in memory: as a whole, or its two ends. */
export interface Received {
  readonly bytes: number;
  /** Absent when nobody counted them. */
  readonly lines?: number;
  readonly whole?: Uint8Array;
  readonly head?: Uint8Array;
  readonly tail?: Uint8Array;
}

export interface PartsOptions {
  readonly direction: Direction;
  /** Bytes of an end from which the fullest preview can be made. */
  readonly capacity: number;
}

/** As much of an output as its preview needs: where both ends are wanted, the middle is searched. */
export function partsOf(
  whole: Uint8Array,
  { direction, capacity }: PartsOptions,
): Pick<Received, "whole" | "head" | "tail"> {
  if (direction === "both" || whole.length <= 2 * capacity) return { whole };
  return { head: whole.subarray(0, capacity), tail: whole.subarray(whole.length - capacity) };
}
