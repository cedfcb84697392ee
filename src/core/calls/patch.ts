import type { FileAccess } from "./file-access.ts";

const PATCH_HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;
const DIFF_HEADER = /^--- (\S[^\t\n]*?)(?:\t[^\n]*)?\r?\n\+\+\+ (\S[^\t\n]*?)(?:\t[^\n]*)?\r?$/gm;
const NO_FILE = "/dev/null";

/**
 * The files a patch touches, from its headers: the `*** Update File:` form of `apply_patch`, or a
 * unified diff. Lines of content never count, for they begin with a space, `+` or `-`.
 */
export function patchFiles(patch: string): FileAccess[] {
  const files = patch.includes("*** ") ? headerFiles(patch) : [];
  return files.length > 0 ? files : diffFiles(patch);
}

function headerFiles(patch: string): FileAccess[] {
  const files: FileAccess[] = [];
  for (const [, action = "", path = ""] of patch.matchAll(PATCH_HEADER)) {
    const last = files.at(-1);
    if (action === "Add File") files.push({ path, op: "write" });
    else if (action === "Delete File") files.push({ path, op: "delete" });
    else if (action === "Update File") files.push({ path, op: "edit" });
    else if (last !== undefined) {
      files[files.length - 1] = { path: last.path, op: "delete" };
      files.push({ path, op: "write" });
    }
  }
  return files;
}

function diffFiles(patch: string): FileAccess[] {
  const files: FileAccess[] = [];
  for (const [, before = "", after = ""] of patch.matchAll(DIFF_HEADER)) {
    if (after === NO_FILE) files.push({ path: withoutSide(before), op: "delete" });
    else files.push({ path: withoutSide(after), op: before === NO_FILE ? "write" : "edit" });
  }
  return files;
}

/** `git diff` puts `a/` and `b/` before the paths. */
function withoutSide(path: string): string {
  return path.replace(/^[ab]\//, "");
}
