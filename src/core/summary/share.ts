/** Someone who wants a share: how much at most, and how much compared with the others. */
export interface Want {
  /** How much, if that is at most `limit`; else anything above it, which need not be counted. */
  readonly demand: (limit: number) => number;
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
    const offers = open.map((want) => {
      const fair = (left * want.weight) / weights;
      return { want, fair, demand: want.demand(fair) };
    });
    const content = offers.filter(({ demand, fair }) => demand <= fair);
    if (content.length === 0) {
      for (const { want, fair } of offers) shares[want.index] = Math.floor(fair);
      return shares;
    }
    for (const { want, demand } of content) shares[want.index] = demand;
    left -= content.reduce((sum, { demand }) => sum + demand, 0);
    open = offers.filter(({ demand, fair }) => demand > fair).map(({ want }) => want);
  }
  return shares;
}
