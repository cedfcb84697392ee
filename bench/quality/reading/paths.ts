/** File names as an agent writes them: one spelling for one file. */

const ABSOLUTE = /^(?:\/|[a-z]:\/|~(?:\/|$))/i;

/** `a/./b//c/../d` as `a/b/d`; back slashes of Windows paths become slashes, a last one goes. */
export function plainPath(path: string): string {
  const slashed = /^[a-z]:[\\/]|^[^/]*\\[^/]*$|^\\\\/i.test(path)
    ? path.replaceAll("\\", "/")
    : path;
  const drive = /^\/([a-z])\//i.exec(slashed);
  const isAbsolute = ABSOLUTE.test(slashed);
  const out: string[] = [];
  for (const piece of slashed.split("/")) {
    if (piece === "" || piece === ".") continue;
    if (piece === ".." && out.length > 0 && out.at(-1) !== "..") out.pop();
    else if (piece !== ".." || !isAbsolute) out.push(piece);
  }
  const joined = out.join("/");
  if (drive !== null && drive[1] !== undefined)
    return `${drive[1].toLowerCase()}:${joined.slice(1)}`;
  if (/^[a-z]:/i.test(joined)) return joined[0]?.toLowerCase() + joined.slice(1);
  return slashed.startsWith("/") ? `/${joined}` : joined;
}

export function isAbsolutePath(path: string): boolean {
  return ABSOLUTE.test(path.replaceAll("\\", "/"));
}

/** A path seen from a directory. */
export function joinPath(directory: string, path: string): string {
  const base = plainPath(directory);
  return isAbsolutePath(path) || base === "" ? plainPath(path) : plainPath(`${base}/${path}`);
}

/** The last piece of a path. */
export function baseName(path: string): string {
  return plainPath(path).split("/").at(-1) ?? "";
}

/**
 * Whether two plain paths can be one file: they are equal, or one is relative and ends the other,
 * because nobody recorded from which directory it was named.
 */
export function maySame(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (isAbsolutePath(short)) return false;
  const tail = short.replace(/^(?:\.\.\/)+/, "");
  return tail !== "" && long.endsWith(`/${tail}`);
}

/** Whether a path lies in a directory, as far as {@link maySame} can tell. */
export function isInside(path: string, directory: string): boolean {
  const pieces = path.split("/");
  return pieces.some((_, at) => at > 0 && maySame(pieces.slice(0, at).join("/"), directory));
}
