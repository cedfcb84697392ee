/** Our own rows. */
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import { pruneToolOutputs } from "../../src/context/prune-tool-outputs.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/template.ts";
import { readForeignWords } from "../../src/core/summary/words.ts";
import { handlesIn, type Kept, readAll } from "../../src/simulate/index.ts";
import { type Contestant, type Past, STUB } from "./contestants.ts";

/** Compacts or prunes as the product would, at the window of the cut; with a model, if it has an answer. */
export async function longhaulWith(
  { past, window, segment }: Past,
  { force, answer }: { readonly force: boolean; readonly answer?: string },
): Promise<Kept> {
  const archive = memoryArchive();
  const summarizer = answer === undefined ? undefined : async () => inTemplate(answer);
  const { cwd } = segment;
  const context = createContext({ window, archive, cwd, summarizer, now: () => 0 });
  const { messages } = await context.prepare(past, { force });
  const known = new Map<string, string>();
  await readAll(archive, [...messages, ...past], known);
  return { messages, handlesIn, read: (handle) => known.get(handle) };
}

/** A text as a model writes it that was asked for our sections. */
function inTemplate(text: string): string {
  const { sections } = DEFAULT_COMPACTION_TEMPLATE;
  const words = readForeignWords(text);
  return sections.map(({ id, heading }) => `${heading}\n${words[id] ?? "(none)"}`).join("\n\n");
}

export const LONGHAUL: readonly Contestant[] = [
  {
    name: "Longhaul",
    does: "`prepare` in the window of the cut: prunes, else compacts",
    byDefault: (past) => longhaulWith(past, { force: false }),
  },
  {
    name: "Longhaul, compaction forced",
    does: "`prepare` with `force: true`",
    byDefault: (past) => longhaulWith(past, { force: true }),
  },
  {
    name: "Longhaul, with a model (stub)",
    does: "the same with a model whose answer is the stub",
    byDefault: (past) => longhaulWith(past, { force: true, answer: STUB }),
  },
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
