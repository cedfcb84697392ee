/** The files that a patch in the `*** Begin Patch` form names. */
import type { FileAct, Operation } from "./shell-files.ts";

const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  // Adding a file that is there replaces it.
  Add: ["created", "modified"],
  Update: ["modified"],
  Delete: ["deleted"],
};

export function patchFiles(patch: string): FileAct[] {
  const found: FileAct[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const header = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/.exec(line);
    const move = /^\*\*\* Move to: (.+?)\s*$/.exec(line);
    if (header !== null) {
      const [, verb = "", path = ""] = header;
      found.push({ path, operations: OPERATIONS[verb] ?? ["modified"], certain: true });
    } else if (move !== null) {
      const from = found.pop();
      if (from !== undefined) found.push({ ...from, operations: ["deleted", "modified"] });
      found.push({ path: move[1] ?? "", operations: ["created", "modified"], certain: true });
    }
  }
  return found;
}
