/** Gives tool calls from elsewhere ids and names that a provider accepts. */
export type CallIds = ReturnType<typeof createCallIds>;

const UNSAFE = /[^a-zA-Z0-9_-]/g;

/**
 * Ids go out with the characters `A-Za-z0-9_-` only, at most `maxLength` of them, each id once.
 * `taken` are the ids of all native calls: they keep theirs.
 */
export function createCallIds(maxLength: number, taken: readonly string[] = []) {
  const used = new Set<string>(taken);
  const current = new Map<string, string>();
  const note = (id: string, encoded: string): string => {
    used.add(encoded);
    current.set(id, encoded);
    return encoded;
  };
  return {
    /** Notes the id of a native call that stays as it is. */
    keep: (id: string) => void note(id, id),
    /** The id under which a call goes out; never one that is taken. */
    assign(id: string): string {
      const base = safeName(id, maxLength);
      let fresh = base;
      for (let count = 2; used.has(fresh); count++) {
        const suffix = `_${count}`;
        fresh = base.slice(0, maxLength - suffix.length) + suffix;
      }
      return note(id, fresh);
    },
    /** The id of the nearest preceding call with this id. */
    resolve: (id: string) => current.get(id) ?? safeName(id, maxLength),
  };
}

export function safeName(name: string, maxLength: number): string {
  return name.replace(UNSAFE, () => "_").slice(0, maxLength) || "unknown";
}
