import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** What a person can do where the system opens no more files for this program. */
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
    if (path && existsSync(dirname(path))) return true;
  }
  return false;
}
