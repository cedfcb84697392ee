const DRIVE = /^[A-Za-z]:[\\/]/;
const COLON = 58;
/** How a POSIX shell on Windows writes a drive: `/d/repo` is `D:\repo`. */
const SHELL_DRIVE = /^\/([A-Za-z])(?=\/|$)/;

/** True of a path that does not depend on a working directory. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~") || isWindowsPath(path);
}

function isWindowsPath(path: string): boolean {
  if (path.charCodeAt(1) === COLON) return DRIVE.test(path);
  return path.startsWith("\\\\");
}

/**
 * A path as it was typed, without what does not change its meaning: `./x` is `x`, `a/../b` is `b`,
 * `a//b/` is `a/b`. Windows paths are kept as they are.
 */
export function normalizePath(path: string): string {
  if (isWindowsPath(path) || isClean(path)) return path;
  const absolute = path.startsWith("/");
  const kept: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    const last = kept.at(-1);
    if (name !== "..") kept.push(name);
    else if (last !== undefined && last !== ".." && last !== "~") kept.pop();
    else if (!absolute) kept.push(name);
  }
  return (absolute ? "/" : "") + kept.join("/") || ".";
}

function isClean(path: string): boolean {
  return !path.includes("./") && !path.includes("//") && !/(^|\/)\.{0,2}$/.test(path);
}

/** A path below a folder; an absolute path stands for itself. */
export function joinPath(folder: string | undefined, path: string): string {
  if (folder === undefined || folder === "" || isAbsolutePath(path)) return normalizePath(path);
  if (isWindowsPath(folder))
    return `${folder.replace(/[\\/]+$/, "")}\\${path.replace(/^\.[\\/]/, "")}`;
  return normalizePath(`${folder}/${path}`);
}

/**
 * One key for all names of a file: absolute when the working directory is known, and the same for
 * `D:\a`, `d:/a` and `/d/a` where the working directory is a Windows path.
 */
export function pathKey(path: string, cwd?: string): string {
  const whole = joinPath(cwd, path);
  const onWindows = isWindowsPath(whole) || (cwd !== undefined && isWindowsPath(cwd));
  if (!onWindows) return whole;
  const slashed = whole.replaceAll("\\", "/").replace(SHELL_DRIVE, "$1:");
  return normalizePath(slashed.slice(0, 1).toLowerCase() + slashed.slice(1));
}

/** Files that have no extension and still are no folders. */
const PLAIN_FILES =
  /^(makefile|dockerfile|containerfile|license|licence|readme|changelog|copying|authors|notice|gemfile|rakefile|procfile|justfile|jenkinsfile|vagrantfile|brewfile|codeowners|caddyfile|todo|version)$/i;
const DOT_FILE = /^\.(env|.*(ignore|rc|profile|history|attributes|config|keep|modules|version)$)/;
const EXTENSION = /[^.]\.(?!\d+$)[A-Za-z0-9_+-]{1,14}$/;

/** True of a name that by itself looks like a file and not like a folder. */
export function looksLikeFile(path: string): boolean {
  if (path.endsWith("/")) return false;
  const name = baseName(path);
  return EXTENSION.test(name) || PLAIN_FILES.test(name) || DOT_FILE.test(name);
}

/** The last name of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
