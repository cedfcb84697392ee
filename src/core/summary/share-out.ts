/** A claim on a part of a total. */
export interface Want {
  /** An amount that would be enough; anything above `share` where that is not. */
  readonly demand: (share: number) => number;
  /** The claim compared with the others; greater than 0. */
  readonly weight: number;
}

/**
 * Shares a total out by weight. Nobody gets more than the demand; what one leaves goes to the
 * others, by weight again. The shares are in the order of the wants; their sum never exceeds the
 * total.
 */
export function shareOut(total: number, wants: readonly Want[]): readonly number[] {
  const shares = wants.map(() => 0);
  let open = [...wants.keys()];
  let left = Math.max(0, total);
  while (open.length > 0) {
    const weights = open.reduce((sum, at) => sum + (wants[at]?.weight ?? 0), 0);
    const fair = (at: number): number => (left * (wants[at]?.weight ?? 0)) / weights;
    const content = open.filter((at) => (wants[at]?.demand(fair(at)) ?? 0) <= fair(at));
    if (content.length === 0) {
      for (const at of open) shares[at] = Math.floor(fair(at));
      return shares;
    }
    for (const at of content) shares[at] = wants[at]?.demand(fair(at)) ?? 0;
    left -= content.reduce((sum, at) => sum + (shares[at] ?? 0), 0);
    open = open.filter((at) => !content.includes(at));
  }
  return shares;
}
