/** Our own rows. */
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext, type ContextOptions } from "../../src/context/index.ts";
import { pruneToolOutputs } from "../../src/context/prune-tool-outputs.ts";
import type { Contestant } from "./contestants.ts";
import type { Cut } from "./cuts.ts";
import type { Result } from "./judge.ts";

const HANDLE = /\b(?:out|parts|in|msg|head|run)_[0-9a-f]{16}\b/g;

function handlesIn(text: string): readonly string[] {
  return text.match(HANDLE) ?? [];
}

/** Compacts or prunes as the product would, at the window of the cut. */
export function longhaul(
  name: string,
  does: string,
  own: ContextOptions,
  force: boolean,
): Contestant {
  return {
    name,
    does,
    byDefault: async ({ past, window, segment }) => {
      const archive = memoryArchive();
      const context = createContext({ window, archive, cwd: segment.cwd, now: () => 0, ...own });
      const { messages } = await context.prepare(past, { force });
      return { messages, handlesIn, read: await reader(archive, messages, past) };
    },
  };
}

/** All originals that the messages name, and those that these name, read ahead. */
async function reader(
  archive: ReturnType<typeof memoryArchive>,
  messages: Result["messages"],
  past: Cut["past"],
): Promise<(handle: string) => string | undefined> {
  const known = new Map<string, string>();
  const todo = [...handlesIn(JSON.stringify(messages)), ...handlesIn(JSON.stringify(past))];
  for (let handle = todo.pop(); handle !== undefined; handle = todo.pop()) {
    if (known.has(handle)) continue;
    const content = await archive.get(handle).catch(() => undefined);
    if (content === undefined) continue;
    known.set(handle, content);
    todo.push(...handlesIn(content));
  }
  return (handle) => known.get(handle);
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
