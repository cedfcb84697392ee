/**
 * A list that was parsed anew, with the objects of an earlier one wherever they say the same: what
 * was made of those need not be made again.
 */
export function keepObjects(list: readonly unknown[], before: readonly unknown[]): unknown[] {
  return list.map((value, index) => (isSame(value, before[index]) ? before[index] : value));
}

/** For values out of `JSON.parse`. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  const entries = Object.entries(one);
  if (entries.length !== Object.keys(other).length) return false;
  const fields = other as Readonly<Record<string, unknown>>;
  return entries.every(([key, value]) => isSame(value, fields[key]));
}
