const DRIVE = /^[A-Za-z]:[\\/]/;
const COLON = 58;
/** A drive as POSIX shells on Windows write it: `/d/repo`, `/mnt/d/repo`, `/cygdrive/d/repo` for `D:\repo`. */
const SHELL_DRIVE = /^(?:\/mnt|\/cygdrive)?\/([A-Za-z])(?=\/|$)/;
const ON_DRIVE = /^[A-Za-z]:(?:\/|$)/;

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
 * `a//b/` is `a/b`. Windows paths are kept as they are, unless they have slashes (`onDrive`).
 */
export function normalizePath(path: string, onDrive = false): string {
  if ((isWindowsPath(path) && !onDrive) || isClean(path)) return path;
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
 * `D:\a`, `d:/A`, `/d/a` and `/mnt/d/a`, because Windows does not tell them apart.
 */
export function pathKey(path: string, cwd?: string): string {
  const whole = slashed(path, cwd);
  return ON_DRIVE.test(whole) ? whole.toLowerCase() : whole;
}

/**
 * A path as it is named from the working directory, if it lies below it. On Windows with slashes:
 * every program takes them there, and a path has one name.
 */
export function pathFrom(cwd: string | undefined, path: string): string {
  if (cwd === undefined) return DRIVE.test(path) ? slashed(path, cwd) : path;
  const root = `${pathKey(cwd).replace(/\/$/, "")}/`;
  const whole = slashed(path, cwd);
  const isBelow = pathKey(path, cwd).startsWith(root) && whole.length > root.length;
  if (isBelow) return `${whole.slice(root.length)}${path.endsWith("/") ? "/" : ""}`;
  return DRIVE.test(path) ? whole : path;
}

/** A path with the working directory before it, with slashes; on a drive as `D:/a`. */
function slashed(path: string, cwd: string | undefined): string {
  const whole = joinPath(cwd, path);
  const isWindows = isWindowsPath(whole);
  if (!isWindows && !SHELL_DRIVE.test(whole)) return whole;
  return normalizePath(whole.replaceAll("\\", "/").replace(SHELL_DRIVE, "$1:"), true);
}

const TEMPORARY =
  /^(?:\/(?:private\/)?(?:tmp|var\/tmp|var\/folders)\/|\/dev\/shm\/|~\/\.cache\/|[a-z]:\/(?:users\/[^/]+\/appdata\/local\/temp|windows\/temp|temp|tmp)\/|%te?mp%|\$(?:tmpdir|temp|tmp)\b)/i;

/** True of a path below a folder for files that nobody keeps. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.test(pathKey(path));
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

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
