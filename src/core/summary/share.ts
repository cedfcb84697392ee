/** Someone who wants a share: how much at most, and how much compared with the others. */
export interface Want {
  readonly demand: number;
  /** Greater than 0. */
  readonly weight: number;
}

/**
 * Shares a total out by weight. Nobody gets more than the demand; what one leaves goes to the
 * others, by weight again. The shares are in the order of the wants; their sum never exceeds the
 * total.
 */
export function shareOut(total: number, wants: readonly Want[]): readonly number[] {
  const shares = wants.map(() => 0);
  let open = wants.map((want, index) => ({ ...want, index }));
  let left = Math.max(0, total);
  while (open.length > 0) {
    const weights = open.reduce((sum, { weight }) => sum + weight, 0);
    const fair = (weight: number): number => (left * weight) / weights;
    const hungry = open.filter(({ demand, weight }) => demand > fair(weight));
    if (hungry.length === open.length) {
      for (const { index, weight } of open) shares[index] = Math.floor(fair(weight));
      return shares;
    }
    const content = open.filter(({ demand, weight }) => demand <= fair(weight));
    for (const { index, demand } of content) shares[index] = demand;
    left -= content.reduce((sum, { demand }) => sum + demand, 0);
    open = hungry;
  }
  return shares;
}
