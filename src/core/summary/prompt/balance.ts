/** A stretch of a list; `to` is exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts a list of weights into as few consecutive stretches as a room allows, and those as equal as
 * they can be. A weight that is larger than the room is a stretch of its own.
 */
export function balance(weights: readonly number[], room: number): readonly Stretch[] {
  const fewest = stretches(weights, room).length;
  let low = Math.ceil(weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, fewest));
  let high = Math.max(low, Math.floor(room));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (stretches(weights, middle).length <= fewest) high = middle;
    else low = middle + 1;
  }
  return stretches(weights, Math.min(high, room));
}

/** As much as fits into each stretch, from the start on. */
function stretches(weights: readonly number[], room: number): readonly Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  let sum = 0;
  weights.forEach((weight, index) => {
    if (index > from && sum + weight > room) {
      found.push({ from, to: index });
      from = index;
      sum = 0;
    }
    sum += weight;
  });
  return weights.length === 0 ? [] : [...found, { from, to: weights.length }];
}

/** So many consecutive groups of a list with so many entries, of sizes that differ by one at most. */
export function evenGroups(entries: number, groups: number): readonly Stretch[] {
  return Array.from({ length: groups }, (_, index) => ({
    from: Math.floor((entries * index) / groups),
    to: Math.floor((entries * (index + 1)) / groups),
  }));
}
