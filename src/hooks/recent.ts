/** Values by name, of which only those stay that were asked for last. */
export interface Recent<Value> {
  /** The value; made and noted if there is none. The one that was not asked for longest gives way. */
  of(name: string, make: () => Value): Value;
}

/** At most `max` values; `onDrop` is told of each that gave way. */
export function createRecent<Value>(max: number, onDrop: (value: Value) => void): Recent<Value> {
  const values = new Map<string, { readonly value: Value }>();
  return {
    of(name, make) {
      const known = values.get(name) ?? { value: make() };
      values.delete(name);
      values.set(name, known);
      const [oldest] = values;
      if (values.size > max && oldest !== undefined) {
        values.delete(oldest[0]);
        onDrop(oldest[1].value);
      }
      return known.value;
    },
  };
}
