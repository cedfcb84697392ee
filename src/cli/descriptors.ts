/** What a person can do where the system opens no more files for this program. */
export const NO_DESCRIPTORS =
  "The system opens no more files for this program (EMFILE). Raise the limit (ulimit -n 256), or close other programs.";

/** Whether an error came about because there was no file descriptor left. */
export function hasNoDescriptors(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("code" in each && (each.code === "EMFILE" || each.code === "ENFILE")) return true;
  }
  return false;
}
