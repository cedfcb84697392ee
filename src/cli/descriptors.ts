import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** Advice where the system opens no more files for this program. */
export const NO_DESCRIPTORS =
  "The system opens no more files for this program (EMFILE). Raise the limit (ulimit -n 256), or close other programs.";

/**
 * Whether an error came about because there was no file descriptor left. Node, which cannot read
 * the `package.json` of a package then, says that the package is not there.
 */
export function hasNoDescriptors(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = "code" in each ? each.code : undefined;
    if (code === "EMFILE" || code === "ENFILE") return true;
    const path = code === "ERR_MODULE_NOT_FOUND" && /'(.+?)' imported/.exec(each.message)?.[1];
    if (path && [dirname(path), path].some(isPackage)) return true;
  }
  return false;
}

/** A package that is missing is named alone, and one that is half installed has no `package.json`. */
function isPackage(folder: string): boolean {
  return isAbsolute(folder) && existsSync(join(folder, "package.json"));
}
