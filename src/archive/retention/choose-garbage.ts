/** The files of one original: all names of the same bytes on the disk. */
export interface StoredBytes {
  readonly paths: readonly string[];
  readonly bytes: number;
  /** When it was stored or read last, in ms since the epoch. */
  readonly usedAt: number;
  /** Whether a live conversation holds it. */
  readonly isLive: boolean;
}

export interface RetentionRule {
  /** What was not used for longer goes. */
  readonly maxAgeMs: number;
  /** When all of it is larger, the oldest goes. */
  readonly maxBytes: number;
  /** In ms since the epoch. */
  readonly now: number;
  /** Whether the times of files can be compared with `now`. */
  readonly isClockTrusted: boolean;
}

/** What was used within the last hour stays, whoever used it. */
const FRESH_MS = 60 * 60 * 1000;

/**
 * What is to be removed, oldest first: everything beyond the age, then the oldest until the rest
 * fits the size. What is live or fresh stays. How old something from the future is (the clock was
 * set back), and where the clock was set forward how old anything is, cannot be known: then only
 * the size counts, and what seems newest goes last.
 */
export function chooseGarbage(
  stored: readonly StoredBytes[],
  { maxAgeMs, maxBytes, now, isClockTrusted }: RetentionRule,
): readonly StoredBytes[] {
  let total = stored.reduce((sum, each) => sum + each.bytes, 0);
  const removable = stored
    .filter((each) => !each.isLive && Math.abs(now - each.usedAt) >= FRESH_MS)
    .sort((a, b) => a.usedAt - b.usedAt);
  const chosen: StoredBytes[] = [];
  for (const each of removable) {
    const isOld = isClockTrusted && now - each.usedAt > maxAgeMs;
    if (!isOld && total <= maxBytes) break;
    chosen.push(each);
    total -= each.bytes;
  }
  return chosen;
}
