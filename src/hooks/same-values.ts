/**
 * A list that was made anew, with the objects of an earlier one wherever they say the same: what
 * was made of those need not be made again.
 */
export function keepObjects<Value>(list: readonly Value[], before: readonly Value[]): Value[] {
  return list.map((value, index) => {
    const known = before[index];
    return known !== undefined && isSameValue(value, known) ? known : value;
  });
}

/** For plain JSON. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  const entries = Object.entries(one);
  if (entries.length !== Object.keys(other).length) return false;
  const fields = other as Readonly<Record<string, unknown>>;
  return entries.every(
    ([key, value]) => Object.hasOwn(fields, key) && isSameValue(value, fields[key]),
  );
}
