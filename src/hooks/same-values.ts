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

/** For JSON, and for what messages hold beside it: bytes, and addresses, whose fields say nothing. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  if (ArrayBuffer.isView(one) || ArrayBuffer.isView(other)) return isSameBytes(one, other);
  if ("toJSON" in one || "toJSON" in other) return JSON.stringify(one) === JSON.stringify(other);
  const entries = Object.entries(one);
  if (entries.length !== Object.keys(other).length) return false;
  const fields = other as Readonly<Record<string, unknown>>;
  return entries.every(
    ([key, value]) => Object.hasOwn(fields, key) && isSameValue(value, fields[key]),
  );
}

function isSameBytes(one: object, other: object): boolean {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other)) return false;
  const [bytes, others] = [bytesOf(one), bytesOf(other)];
  return bytes.length === others.length && bytes.every((byte, at) => byte === others[at]);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
