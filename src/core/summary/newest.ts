/* Maps whose newest entry stands last: what comes again is moved there. */

export function addNewest<Key, Value>(all: Map<Key, Value>, key: Key, value: Value): void {
  all.delete(key);
  all.set(key, value);
}

/** The values, the newest first. */
export function newestFirst<Value>(all: ReadonlyMap<unknown, Value>): readonly Value[] {
  return [...all.values()].reverse();
}

/** Values of a source, made when somebody comes to them, and once however often. */
export function lazily<Value>(source: () => Iterable<Value>): Iterable<Value> {
  const made: Value[] = [];
  let rest: Iterator<Value> | undefined;
  return {
    *[Symbol.iterator]() {
      for (let at = 0; ; at++) {
        if (at === made.length) {
          rest ??= source()[Symbol.iterator]();
          const next = rest.next();
          if (next.done === true) return;
          made.push(next.value);
        }
        yield made[at] as Value;
      }
    },
  };
}
