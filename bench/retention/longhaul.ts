/** Our own rows. */
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext, type ContextOptions } from "../../src/context/index.ts";
import { pruneToolOutputs } from "../../src/context/prune-tool-outputs.ts";
import { handlesIn, readAll } from "../../src/simulate/index.ts";
import type { Contestant } from "./contestants.ts";

/** Compacts or prunes as the product would, at the window of the cut. */
function longhaul(name: string, does: string, own: ContextOptions, force: boolean): Contestant {
  return {
    name,
    does,
    byDefault: async ({ past, window, segment }) => {
      const archive = memoryArchive();
      const context = createContext({ window, archive, cwd: segment.cwd, now: () => 0, ...own });
      const { messages } = await context.prepare(past, { force });
      const known = new Map<string, string>();
      await readAll(archive, [...messages, ...past], known);
      return { messages, handlesIn, read: (handle) => known.get(handle) };
    },
  };
}

export const LONGHAUL: readonly Contestant[] = [
  longhaul("Longhaul", "`prepare` in the window of the cut: prunes, else compacts", {}, false),
  longhaul("Longhaul, compaction forced", "`prepare` with `force: true`", {}, true),
  {
    name: "Longhaul, prune only",
    does: "`pruneToolOutputs`: everything that may be pruned",
    byDefault: async ({ past, window }) => {
      const { messages, originals } = pruneToolOutputs(past, { window, now: () => 0 });
      const known = new Map<string, string>(originals.map((one) => [one.handle, one.content]));
      return { messages, handlesIn, read: (handle) => known.get(handle) };
    },
  },
];
