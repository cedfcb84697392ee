/** Gives tool calls from elsewhere ids and names that a provider accepts. */
export interface CallIds {
  /** Notes the id of a native call that stays as it is. */
  keep(id: string): void;
  /** The id under which a call goes out; never one that is taken. */
  assign(id: string): string;
  /** The id of the nearest preceding call with this id. */
  resolve(id: string): string;
}

const UNSAFE = /[^a-zA-Z0-9_-]/g;

/**
 * Ids go out with the characters `A-Za-z0-9_-` only, at most `maxLength` of them, each id once.
 * `taken` are the ids of all native calls: they keep theirs.
 */
export function createCallIds(maxLength: number, taken: readonly string[] = []): CallIds {
  const used = new Set<string>(taken);
  const current = new Map<string, string>();
  const note = (id: string, encoded: string): string => {
    used.add(encoded);
    current.set(id, encoded);
    return encoded;
  };
  return {
    keep: (id) => void note(id, id),
    assign(id) {
      const base = safeName(id, maxLength);
      let fresh = base;
      for (let count = 2; used.has(fresh); count++) {
        const suffix = `_${count}`;
        fresh = base.slice(0, maxLength - suffix.length) + suffix;
      }
      return note(id, fresh);
    },
    resolve: (id) => current.get(id) ?? safeName(id, maxLength),
  };
}

export function safeName(name: string, maxLength: number): string {
  return name.replace(UNSAFE, () => "_").slice(0, maxLength) || "unknown";
}
