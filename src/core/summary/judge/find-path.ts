/** Finds the one of some paths that a name means. */
export type FindPath = (name: string) => string | undefined;

/**
 * A name means a path if it is that path, or an end of it that no other path has, or has it as its
 * own end: `src/a.ts` and `/home/me/app/src/a.ts` are one file.
 */
export function createFindPath(paths: readonly string[]): FindPath {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const last = lastName(path);
    const some = byName.get(last);
    if (some === undefined) byName.set(last, [path]);
    else some.push(path);
  }
  return (name) => {
    const plain = name.replace(/^\.\//, "");
    const some = byName.get(lastName(plain)) ?? [];
    if (some.includes(plain)) return plain;
    const alike = some.filter((path) => endsWith(path, plain) || endsWith(plain, path));
    return alike.length === 1 ? alike[0] : undefined;
  };
}

/** The last name of a path, a slash at its end left out. */
export function lastName(path: string): string {
  const name = path.replace(/[/\\]+$/, "");
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
}

function endsWith(path: string, end: string): boolean {
  return path.endsWith(end) && /[/\\]/.test(path.charAt(path.length - end.length - 1));
}
