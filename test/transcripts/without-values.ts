/** A copy of a JSON value from which the fields and items at the given positions are gone. */
export function withoutValues<Value>(value: Value, positions: readonly number[]): Value {
  const copy = structuredClone(value);
  for (const position of positions) {
    const slots = slotsOf(copy);
    const slot = slots[position % Math.max(1, slots.length)];
    if (slot === undefined) continue;
    if (Array.isArray(slot.holder)) slot.holder.splice(Number(slot.key), 1);
    else delete (slot.holder as Record<string, unknown>)[slot.key];
  }
  return copy;
}

interface Slot {
  readonly holder: object;
  readonly key: string;
}

function slotsOf(value: unknown): Slot[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    { holder: value, key },
    ...slotsOf(inner),
  ]);
}
